package simulation

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

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
	lines := make([]string, len(all))
	named := map[string]bool{}
	var mu sync.Mutex
	for i, m := range all {
		t.Run(m.Name, func(t *testing.T) {
			t.Parallel()
			n, v := hunt(t, m)
			found := strings.Join(v.Names(), " ")
			if v.Broken == nil {
				found = "NOT FOUND"
				t.Errorf("not found in %d schedules: %s", n, m.Wrong)
			}
			mu.Lock()
			defer mu.Unlock()
			for _, name := range v.Names() {
				named[name] = true
			}
			lines[i] = fmt.Sprintf("%-50s %6d of %5d  %-45s %s", m.Name, n, m.Within, found, m.Wrong)
		})
	}
	t.Cleanup(func() {
		for _, name := range judged() {
			if !named[name] {
				t.Errorf("no mutant breaks %s", name)
			}
		}
		if *mutantTable {
			fmt.Printf("%-50s %6s    %5s  %-45s %s\n%s\n", "mutant", "needed", "bound", "found by", "what it does", strings.Join(lines, "\n"))
		}
	})
}

// judged are the names of all promises and rules: what no mutant can break is
// decided by nobody.
func judged() []string {
	names := rules.All()
	for _, p := range check.All() {
		names = append(names, string(p))
	}
	return names
}

// hunt plays schedules until one shows the promise broken.
func hunt(t *testing.T, m mutants.Mutant) (n int, found Verdict) {
	t.Helper()
	directed := AllDirected()
	for n = range m.Within {
		var s world.Schedule
		if n < len(directed) {
			s = directed[n].Schedule
		} else {
			s = lab().Random(uint64(n - len(directed)))
		}
		broken := lab()
		broken.Wiring = m.Wire()
		v := broken.Play(t, s, uint64(n))
		if slices.Contains(v.Names(), m.Breaks) && lab().Play(t, s, uint64(n)).Broken == nil {
			return n + 1, v
		}
	}
	return m.Within, Verdict{}
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
