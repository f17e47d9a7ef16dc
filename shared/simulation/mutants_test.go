package simulation

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"text/tabwriter"

	"github.com/replyonce/replyonce/shared/history/check"
	"github.com/replyonce/replyonce/shared/simulation/mutants"
	"github.com/replyonce/replyonce/shared/simulation/rules"
	"github.com/replyonce/replyonce/shared/simulation/world"
)

// TestMutants: every broken variant is found within its number of schedules, on
// a schedule that the product itself passes. The schedules are those of the
// decision table first, and random ones after them.
func TestMutants(t *testing.T) {
	all := mutants.All()
	if len(all) < 25 {
		t.Errorf("%d mutants, want at least 25", len(all))
	}
	rows := make([]hunted, len(all))
	named := map[string]bool{}
	var mu sync.Mutex
	for i, m := range all {
		t.Run(m.Name, func(t *testing.T) {
			t.Parallel()
			h := hunt(t, m)
			if h.found == nil {
				t.Errorf("not found in %d schedules: %s", h.needed, m.Wrong)
			}
			mu.Lock()
			defer mu.Unlock()
			for _, name := range h.found {
				named[name] = true
			}
			rows[i] = h
		})
	}
	t.Cleanup(func() {
		for _, name := range judged() {
			if !named[name] {
				t.Errorf("no mutant breaks %s", name)
			}
		}
		if *mutantTable {
			fmt.Print(tableOf(rows))
		}
	})
}

// judged are the names of all promises and rules: what no mutant can break is
// decided by nobody.
func judged() []string {
	names := rules.All()
	for _, p := range check.All() {
		if p == check.P12 {
			continue // worlds have no versions to index; broken stores and histories break it in storetest and check
		}
		names = append(names, string(p))
	}
	return names
}

// hunted is what became of a mutant.
type hunted struct {
	mutant mutants.Mutant
	needed int      // schedules
	last   string   // the schedule that was played last
	found  []string // promises and rules that it shows broken; nil: the mutant has survived
}

// hunt plays schedules until one shows the promise broken.
func hunt(t *testing.T, m mutants.Mutant) hunted {
	t.Helper()
	directed := AllDirected()
	last := ""
	for n := range m.Within {
		var s world.Schedule
		if n < len(directed) {
			s, last = directed[n].Schedule, fmt.Sprintf("directed %d", n+1)
		} else {
			seed := uint64(n - len(directed))
			s, last = lab().Random(seed), fmt.Sprintf("random, seed %d", seed)
		}
		broken := lab()
		broken.Wiring = m.Wire()
		v := broken.Play(t, s, uint64(n))
		if slices.Contains(v.Names(), m.Breaks) && lab().Play(t, s, uint64(n)).Broken == nil {
			return hunted{m, n + 1, last, v.Names()}
		}
	}
	return hunted{m, m.Within, last, nil}
}

// tableOf is the table for people.
func tableOf(rows []hunted) string {
	var text strings.Builder
	table := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "mutant\tneeded\tbound\tschedule\tverdict\tpromises and rules broken")
	survivors, most := 0, 0
	for _, h := range rows {
		verdict := "found"
		if h.found == nil {
			verdict = "SURVIVES"
			survivors++
		}
		most = max(most, h.needed)
		fmt.Fprintf(table, "%s\t%d\t%d\t%s\t%s\t%s\n", h.mutant.Name, h.needed, h.mutant.Within, h.last, verdict, strings.Join(h.found, " "))
	}
	_ = table.Flush() // into memory
	fmt.Fprintf(&text, "\n%d mutants, %d survive; needed: schedules until one shows what the mutant is said to break, at most %d.\n"+
		"The first %d schedules are directed, one for each cell of the decision table and its neighbours; the others are drawn from a seed.\n",
		len(rows), survivors, most, len(AllDirected()))
	return text.String()
}

// TestMutantNames: each mutant has a name and an explanation of its own.
func TestMutantNames(t *testing.T) {
	var names []string
	for _, m := range mutants.All() {
		if m.Name == "" || m.Breaks == "" || m.Wrong == "" || m.Within <= 0 || m.Wire == nil {
			t.Errorf("mutant %q is not complete", m.Name)
		}
		if slices.Contains(names, m.Name) {
			t.Errorf("two mutants are named %q", m.Name)
		}
		names = append(names, m.Name)
	}
}
