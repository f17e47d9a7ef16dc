// Package rules decides, on the record of a simulated run, what the promises
// rest on and do not name: rules of single writes that the engine keeps, said
// once more in other words. It is strict where package check must be lenient,
// because in a simulation the store's side of every write is recorded.
package rules

import (
	"fmt"
	"net/http"
	"time"

	"github.com/replyonce/replyonce/shared/history"
	"github.com/replyonce/replyonce/shared/worktask"
)

// Finding is a rule that was broken.
type Finding struct {
	Rule  string
	Event int64 // the event that shows it
	Text  string
}

func (f Finding) String() string { return fmt.Sprintf("%s: %s (#%d)", f.Rule, f.Text, f.Event) }

// The rules.
const (
	LeaseOrder     = "lease-order"     // a lease gets longer under its assignment, never shorter
	LeaseRespected = "lease-respected" // nobody takes or ends a task whose lease holds by the writer's clock
	ClaimedOnce    = "claimed-once"    // an assignment id is put on a task once
	PublishedOnce  = "published-once"  // a due time is moved by the one dispatcher that saw it
	RefusedRightly = "refused-rightly" // a write is refused only for something that the item shows
	KeyUsed        = "key-used"        // nobody is told that a key was used which made nothing
	ResultReadable = "result-readable" // a task can be read after everything was healed
	BudgetKept     = "budget-kept"     // requests, and what they may cost, stay within what accept has granted
)

// All lists the rules.
func All() []string {
	return []string{LeaseOrder, LeaseRespected, ClaimedOnce, PublishedOnce, RefusedRightly, KeyUsed, ResultReadable, BudgetKept}
}

// Check decides all rules.
func Check(h history.History) []Finding {
	c := checker{ids: map[string]int64{}, made: map[string]bool{}, budgets: map[history.Ref]*budget{}}
	for i := range h.Events {
		c.event(h, &h.Events[i])
	}
	return c.findings
}

type checker struct {
	findings []Finding
	ids      map[string]int64 // by task and assignment id: the event that put it there
	made     map[string]bool  // by address of the idempotency record
	budgets  map[history.Ref]*budget
	drained  bool
}

func (c *checker) broken(rule string, e *history.Event, format string, args ...any) {
	c.findings = append(c.findings, Finding{rule, e.Seq, fmt.Sprintf(format, args...)})
}

func (c *checker) event(h history.History, e *history.Event) {
	switch e.Kind { //nolint:exhaustive // the others are of no rule
	case history.Stored:
		c.stored(e)
	case history.WriteDone:
		c.refused(h, e)
	case history.Created:
		c.made[e.Creation.Record.Address()] = true
		c.granted(e)
	case history.CallSent, history.CallEnded, history.LookupEnded:
		c.called(e)
	case history.RequestAnswered:
		c.answered(h, e)
	case history.Drained:
		c.drained = true
	}
}

func (c *checker) stored(e *history.Event) {
	if e.Before == nil {
		return
	}
	w, before, after := e.Write, e.Before, e.After
	if b := c.budgets[e.Task]; b != nil && w.Transition == history.SaveOperation {
		b.operations[w.OperationID] = w.AssignmentID
	}
	if before.AssignmentID == after.AssignmentID && before.AssignmentVersion == after.AssignmentVersion && after.LeaseExpiresAt < before.LeaseExpiresAt {
		c.broken(LeaseOrder, e, "%s moved the end of the lease from %s back to %s", w.Transition, before.LeaseExpiresAt, after.LeaseExpiresAt)
	}
	margin := time.Duration(w.MarginMS) * time.Millisecond
	if (w.Claims() || w.Transition == history.End) && before.Status == string(worktask.Running) && w.Now < before.LeaseExpiresAt.Add(margin) {
		c.broken(LeaseRespected, e, "%s at %s, and the lease ends at %s", w.Transition, w.Now, before.LeaseExpiresAt)
	}
	if w.Claims() {
		id := string(e.Task) + " " + w.AssignmentID
		if first, known := c.ids[id]; known {
			c.broken(ClaimedOnce, e, "assignment %s was put on the task already by #%d", w.AssignmentID, first)
		}
		c.ids[id] = e.Seq
	}
	if w.Transition == history.Bump && w.SeenAt != before.HandoffDueAt {
		c.broken(PublishedOnce, e, "the due time was %s and its mover had seen %s", before.HandoffDueAt, w.SeenAt)
	}
}

// refused looks for a renewal or a completion that was refused although the
// item, as its sender was told it, lets it pass.
func (c *checker) refused(h history.History, e *history.Event) {
	if e.Outcome != history.RefusedBy || e.Item == nil {
		return
	}
	w, item := h.Events[e.Op-1].Write, e.Item
	holds := item.Status == string(worktask.Running) && item.AssignmentVersion == w.AssignmentVersion && w.Now < item.LeaseExpiresAt
	switch w.Transition {
	case history.Renew:
		holds = holds && item.LeaseExpiresAt < w.LeaseUntil
	case history.Complete:
		holds = holds && !item.Result.Present()
	default:
		return
	}
	if holds {
		c.broken(RefusedRightly, e, "%s of version %d was refused, and the item lets it pass", w.Transition, w.AssignmentVersion)
	}
}

func (c *checker) answered(h history.History, e *history.Event) {
	request, a := h.Events[e.Op-1].Request, e.Answer
	used := a.Replayed || a.Code == "idempotency_key_reused" || a.Code == "idempotency_window_over" || a.Code == "gone"
	if request.Key != "" && used && !c.made[request.Address()] {
		c.broken(KeyUsed, e, "%s was told %d %s for key %q, which had made nothing", request.Caller, a.Status, a.Code, request.Key)
	}
	if c.drained && request.Operation == history.OperationRead && a.Status != http.StatusOK {
		c.broken(ResultReadable, e, "reading task %s was answered by %d %s", e.Task, a.Status, a.Code)
	}
}
