package chaos

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/replyonce/replyonce/infra/local/texttable"
	"github.com/replyonce/replyonce/shared/history/check"
)

// Table is the result for a terminal: what was done, what came of it, and the
// verdict on each promise.
func (r Result) Table() string {
	var out strings.Builder
	out.WriteString(texttable.Format(slices.Concat([][]string{{"what", "number", "of these"}}, r.rows())))
	out.WriteString("\n")
	out.WriteString(texttable.Format(r.spans()))
	out.WriteString("\n")
	out.WriteString(texttable.Format(verdicts(r.Report)))
	for _, d := range r.Deviations {
		fmt.Fprintf(&out, "✗ %s\n", d)
	}
	for i, f := range r.Report.Findings() {
		if i == findingsShown {
			fmt.Fprintf(&out, "✗ … and %d more findings\n", len(r.Report.Findings())-i)
			break
		}
		fmt.Fprintf(&out, "✗ %s\n", f)
	}
	out.WriteString("\n" + r.summary() + "\n")
	return out.String()
}

// findingsShown bounds how many findings are printed; the file has them all.
const findingsShown = 12

func (r Result) rows() [][]string {
	t := r.tally
	statuses, reasons := r.ends()
	recorded, unknown := r.calls()
	count := func(what string, n int, of string) []string { return []string{what, strconv.Itoa(n), of} }
	kind := func(what string, kinds ...Kind) []string {
		of := r.of(kinds...)
		return count(what, sum(of), listed(of))
	}
	return [][]string{
		count("tasks", len(t.tasks), listed(statuses)),
		count("keys submitted", t.submits, fmt.Sprintf("%d repeats of these, of which one each to read back", t.repeats)),
		count("processes killed", sum(t.killed), listed(t.killed)),
		count("processes frozen", sum(t.frozen), listed(t.frozen)),
		kind("killed at a request", KillBefore, KillAfter),
		kind("writes held back with their sender", HoldWrite),
		kind("messages duplicated", Duplicate, Copy),
		kind("messages delayed", Delay),
		kind("acknowledgements lost", LoseAnswer),
		kind("connections cut", Cut),
		kind("requests turned away", Deny),
		count("clocks stepped", sum(t.wrong), listed(t.wrong)),
		count("takeovers", t.takeovers, ""),
		count("late writes refused", sum(t.refused), listed(t.refused)),
		count("claims refused", t.claimsRefused, ""),
		count("answers kept as evidence", t.evidence, ""),
		count("failures", sum(reasons), listed(reasons)),
		count("provider calls recorded", recorded, fmt.Sprintf("%d sent by the provider's own log, %d with unknown outcome", r.sent.Requests, unknown)),
	}
}

// of counts the faults of some kinds that have happened, by what they met.
func (r Result) of(kinds ...Kind) map[string]int {
	counts := map[string]int{}
	for w, n := range r.faults {
		if !slices.Contains(kinds, w.kind) {
			continue
		}
		name := string(w.op)
		switch {
		case w.op == "" && w.kind == Copy:
			name = "copy in the queue"
		case w.op == "" && w.kind == Duplicate:
			name = "delivered twice at once"
		case w.op == "":
			name = ""
		case w.kind == KillBefore:
			name = "before " + name
		case w.kind == KillAfter:
			name = "after " + name
		}
		counts[name] += n
	}
	return counts
}

// listed names counts, the largest first.
func listed[K ~string](counts map[K]int) string {
	names := slices.SortedFunc(maps.Keys(counts), func(a, b K) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b))
	})
	var parts []string
	for _, name := range names {
		if name != "" {
			parts = append(parts, fmt.Sprintf("%s %d", name, counts[name]))
		}
	}
	return strings.Join(parts, ", ")
}

// spans is the table of times.
func (r Result) spans() [][]string {
	row := func(what string, list []time.Duration, note string) []string {
		at := func(q float64) string { return seconds(quantile(list, q)) }
		return []string{what, strconv.Itoa(len(list)), at(0.5), at(0.99), at(1), note}
	}
	t := r.tally
	aim := func(list []time.Duration) string {
		mark := "✓"
		switch {
		case len(list) == 0:
			mark = "–"
		case quantile(list, 0.99) > r.aim():
			mark = "✗"
		}
		return fmt.Sprintf("%s aim: p99 at most %s", mark, r.aim())
	}
	return [][]string{
		{"from the crash of a worker that held a task", "number", "p50 s", "p99 s", "longest s", ""},
		row("to takeover, clocks right, dispatcher unharmed", t.spans(false), aim(t.spans(false))),
		row("to takeover, all", t.spans(true), fmt.Sprintf("%s; besides %d ended by a write that was under way, %d given up, %d cancelled", aim(t.spans(true)), t.crashed(landed), t.crashed(givenUp), t.crashed(cancelled))),
		{"latest end of a task, after its deadline", "", "", "", seconds(max(t.latest, 0)), fmt.Sprintf("recovery interval %s, clocks off by up to %s", r.timers.RecoveryInterval(), time.Duration(r.History.Header.Limits.SkewMS)*time.Millisecond)},
		{"longest stall of this machine", "", "", "", seconds(r.stall), ""},
	}
}

func seconds(d time.Duration) string { return strconv.FormatFloat(d.Seconds(), 'f', 2, 64) }

func verdicts(report check.Report) [][]string {
	rows := [][]string{{"promise", "", "cases", ""}}
	for _, v := range report.Verdicts {
		mark := "✗"
		switch v.Status() { //nolint:exhaustive // the others are bad
		case check.Kept:
			mark = "✓"
		case check.NotSeen:
			mark = "–"
		}
		rows = append(rows, []string{string(v.Promise), v.Title, strconv.Itoa(v.Cases), mark + " " + string(v.Status())})
	}
	return rows
}

func (r Result) summary() string {
	run := fmt.Sprintf("%d tasks, %d faults, %.0f s, seed %d", len(r.tally.tasks), sum(r.faults), r.Took.Seconds(), r.options.Seed)
	if r.Good() {
		return "every promise held: " + run
	}
	return fmt.Sprintf("NOT as it must be (%d deviations, %d findings): %s", len(r.Deviations), len(r.Report.Findings()), run)
}
