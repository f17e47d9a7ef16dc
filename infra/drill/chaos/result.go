package chaos

import (
	"slices"
	"time"

	"github.com/replyonce/replyonce/shared/history"
	"github.com/replyonce/replyonce/shared/history/check"
	"github.com/replyonce/replyonce/shared/providertest"
	"github.com/replyonce/replyonce/shared/worktask"
)

// Result is what a run came to.
type Result struct {
	Took       time.Duration
	Deviations []string // from what must be, beside the promises
	Report     check.Report
	History    history.History

	options Options
	timers  worktask.Timers
	tally   *tally
	faults  map[what]int
	presses []*press
	sent    providertest.Totals
	stall   time.Duration
}

// Good reports whether everything is as it must be.
func (r Result) Good() bool { return len(r.Deviations) == 0 && r.Report.Good() }

// aim is how long a task may wait for its next worker after a crash.
func (r Result) aim() time.Duration { return r.timers.Lease + 5*time.Second }

// Failing are the tasks that findings are about.
func (r Result) Failing() []history.Ref {
	var refs []history.Ref
	for _, f := range r.Report.Findings() {
		if f.Task != "" && !slices.Contains(refs, f.Task) {
			refs = append(refs, f.Task)
		}
	}
	return refs
}

// ends counts the ends of tasks as the API shows them.
func (r Result) ends() (statuses, reasons map[string]int) {
	statuses, reasons = map[string]int{}, map[string]int{}
	for _, p := range r.presses {
		task := p.shown()
		if task == nil {
			continue
		}
		statuses[task.Status]++
		if task.Failure != nil {
			reasons[task.Failure.Reason]++
		}
	}
	return statuses, reasons
}

// calls adds up what the tasks show of their spend.
func (r Result) calls() (recorded, unknown int) {
	for _, p := range r.presses {
		if task := p.shown(); task != nil {
			recorded += task.Spend.Calls
			unknown += task.Spend.CallsUnknown
		}
	}
	return recorded, unknown
}
