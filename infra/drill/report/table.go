package report

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/replyonce/replyonce/infra/local/texttable"
)

// Table is the report for a terminal, with what is not as it must be below.
func (r Report) Table() string {
	rows := [][]string{{"drill", "what came out", "requests", "replies", "refused", "seconds", ""}}
	var wrong strings.Builder
	for _, d := range r.Drills {
		for _, a := range d.Acts {
			rows = append(rows, []string{
				name(d, a), shorten(a.Shown), strconv.Itoa(a.Calls), strconv.Itoa(a.Replies), a.refusals(),
				strconv.FormatFloat(a.Seconds, 'f', 1, 64), mark(a.Passed),
			})
			for _, text := range append(append([]string{}, a.Deviations...), few(a.Findings)...) {
				fmt.Fprintf(&wrong, "✗ %s: %s\n", name(d, a), text)
			}
		}
		for _, why := range d.Skipped {
			fmt.Fprintf(&wrong, "– %s not played: %s\n", d.ID, why)
		}
	}
	return texttable.Format(rows) + legend + wrong.String() + r.verdict()
}

// fewest is how many findings of one promise a terminal shows for an act.
const fewest = 3

// few leaves out what only repeats: a task that changed after its end is found
// again in every later read.
func few(findings []string) []string {
	var shown []string
	count := map[string]int{}
	for _, text := range findings {
		promise, _, _ := strings.Cut(text, " ")
		if count[promise]++; count[promise] <= fewest {
			shown = append(shown, text)
		}
	}
	for _, promise := range slices.Sorted(maps.Keys(count)) {
		if n := count[promise] - fewest; n > 0 {
			shown = append(shown, fmt.Sprintf("%s … and %d more like that: see the report", promise, n))
		}
	}
	return shown
}

const legend = `
what came out: the end of the tasks and the last assignment (each time a worker takes the task counts as one), requests that the provider
got by its own log, calls that the task recorded; an answer is lost when it did not reach the service. The report says what was expected.
replies: saved ones. refused: by the store, writes + claims (a claim is a worker's try to take the task).
`

// refusals are the refused writes and claims, for a column.
func (a Act) refusals() string {
	return fmt.Sprintf("%d + %d", a.Refused-a.RefusedClaims, a.RefusedClaims)
}

func name(d Drill, a Act) string {
	if a.Title == "" {
		return d.ID + " " + d.Name
	}
	return d.ID + " – " + a.Title
}

// longest is about what a line of a terminal has left for a text.
const longest = 66

func shorten(text string) string {
	if runes := []rune(text); len(runes) > longest {
		return string(runes[:longest-2]) + " …"
	}
	return text
}

func mark(passed bool) string {
	if passed {
		return "✓"
	}
	return "✗"
}

func (r Report) verdict() string {
	played, failed := 0, 0
	for _, d := range r.Drills {
		if d.Status != NotPlayed {
			played++
		}
		if d.Status == Failed {
			failed++
		}
	}
	if failed > 0 || played == 0 {
		return fmt.Sprintf("\nNOT as expected: %d of %d drills deviate, see the marks ✗ above (%.0f s)\n", failed, played, r.Seconds)
	}
	return fmt.Sprintf("\n%d drills went as expected, and every promise held in each (%.0f s, timers %q, %s)\n", played, r.Seconds, r.Profile, r.Machine)
}
