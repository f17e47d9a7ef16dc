package worktask_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/replyonce/replyonce/shared/worktask"
)

var (
	t0     = time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)
	timers = worktask.DefaultTimers()
	ref    = worktask.Ref{Workspace: "acme", Scope: "C#c", ID: "t"}
)

const (
	mine   = "claim-mine"
	theirs = "claim-theirs"
)

// state is a column of the decision table: how a task got there, and the
// assignment that the writer under test has.
type state struct {
	name string
	task worktask.Task
}

func accepted() worktask.Task {
	return worktask.NewTask(ref, "reply", "u", "{}", "req", worktask.RetryUnknown, t0, timers)
}

func apply(t *testing.T, task worktask.Task, tr worktask.Transition) worktask.Task {
	t.Helper()
	if err := tr.Permitted(task); err != nil {
		t.Fatalf("%s on %s: %v", tr.Name(), task.Status, err)
	}
	return tr.Apply(task)
}

func claimAs(id string, now time.Time) worktask.Claim {
	return worktask.Claim{
		AssignmentID: id, Now: now, LeaseUntil: now.Add(timers.Lease), Margin: timers.SkewMargin, Reserve: timers.LeaseReserve,
	}
}

func assignment(t *testing.T, task worktask.Task, id string) worktask.Assignment {
	t.Helper()
	a, ok := worktask.AssignmentOf(task, id)
	if !ok {
		t.Fatalf("task %s version %d is not assigned to %s", task.Status, task.AssignmentVersion, id)
	}
	return a
}

// TestDecisionTable checks every write against every state, refused pairs
// included. now is t0 + 1 s; a refused write must leave the reason named here.
func TestDecisionTable(t *testing.T) {
	t.Parallel()
	now := t0.Add(time.Second)
	own := apply(t, accepted(), claimAs(mine, t0))
	a := assignment(t, own, mine)

	early := accepted()
	early.NextAttemptAt = now.Add(time.Millisecond)
	spent := accepted()
	spent.Budget.AttemptsLeft = 0
	late := accepted()
	late.Deadline = now
	stopOpen := accepted()
	stopOpen.OnUnknown, stopOpen.CallOpen = worktask.StopUnknown, true
	operation := accepted()
	operation.OperationID = "op"
	waits := accepted()
	waits.WaitsFor = "a version"
	other := apply(t, accepted(), claimAs(theirs, t0))
	taken := own
	taken.LeaseExpiresAt = t0
	taken.Deadline = t0.Add(time.Hour)
	taken = apply(t, taken, claimAs(theirs, t0.Add(timers.SkewMargin)))
	begun := apply(t, own, a.Begin(now))
	inMargin := own
	inMargin.LeaseExpiresAt = now
	expired := own
	expired.LeaseExpiresAt = now.Add(-timers.SkewMargin)
	completed := apply(t, own, a.Complete(now, worktask.Result{Body: "x"}, worktask.Report{}))
	failed := apply(t, own, a.Fail(now, worktask.Declined, true, worktask.Report{}))
	cancelled := apply(t, own, worktask.Cancel{Now: now})
	released := apply(t, own, a.Release(now, worktask.ReleaseUnknown, now, now.Add(timers.HandoffGrace), worktask.Report{}))

	states := []state{
		{"pending", accepted()},
		{"early", early},
		{"spent", spent},
		{"late", late},
		{"stop open", stopOpen},
		{"operation", operation},
		{"waits", waits},
		{"own", own},
		{"begun", begun},
		{"other", other},
		{"taken over", taken},
		{"in margin", inMargin},
		{"expired", expired},
		{"released", released},
		{"completed", completed},
		{"failed", failed},
		{"cancelled", cancelled},
	}
	claim := claimAs("claim-new", now)
	lookup := worktask.LookupClaim{AssignmentID: "claim-new", Now: now, LeaseUntil: now.Add(timers.Lease), Margin: timers.SkewMargin}
	fenced := map[string]error{
		"pending": worktask.ErrStaleAssignment, "early": worktask.ErrStaleAssignment, "spent": worktask.ErrStaleAssignment,
		"late": worktask.ErrStaleAssignment, "stop open": worktask.ErrStaleAssignment, "operation": worktask.ErrStaleAssignment,
		"waits": worktask.ErrStaleAssignment,
		"own":   nil, "begun": nil, "taken over": worktask.ErrStaleAssignment,
		// The first claim of another worker has this worker's version too; it
		// can only be met by a worker whose own claim never landed, and such a
		// worker has no assignment. The fence rests on the version alone.
		"other": nil, "in margin": worktask.ErrLeaseExpired, "expired": worktask.ErrLeaseExpired,
		"released":  worktask.ErrStaleAssignment,
		"completed": worktask.ErrAlreadyCompleted, "failed": worktask.ErrAlreadyFailed, "cancelled": worktask.ErrCancelled,
	}
	with := func(base map[string]error, changes map[string]error) map[string]error {
		m := map[string]error{}
		for k, v := range base {
			m[k] = v
		}
		for k, v := range changes {
			m[k] = v
		}
		return m
	}
	ends := map[string]error{"completed": worktask.ErrAlreadyCompleted, "failed": worktask.ErrAlreadyFailed, "cancelled": worktask.ErrCancelled}
	end := func(r worktask.Reason) worktask.End {
		return worktask.End{Reason: r, By: worktask.EndedByWorker, Now: now, Margin: timers.SkewMargin}
	}
	notOver := with(ends, map[string]error{
		"pending": worktask.ErrNotOver, "early": worktask.ErrNotOver, "spent": worktask.ErrNotOver, "late": worktask.ErrNotOver,
		"stop open": worktask.ErrNotOver, "operation": worktask.ErrNotOver, "released": worktask.ErrNotOver, "expired": worktask.ErrNotOver,
		"waits": worktask.ErrNotOver,
		"own":   worktask.ErrLeaseHeld, "begun": worktask.ErrLeaseHeld, "other": worktask.ErrLeaseHeld, "taken over": worktask.ErrLeaseHeld,
		"in margin": worktask.ErrLeaseHeld,
	})
	claims := with(ends, map[string]error{
		"pending": nil, "early": worktask.ErrTooEarly, "spent": worktask.ErrOver, "late": worktask.ErrOver, "stop open": worktask.ErrOver,
		"operation": worktask.ErrOperationSaved, "waits": worktask.ErrWaits, "own": worktask.ErrLeaseHeld, "begun": worktask.ErrLeaseHeld,
		"other": worktask.ErrLeaseHeld, "taken over": worktask.ErrLeaseHeld, "in margin": worktask.ErrLeaseHeld, "expired": nil, "released": nil,
	})
	claimOfReady, claimOfOther := claim, claim
	claimOfReady.Ready, claimOfOther.Ready = "a version", "another"
	endWaiting := func(of worktask.Task) worktask.End {
		return worktask.EndWaiting(of, worktask.DocumentUnreadable, worktask.EndedByWorker, now, timers.SkewMargin)
	}
	elsewhere := waits
	elsewhere.WaitsFor = "another"
	rows := []struct {
		write worktask.Transition
		want  map[string]error
	}{
		{claim, claims},
		{claimOfReady, with(claims, map[string]error{"waits": nil})},
		{claimOfOther, claims},
		{lookup, with(ends, map[string]error{
			"pending": worktask.ErrNoOperation, "early": worktask.ErrTooEarly, "spent": worktask.ErrNoOperation, "late": worktask.ErrOver,
			"waits":     worktask.ErrNoOperation,
			"stop open": worktask.ErrNoOperation, "operation": nil, "own": worktask.ErrLeaseHeld, "begun": worktask.ErrLeaseHeld,
			"other": worktask.ErrLeaseHeld, "taken over": worktask.ErrLeaseHeld, "in margin": worktask.ErrLeaseHeld,
			"expired": worktask.ErrNoOperation, "released": worktask.ErrNoOperation,
		})},
		{a.Begin(now), with(fenced, map[string]error{"begun": worktask.ErrCallOpen})},
		{a.Renew(now, now.Add(timers.Lease)), fenced},
		{a.Renew(now, t0.Add(timers.Lease)), with(fenced, map[string]error{
			"own": worktask.ErrLeaseOrder, "begun": worktask.ErrLeaseOrder, "other": worktask.ErrLeaseOrder,
		})},
		{a.SaveOperation(now, "op-2"), fenced},
		{a.Complete(now, worktask.Result{Body: "y"}, worktask.Report{}), fenced},
		{a.Fail(now, worktask.Declined, true, worktask.Report{}), fenced},
		{a.Release(now, worktask.ReleaseRejected, now, now, worktask.Report{}), fenced},
		{a.Release(now, worktask.ReleaseUnknown, now, now, worktask.Report{}), fenced},
		{end(worktask.DeadlineOver), with(notOver, map[string]error{"late": nil})},
		{end(worktask.AttemptsExhausted), with(notOver, map[string]error{"spent": nil})},
		{end(worktask.OutcomeUnknown), with(notOver, map[string]error{"stop open": nil})},
		{end(worktask.Declined), notOver},
		{endWaiting(waits), with(notOver, map[string]error{"waits": nil})},
		{endWaiting(elsewhere), notOver},
		{worktask.Cancel{Now: now}, ends},
		{worktask.Bump{Seen: t0.Add(timers.HandoffGrace), Due: now.Add(time.Minute)}, with(ends, map[string]error{"released": worktask.ErrDueMoved})},
	}
	for _, row := range rows {
		for _, s := range states {
			t.Run(fmt.Sprintf("%s/%s", row.write.Name(), s.name), func(t *testing.T) {
				t.Parallel()
				if got, want := row.write.Permitted(s.task), row.want[s.name]; !errors.Is(got, want) || (want == nil && got != nil) {
					t.Errorf("Permitted = %v, want %v", got, want)
				}
			})
		}
	}
}

func TestVersionGrowsByOneAtClaimTakeoverAndCancelOnly(t *testing.T) {
	t.Parallel()
	now := t0.Add(time.Second)
	own := apply(t, accepted(), claimAs(mine, t0))
	a := assignment(t, own, mine)
	expired := own
	expired.LeaseExpiresAt = now.Add(-timers.SkewMargin)
	operation := accepted()
	operation.OperationID = "op"
	late := accepted()
	late.Deadline = now
	waiting := accepted()
	waiting.WaitsFor = "a version"
	cases := []struct {
		name string
		on   worktask.Task
		tr   worktask.Transition
		grow int64
	}{
		{"claim", accepted(), claimAs("x", now), 1},
		{"takeover", expired, claimAs("x", now), 1},
		{"lookup", operation, worktask.LookupClaim{AssignmentID: "x", Now: now, LeaseUntil: now.Add(time.Minute)}, 1},
		{"cancel pending", accepted(), worktask.Cancel{Now: now}, 1},
		{"cancel running", own, worktask.Cancel{Now: now}, 1},
		{"begin", own, a.Begin(now), 0},
		{"renew", own, a.Renew(now, now.Add(timers.Lease)), 0},
		{"save operation", own, a.SaveOperation(now, "op"), 0},
		{"complete", own, a.Complete(now, worktask.Result{Body: "x"}, worktask.Report{}), 0},
		{"fail", own, a.Fail(now, worktask.Declined, true, worktask.Report{}), 0},
		{"release", own, a.Release(now, worktask.ReleaseRejected, now, now, worktask.Report{}), 0},
		{"end", late, worktask.End{Reason: worktask.DeadlineOver, Now: now}, 0},
		{"end of a wait", waiting, worktask.EndWaiting(waiting, worktask.DocumentUnreadable, worktask.EndedByWorker, now, 0), 0},
		{"bump", accepted(), worktask.Bump{Seen: accepted().HandoffDueAt, Due: now}, 0},
	}
	for _, c := range cases {
		if got := apply(t, c.on, c.tr).AssignmentVersion - c.on.AssignmentVersion; got != c.grow {
			t.Errorf("%s: version grows by %d, want %d", c.name, got, c.grow)
		}
	}
}

// TestDueTimeExactlyWhilePendingOrRunning: a task without a due time is lost
// when its message is, and one that keeps it after its end is published for
// ever.
func TestDueTimeExactlyWhilePendingOrRunning(t *testing.T) {
	t.Parallel()
	now := t0.Add(time.Second)
	own := apply(t, accepted(), claimAs(mine, t0))
	a := assignment(t, own, mine)
	late := accepted()
	late.Deadline = now
	for _, c := range []struct {
		on worktask.Task
		tr worktask.Transition
	}{
		{accepted(), claimAs("x", now)},
		{own, a.Begin(now)},
		{own, a.Renew(now, now.Add(timers.Lease))},
		{own, a.SaveOperation(now, "op")},
		{own, a.Complete(now, worktask.Result{Body: "x"}, worktask.Report{})},
		{own, a.Fail(now, worktask.Declined, true, worktask.Report{})},
		{own, a.Release(now, worktask.ReleaseUnknown, now, now, worktask.Report{})},
		{late, worktask.End{Reason: worktask.DeadlineOver, Now: now}},
		{own, worktask.Cancel{Now: now}},
		{own, worktask.Bump{Seen: own.HandoffDueAt, Due: now}},
	} {
		after := apply(t, c.on, c.tr)
		if got, want := !after.HandoffDueAt.IsZero(), !after.Status.Ended(); got != want {
			t.Errorf("%s: due time present = %t with status %s", c.tr.Name(), got, after.Status)
		}
	}
}

func TestEqualityOfTimes(t *testing.T) {
	t.Parallel()
	own := apply(t, accepted(), claimAs(mine, t0))
	a := assignment(t, own, mine)
	end := own.LeaseExpiresAt
	if err := a.Complete(end.Add(-time.Millisecond), worktask.Result{Body: "x"}, worktask.Report{}).Permitted(own); err != nil {
		t.Errorf("a millisecond before its end the lease holds, got %v", err)
	}
	if err := a.Complete(end, worktask.Result{Body: "x"}, worktask.Report{}).Permitted(own); !errors.Is(err, worktask.ErrLeaseExpired) {
		t.Errorf("at its end the lease is over, got %v", err)
	}
	if err := claimAs("x", end.Add(timers.SkewMargin-time.Millisecond)).Permitted(own); !errors.Is(err, worktask.ErrLeaseHeld) {
		t.Errorf("within the margin nobody takes over, got %v", err)
	}
	if err := claimAs("x", end.Add(timers.SkewMargin)).Permitted(own); err != nil {
		t.Errorf("at the end of the margin the task is claimable, got %v", err)
	}
	due := accepted()
	due.NextAttemptAt = t0
	if err := claimAs("x", t0).Permitted(due); err != nil {
		t.Errorf("due exactly now is due, got %v", err)
	}
}
