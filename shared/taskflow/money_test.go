package taskflow_test

import (
	"errors"
	"testing"
	"time"

	"github.com/replyonce/replyonce/shared/taskflow"
	"github.com/replyonce/replyonce/shared/worktask"
)

var priced = worktask.Report{Cost: worktask.Cost{Known: true, Micros: 300}}

// A worker expects what its deployment accepts. A task that was accepted before
// money was counted, or after it no longer was, is claimed in the other form.
func TestClaimFindsTheFormOfTheTask(t *testing.T) {
	t.Parallel()
	for _, money := range []worktask.Money{{}, worktask.NewMoney(2500, 1000)} {
		for _, expected := range []bool{false, true} {
			virtuallyFor(t, money, worktask.RetryUnknown, func(r *rig) {
				r.provider.then(ends(worktask.Outcome{Kind: worktask.Answered, Result: worktask.Result{Body: "because"}, Report: priced}))
				w := r.worker(nil)
				w.Money = expected
				r.wantAction(r.runOn(w), taskflow.Delete)
				got := r.wantTask(worktask.Completed, "", 1, 1)
				want := "claim complete"
				if expected != money.Counted() {
					want = "claim claim complete"
				}
				if writes := r.tasks.writes(); writes != want {
					t.Errorf("expected %t, counted %t: writes %s, want %s", expected, money.Counted(), writes, want)
				}
				if money.Counted() && got.Money.Taken() != 300 || !money.Counted() && got.Money != (worktask.Money{}) {
					t.Errorf("money %+v", got.Money)
				}
			})
		}
	}
}

// Two workers die with a call each; the third finds too little money for one more
// and ends the task, although attempts and calls are left.
func TestMoneyEndsTheTask(t *testing.T) {
	t.Parallel()
	virtuallyFor(t, worktask.NewMoney(1999, 1000), worktask.RetryUnknown, func(r *rig) {
		r.provider.then(ends(worktask.Outcome{Kind: worktask.Retryable, Report: priced}), answer("late", time.Hour))
		w := r.worker(nil)
		w.Money = true
		action := r.runOn(w)
		time.Sleep(action.After)
		r.wantTask(worktask.Pending, "", 1, 1)
		frozen := r.worker(nil)
		frozen.Money, frozen.Timers.RenewEvery = true, time.Hour // it renews nothing
		go r.runOn(frozen)
		time.Sleep(r.timers.Lease + r.timers.SkewMargin)
		r.runOn(w)
		got := r.task()
		if got.Status != worktask.Failed || got.Money.Left != 699 || got.Budget.CallsLeft == 0 || got.Budget.AttemptsLeft == 0 {
			t.Errorf("%s %s, money %+v, budget %+v", got.Status, got.FailureReason, got.Money, got.Budget)
		}
		if r.provider.made() != 2 {
			t.Errorf("%d calls", r.provider.made())
		}
		time.Sleep(2 * time.Hour)
	})
}

// A call that was not made has cost nothing.
func TestCallThatIsNotMadeCostsNothing(t *testing.T) {
	t.Parallel()
	virtuallyFor(t, worktask.NewMoney(2500, 1000), worktask.RetryUnknown, func(r *rig) {
		r.provider.prepare = &taskflow.PermanentError{Reason: worktask.DocumentUnreadable, Err: errors.New("the document is gone")}
		w := r.worker(nil)
		w.Money = true
		r.runOn(w)
		got := r.wantTask(worktask.Failed, worktask.DocumentUnreadable, 1, 0)
		if got.Money.Taken() != 0 {
			t.Errorf("%d were taken", got.Money.Taken())
		}
	})
}
