package demo

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/replyonce/replyonce/infra/demo/check"
	"github.com/replyonce/replyonce/infra/local/texttable"
	"github.com/replyonce/replyonce/shared/worktask"
)

// Row is what a scenario came to.
type Row struct {
	Scenario   string
	Status     worktask.Status
	Tasks      int             // that its conversation has
	Requests   int             // by the provider's own log
	Calls      int             // recorded on the task
	Unknown    int             // calls with an end that nobody saw
	Tokens     worktask.Tokens // that the provider reported, on the tasks and with refused answers
	Replies    int             // saved
	Refused    int             // writes and claims that workers log as refused
	Version    int64           // of the assignment
	Took       time.Duration
	Deviations []string
}

// outcome reads what the scene came to, from the table, the workers' logs and the provider's log.
func (s *scene) outcome(ctx context.Context) (Row, error) {
	row := Row{Scenario: s.scenario.title, Requests: s.provider.requests(s.question)}
	page, err := s.entries(ctx, s)
	if err != nil {
		return row, err
	}
	row.Tasks = len(page.Tasks)
	for _, task := range page.Tasks {
		row.Status, row.Version = task.Status, task.AssignmentVersion
		row.Calls += task.Budget.Calls()
		row.Unknown += task.UnknownCalls()
		if row.Tokens, err = s.spent(ctx, row.Tokens, task); err != nil {
			return row, err
		}
		if task.Result.Present() {
			row.Replies++
		}
		for _, line := range s.lines.All() {
			if line.Task == task.ID && (line.Message == check.LineRefused || line.Message == check.LineHeld) {
				row.Refused++
			}
		}
	}
	row.Deviations = s.scenario.want.compare(row)
	return row, nil
}

// spent adds the tokens of a task: those of its calls, and those of answers that were
// refused and are paid for all the same.
func (s *scene) spent(ctx context.Context, sum worktask.Tokens, task worktask.Task) (worktask.Tokens, error) {
	refused, err := s.store.ListEvidence(ctx, task.Ref)
	if err != nil {
		return sum, fmt.Errorf("read evidence: %w", err)
	}
	for _, e := range refused {
		sum = sum.Add(e.Tokens)
	}
	return sum.Add(task.Tokens), nil
}

// compare lists in what the row is not as wanted.
func (w want) compare(row Row) []string {
	var deviations []string
	differs := func(what string, got, want any) {
		if got != want {
			deviations = append(deviations, fmt.Sprintf("%s: %v, want %v", what, got, want))
		}
	}
	replies := 0
	if w.status == worktask.Completed {
		replies = 1
	}
	differs("tasks", row.Tasks, 1)
	differs("status", row.Status, w.status)
	differs("saved replies", row.Replies, replies)
	differs("provider calls", row.Requests, w.requests)
	differs("calls on the task", row.Calls, w.calls)
	differs("calls with an unknown end", row.Unknown, w.unknown)
	differs("assignment version", row.Version, w.version)
	if row.Refused < w.refused {
		deviations = append(deviations, fmt.Sprintf("refused writes: %d, want %d at least", row.Refused, w.refused))
	}
	return deviations
}

// String is the row as the last line of its scenario.
func (r Row) String() string {
	return fmt.Sprintf("%s at assignment %d; tasks: %d, saved replies: %d, calls on the task: %d (unknown: %d), at the provider: %d",
		r.Status, r.Version, r.Tasks, r.Replies, r.Calls, r.Unknown, r.Requests)
}

// tableOf lays the rows out, and lists below it in what they are not as wanted.
func tableOf(rows []Row) string {
	cells := [][]string{{"#", "scenario", "tasks", "provider calls", "task calls", "unknown", "tokens in, out", "replies", "refused", "version", "seconds", "verdict"}}
	var deviations strings.Builder
	for i, r := range rows {
		verdict := "✓"
		if len(r.Deviations) > 0 {
			verdict = "✗"
		}
		for _, deviation := range r.Deviations {
			fmt.Fprintf(&deviations, "✗ %d. %s: %s\n", i+1, r.Scenario, deviation)
		}
		cells = append(cells, []string{
			strconv.Itoa(i + 1), r.Scenario, strconv.Itoa(r.Tasks), strconv.Itoa(r.Requests), strconv.Itoa(r.Calls), strconv.Itoa(r.Unknown),
			fmt.Sprintf("%d, %d", r.Tokens.Input, r.Tokens.Output),
			strconv.Itoa(r.Replies), strconv.Itoa(r.Refused), strconv.FormatInt(r.Version, 10), strconv.FormatFloat(r.Took.Seconds(), 'f', 1, 64), verdict,
		})
	}
	return texttable.Format(cells) + legend + deviations.String()
}

// legend explains the columns.
const legend = `
provider calls: requests in the provider's own log. task calls: calls recorded on the task, and unknown: those whose end nobody saw.
tokens: what the provider reported of the task's calls and of answers that were refused. replies: saved ones. refused: writes and claims that workers log as refused. version: of the last assignment.
`

// maxBroken is how much is listed against one promise.
const maxBroken = 8

// promisesText lists the promises and what was found against them.
func promisesText(promises []check.Promise) string {
	var out strings.Builder
	for _, p := range promises {
		mark := "✓"
		if !p.Held() {
			mark = "✗"
		}
		fmt.Fprintf(&out, "%s %s %s (%s)\n", mark, texttable.Pad(p.ID, 3), p.Text, p.Seen)
		for i, broken := range p.Broken {
			if i == maxBroken {
				fmt.Fprintf(&out, "        and %d more\n", len(p.Broken)-i)
				break
			}
			fmt.Fprintf(&out, "        %s\n", broken)
		}
	}
	return out.String()
}
