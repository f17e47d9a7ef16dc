package worktask_test

import (
	"errors"
	"testing"
	"time"

	"github.com/replyonce/replyonce/shared/worktask"
)

// The walk-through of a restore: whoever held a version from before it is refused,
// although a claim after the restore could have been given the same one.
func TestRaiseRefusesWorkersFromBeforeARestore(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 29, 14, 0, 0, 0, time.UTC)
	timers := worktask.DefaultTimers()
	restored := worktask.NewTask(worktask.Ref{Workspace: "acme", Scope: "C#x", ID: "t"}, "reply", "alice", "{}", "g", worktask.RetryUnknown, at, timers)
	claimed := func(task worktask.Task, id string) (worktask.Task, worktask.Assignment) {
		t.Helper()
		claim := worktask.Claim{AssignmentID: id, Now: at, LeaseUntil: at.Add(timers.Lease), Margin: timers.SkewMargin, Reserve: timers.LeaseReserve}
		if err := claim.Permitted(task); err != nil {
			t.Fatal(err)
		}
		task = claim.Apply(task)
		a, ok := worktask.AssignmentOf(task, id)
		if !ok {
			t.Fatal("no assignment")
		}
		return task, a
	}
	_, old := claimed(restored, "A") // is forgotten by the restore
	complete := func(a worktask.Assignment) worktask.Completion {
		return a.Complete(at.Add(time.Second), worktask.Result{Body: "{}"}, worktask.Report{})
	}

	without, _ := claimed(restored, "B")
	if err := complete(old).Permitted(without); err != nil {
		t.Errorf("without a raise the danger is not there: %v", err)
	}
	raise := worktask.RaiseOf(restored, 1_000_000)
	if err := raise.Permitted(restored); err != nil {
		t.Fatal(err)
	}
	raised := raise.Apply(restored)
	with, current := claimed(raised, "B")
	if err := complete(old).Permitted(with); !errors.Is(err, worktask.ErrStaleAssignment) {
		t.Errorf("the old worker: %v, want a stale assignment", err)
	}
	if err := complete(current).Permitted(with); err != nil {
		t.Errorf("the new worker: %v", err)
	}
	if err := raise.Permitted(raised); !errors.Is(err, worktask.ErrStaleAssignment) || !raise.Mine(raised, at) || raise.Mine(restored, at) {
		t.Errorf("a repeat of the raise: %v", err)
	}
	ended := complete(current).Apply(with)
	if err := worktask.RaiseOf(ended, 1).Permitted(ended); !errors.Is(err, worktask.ErrAlreadyCompleted) {
		t.Errorf("a raise of an ended task: %v", err)
	}
	if err := worktask.RaiseOf(restored, 0).Permitted(restored); err == nil {
		t.Error("a raise by nothing is permitted")
	}
}

// A task that was given back is shown as given back after the raise, too.
func TestRaiseKeepsWhatEndedTheLastAttempt(t *testing.T) {
	t.Parallel()
	given := worktask.Task{Status: worktask.Pending, AssignmentVersion: 3, ReleasedVersion: 3}
	if after := worktask.RaiseOf(given, 100).Apply(given); after.ReleasedVersion != 103 || after.AssignmentVersion != 103 {
		t.Errorf("given back: %+v", after)
	}
	lost := worktask.Task{Status: worktask.Running, AssignmentVersion: 3, ReleasedVersion: 2}
	if after := worktask.RaiseOf(lost, 100).Apply(lost); after.ReleasedVersion != 2 {
		t.Errorf("lost: %+v", after)
	}
}
