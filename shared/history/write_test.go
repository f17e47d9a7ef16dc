package history_test

import (
	"testing"
	"time"

	"github.com/replyonce/replyonce/shared/history"
	"github.com/replyonce/replyonce/shared/worktask"
)

// TestWritesComeBackAsTheTransitionsTheyWere holds the recorded inputs against
// the engine: what a recorded write does to a recorded item is what the
// transition did to the task.
func TestWritesComeBackAsTheTransitionsTheyWere(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 29, 14, 0, 0, 0, time.UTC)
	timers := worktask.DefaultTimers()
	pending := worktask.NewTask(worktask.Ref{Workspace: "acme", Scope: "C#1", ID: "T"}, "reply", "alice", "{}", "req", worktask.StopUnknown, now, timers)
	claim := worktask.Claim{AssignmentID: "a1", Now: now, LeaseUntil: now.Add(timers.Lease), Margin: timers.SkewMargin, Reserve: timers.LeaseReserve}
	running := claim.Apply(pending)
	a, ok := worktask.AssignmentOf(running, "a1")
	if !ok {
		t.Fatal("no assignment")
	}
	withOperation := a.SaveOperation(now, "op").Apply(running)
	lookupPending := withOperation
	lookupPending.Status = worktask.Pending
	lookup := worktask.LookupClaim{AssignmentID: "a2", Now: now, LeaseUntil: now.Add(timers.Lease), Margin: timers.SkewMargin}
	lookedUp := lookup.Apply(lookupPending)
	l, _ := worktask.AssignmentOf(lookedUp, "a2")
	over := running
	over.Deadline = now
	over.LeaseExpiresAt = now.Add(-time.Hour)
	report := worktask.Report{Tokens: worktask.Tokens{Input: 3, Output: 4}, ProviderRequestID: "p"}
	cases := []struct {
		before worktask.Task
		tr     worktask.Transition
	}{
		{pending, claim},
		{lookupPending, lookup},
		{running, a.Begin(now)},
		{running, a.Renew(now, now.Add(time.Minute))},
		{running, a.SaveOperation(now, "op")},
		{running, a.Complete(now, worktask.Result{Body: "answer"}, report)},
		{running, a.Complete(now, worktask.Result{ObjectKey: "k", Bytes: 5, SHA256: "ff"}, report)},
		{running, a.Fail(now, worktask.Declined, true, report)},
		{running, a.Fail(now, worktask.OutcomeUnknown, false, report)},
		{running, a.Release(now, worktask.ReleaseRejected, now.Add(time.Second), now.Add(time.Minute), report)},
		{lookedUp, l.Release(now, worktask.ReleaseRejected, now.Add(time.Second), now.Add(time.Minute), report)},
		{over, worktask.End{Reason: worktask.DeadlineOver, By: worktask.EndedByDispatcher, Now: now, Margin: timers.SkewMargin}},
		{running, worktask.Cancel{Now: now}},
		{pending, worktask.Bump{Seen: pending.HandoffDueAt, Due: now.Add(time.Hour)}},
	}
	for _, c := range cases {
		w, err := history.WriteOf(c.tr)
		if err != nil {
			t.Fatal(err)
		}
		ref := history.RefOf(c.before.Ref)
		engine, err := w.Engine(ref)
		if err != nil {
			t.Fatal(err)
		}
		if err := c.tr.Permitted(c.before); err != nil {
			t.Fatalf("%s is not permitted: %v", c.tr.Name(), err)
		}
		before, want := history.ItemOf(c.before), history.ItemOf(c.tr.Apply(c.before))
		if err := engine.Permitted(before.Task(ref)); err != nil {
			t.Errorf("%s: recorded and refused: %v", c.tr.Name(), err)
		}
		if got := engine.Apply(before.Task(ref)); got != want.Task(ref) {
			t.Errorf("%s: recorded write gives\n%+v\nwant\n%+v", c.tr.Name(), got, want.Task(ref))
		}
	}
}

type imitation struct{ worktask.Transition }

func (i imitation) Original() worktask.Transition { return i.Transition }

type foreign struct{ worktask.Transition }

func TestImitationsAreRecordedAsWhatTheyStandFor(t *testing.T) {
	t.Parallel()
	cancel := worktask.Cancel{Now: time.UnixMilli(1)}
	w, err := history.WriteOf(imitation{cancel})
	if want := (history.Write{Transition: history.Cancel, Now: 1}); err != nil || w != want {
		t.Errorf("WriteOf = %+v, %v", w, err)
	}
	if w, err := history.WriteOf(foreign{cancel}); err == nil {
		t.Errorf("an unknown transition was recorded as %+v", w)
	}
}
