package worktask_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/replyonce/replyonce/shared/worktask"
)

// limited is an accepted task that may cost 2,500 with calls of at most 1,000.
func limited() worktask.Task {
	t := accepted()
	t.Money = worktask.NewMoney(2500, 1000)
	return t
}

func claimMoneyAs(id string, now time.Time) worktask.Claim {
	c := claimAs(id, now)
	c.Money = true
	return c
}

var costs300 = worktask.Report{Cost: worktask.Cost{Known: true, Micros: 300}}

// TestMoneyOfEachWrite: what each write takes or gives back, and that no other
// write moves money. The claim has left 1,500 of 2,500.
func TestMoneyOfEachWrite(t *testing.T) {
	t.Parallel()
	now := t0.Add(time.Second)
	own := apply(t, limited(), claimMoneyAs(mine, t0))
	a := assignment(t, own, mine)
	saved := apply(t, own, a.SaveOperation(now, "op"))
	expired := saved
	expired.LeaseExpiresAt = now.Add(-timers.SkewMargin)
	lookup := worktask.LookupClaim{AssignmentID: theirs, Now: now, LeaseUntil: now.Add(timers.Lease), Margin: timers.SkewMargin}
	looking := apply(t, expired, lookup)
	l := assignment(t, looking, theirs)
	overrun := worktask.Report{Cost: worktask.Cost{Known: true, Micros: 1200}}
	late := own
	late.LeaseExpiresAt, late.Deadline = t0, now
	release := func(a worktask.Assignment, mode worktask.ReleaseMode, r worktask.Report) worktask.Transition {
		return a.Release(now, mode, now, now, r)
	}
	for _, c := range []struct {
		name string
		on   worktask.Task
		tr   worktask.Transition
		left int64
	}{
		{"claim", limited(), claimMoneyAs("x", now), 1500},
		{"begin", own, a.Begin(now), 1500},
		{"renew", own, a.Renew(now, now.Add(timers.Lease)), 1500},
		{"save operation", own, a.SaveOperation(now, "op"), 1500},
		{"look-up takes none", expired, lookup, 1500},
		{"cancel", own, worktask.Cancel{Now: now}, 1500},
		{"end", late, worktask.End{Reason: worktask.DeadlineOver, Now: now}, 1500},
		{"bump", own, worktask.Bump{Seen: own.HandoffDueAt, Due: now}, 1500},
		{"completed at its price", own, a.Complete(now, worktask.Result{Body: "x"}, costs300), 2200},
		{"completed, price not known", own, a.Complete(now, worktask.Result{Body: "x"}, worktask.Report{}), 1500},
		{"completed beyond the worst case", own, a.Complete(now, worktask.Result{Body: "x"}, overrun), 1300},
		{"failed, end seen", own, a.Fail(now, worktask.Declined, true, costs300), 2200},
		{"failed, end seen, price not known", own, a.Fail(now, worktask.Declined, true, worktask.Report{}), 1500},
		{"failed, end unknown", own, a.Fail(now, worktask.OutcomeUnknown, false, costs300), 1500},
		{"rejected", own, release(a, worktask.ReleaseRejected, worktask.Report{}), 2500},
		{"empty", own, release(a, worktask.ReleaseFailed, costs300), 2200},
		{"empty, price not known", own, release(a, worktask.ReleaseFailed, worktask.Report{}), 1500},
		{"unknown", own, release(a, worktask.ReleaseUnknown, costs300), 1500},
		{"operation goes on", looking, release(l, worktask.ReleaseLookup, worktask.Report{}), 1500},
		{"operation is lost", looking, release(l, worktask.ReleaseLookupLost, worktask.Report{}), 1500},
		{"operation was not executed", looking, release(l, worktask.ReleaseRejected, worktask.Report{}), 2500},
		{"operation ended empty", looking, release(l, worktask.ReleaseFailed, costs300), 2200},
		{"operation is answered", looking, l.Complete(now, worktask.Result{Body: "x"}, costs300), 2200},
	} {
		after := apply(t, c.on, c.tr)
		if after.Money.Left != c.left || after.Money.Limit != 2500 || after.Money.Call != 1000 {
			t.Errorf("%s: money %+v, want %d left", c.name, after.Money, c.left)
		}
	}
}

// TestMoneyOfTheDecisionTable: claims and ends at the limit, one millionth below
// it, and where money is not counted.
func TestMoneyOfTheDecisionTable(t *testing.T) {
	t.Parallel()
	now := t0.Add(time.Second)
	of := func(left int64, change func(*worktask.Task)) worktask.Task {
		task := limited()
		task.Money.Left = left
		if change != nil {
			change(&task)
		}
		return task
	}
	saved := func(t *worktask.Task) { t.OperationID = "op" }
	expired := func(t *worktask.Task) {
		t.Status, t.AssignmentID, t.AssignmentVersion, t.LeaseExpiresAt = worktask.Running, theirs, 1, now.Add(-timers.SkewMargin)
	}
	held := func(t *worktask.Task) { expired(t); t.LeaseExpiresAt = now.Add(time.Second) }
	end := worktask.End{Reason: worktask.BudgetExhausted, By: worktask.EndedByWorker, Now: now, Margin: timers.SkewMargin}
	for _, c := range []struct {
		name                    string
		task                    worktask.Task
		claim, otherForm, ended error
	}{
		{"enough", of(1000, nil), nil, worktask.ErrMoneyForm, worktask.ErrNotOver},
		{"one millionth short", of(999, nil), worktask.ErrOver, worktask.ErrOver, nil},
		{"short, operation saved", of(0, saved), worktask.ErrOperationSaved, worktask.ErrOperationSaved, worktask.ErrNotOver},
		{"short, worker lost", of(999, expired), worktask.ErrOver, worktask.ErrOver, nil},
		{"short, worker works", of(0, held), worktask.ErrLeaseHeld, worktask.ErrLeaseHeld, worktask.ErrLeaseHeld},
		{"enough, worker lost", of(1000, expired), nil, worktask.ErrMoneyForm, worktask.ErrNotOver},
		{"not counted", accepted(), worktask.ErrMoneyForm, nil, worktask.ErrNotOver},
	} {
		for name, got := range map[string]struct{ got, want error }{
			"claim":      {claimMoneyAs(mine, now).Permitted(c.task), c.claim},
			"other form": {claimAs(mine, now).Permitted(c.task), c.otherForm},
			"end":        {end.Permitted(c.task), c.ended},
		} {
			if !errors.Is(got.got, got.want) || got.want == nil && got.got != nil {
				t.Errorf("%s, %s: %v, want %v", c.name, name, got.got, got.want)
			}
		}
		if found, over := worktask.EndFor(c.task, worktask.EndedByWorker, now, timers.SkewMargin); over && found.Permitted(c.task) != nil && c.ended == nil {
			t.Errorf("%s: EndFor gives %+v, which is refused", c.name, found)
		}
	}
	for _, c := range []struct {
		task worktask.Task
		want worktask.Reason
	}{
		{of(0, nil), worktask.BudgetExhausted},
		{of(0, saved), ""},
		{of(0, func(t *worktask.Task) { t.Budget.CallsLeft = 0 }), worktask.AttemptsExhausted},
		{of(1000, nil), ""},
	} {
		if end, over := worktask.EndFor(c.task, worktask.EndedByWorker, now, 0); end.Reason != c.want || over != (c.want != "") {
			t.Errorf("ends for %q, want %q", end.Reason, c.want)
		}
	}
}

// TestDecideWithoutMoney: a retry that could not be paid is not begun.
func TestDecideWithoutMoney(t *testing.T) {
	t.Parallel()
	now := t0.Add(time.Second)
	last := limited()
	last.Money.Left = 1999 // 999 after the claim
	last = apply(t, last, claimMoneyAs(mine, t0))
	a := assignment(t, last, mine)
	for _, c := range []struct {
		outcome worktask.Outcome
		status  worktask.Status
		reason  worktask.Reason
		left    int64
	}{
		{worktask.Outcome{Kind: worktask.Ambiguous}, worktask.Failed, worktask.OutcomeUnknown, 999},
		{worktask.Outcome{Kind: worktask.Retryable}, worktask.Failed, worktask.BudgetExhausted, 999},
		{worktask.Outcome{Kind: worktask.Retryable, Reason: worktask.EmptyReply}, worktask.Failed, worktask.EmptyReply, 999},
		{worktask.Outcome{Kind: worktask.Retryable, Report: costs300}, worktask.Pending, "", 1699},
		{worktask.Outcome{Kind: worktask.Rejected}, worktask.Pending, "", 1999},
	} {
		after := apply(t, last, worktask.Decide(last, a, c.outcome, now, timers, noJitter))
		if after.Status != c.status || after.FailureReason != c.reason || after.Money.Left != c.left {
			t.Errorf("%+v: %s %q, %d left; want %s %q, %d", c.outcome, after.Status, after.FailureReason, after.Money.Left, c.status, c.reason, c.left)
		}
		if after.Status == worktask.Pending && !after.Money.Covers() {
			t.Errorf("%+v: released without the money for a call", c.outcome)
		}
	}
}

// TestMoneyIsNeverRefilled: however attempts end, what was taken in all is never
// less than what calls may have cost, and never more than the limit.
func TestMoneyIsNeverRefilled(t *testing.T) {
	t.Parallel()
	task, now, charged := limited(), t0, int64(0)
	task.Budget = worktask.NewBudget(100, 100, 100)
	for i := 0; ; i++ {
		id := fmt.Sprintf("claim-%d", i)
		claim := claimMoneyAs(id, now)
		if err := claim.Permitted(task); err != nil {
			if !errors.Is(err, worktask.ErrOver) {
				t.Fatal(err)
			}
			break
		}
		task = apply(t, task, claim)
		switch i % 3 { // a dead worker, an empty answer, a rejection
		case 0:
			charged += task.Money.Call
			now = now.Add(timers.Lease + timers.SkewMargin)
		case 1:
			charged += 300
			task = apply(t, task, assignment(t, task, id).Release(now, worktask.ReleaseFailed, now, now.Add(time.Minute), costs300))
		default:
			task = apply(t, task, assignment(t, task, id).Release(now, worktask.ReleaseRejected, now, now.Add(time.Minute), worktask.Report{}))
		}
		if task.Money.Taken() < charged || task.Money.Taken() > task.Money.Limit {
			t.Fatalf("after %d claims %d of %d are taken, and %d may be charged", i+1, task.Money.Taken(), task.Money.Limit, charged)
		}
	}
	if charged != 2300 {
		t.Errorf("%d were spent before the end, want 2300", charged)
	}
}

func TestMoneyThatIsNotCounted(t *testing.T) {
	t.Parallel()
	for _, m := range []worktask.Money{{}, worktask.NewMoney(0, 5), worktask.NewMoney(-1, 5)} {
		if m.Counted() || !m.Covers() || m != (worktask.Money{}) {
			t.Errorf("%+v counts", m)
		}
	}
	own := apply(t, accepted(), claimAs(mine, t0))
	done := apply(t, own, assignment(t, own, mine).Complete(t0, worktask.Result{Body: "x"}, costs300))
	if done.Money != (worktask.Money{}) {
		t.Errorf("money %+v on a task that counts none", done.Money)
	}
}
