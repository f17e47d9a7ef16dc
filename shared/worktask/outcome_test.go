package worktask_test

import (
	"testing"
	"time"

	"github.com/replyonce/replyonce/shared/worktask"
)

func noJitter() float64 { return 0 }

func TestDecide(t *testing.T) {
	t.Parallel()
	now := t0.Add(time.Second)
	first := apply(t, accepted(), claimAs(mine, t0))
	stop := first
	stop.OnUnknown = worktask.StopUnknown
	lastAttempt := first
	lastAttempt.Budget.AttemptsLeft = 0
	lastCall := first
	lastCall.Budget.CallsLeft = 0
	repeated := first // its first call has an unknown end, this is the repeat
	repeated.Budget.CallsLeft--
	cases := []struct {
		name    string
		task    worktask.Task
		outcome worktask.Outcome
		status  worktask.Status
		reason  worktask.Reason
		// what is left and known afterwards
		attempts, calls, known int
	}{
		{"answered", first, worktask.Outcome{Kind: worktask.Answered, Result: worktask.Result{Body: "x"}}, worktask.Completed, "", 3, 7, 1},
		{"rejected gives the attempt back, never the call", first, worktask.Outcome{Kind: worktask.Rejected}, worktask.Pending, "", 4, 7, 1},
		{"rejected, no calls left", lastCall, worktask.Outcome{Kind: worktask.Rejected}, worktask.Failed, worktask.AttemptsExhausted, 3, 0, 1},
		{"rejected until after the deadline", first, worktask.Outcome{Kind: worktask.Rejected, RetryAfter: time.Hour}, worktask.Failed, worktask.DeadlineOver, 3, 7, 1},
		{"unknown under retry", first, worktask.Outcome{Kind: worktask.Ambiguous}, worktask.Pending, "", 3, 7, 0},
		{"unknown under stop", stop, worktask.Outcome{Kind: worktask.Ambiguous}, worktask.Failed, worktask.OutcomeUnknown, 3, 7, 0},
		{"unknown twice", repeated, worktask.Outcome{Kind: worktask.Ambiguous}, worktask.Failed, worktask.OutcomeUnknown, 3, 6, 0},
		{"unknown, no attempts left", lastAttempt, worktask.Outcome{Kind: worktask.Ambiguous}, worktask.Failed, worktask.OutcomeUnknown, 0, 7, 0},
		{"unknown, retry after the deadline", first, worktask.Outcome{Kind: worktask.Ambiguous, RetryAfter: time.Hour}, worktask.Failed, worktask.OutcomeUnknown, 3, 7, 0},
		{"empty, attempts left", first, worktask.Outcome{Kind: worktask.Retryable, Reason: worktask.EmptyReply}, worktask.Pending, "", 3, 7, 1},
		{"empty, no attempts left", lastAttempt, worktask.Outcome{Kind: worktask.Retryable, Reason: worktask.EmptyReply}, worktask.Failed, worktask.EmptyReply, 0, 7, 1},
		{"permanent", first, worktask.Outcome{Kind: worktask.Permanent, Reason: worktask.ProviderQuota}, worktask.Failed, worktask.ProviderQuota, 3, 7, 1},
		{"permanent without a reason", first, worktask.Outcome{Kind: worktask.Permanent}, worktask.Failed, worktask.ProviderRefused, 3, 7, 1},
		{"a kind from the future is unknown", first, worktask.Outcome{Kind: 99}, worktask.Pending, "", 3, 7, 0},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			tr := worktask.Decide(c.task, assignment(t, c.task, mine), c.outcome, now, timers, noJitter)
			after := apply(t, c.task, tr)
			if after.Status != c.status || after.FailureReason != c.reason {
				t.Errorf("ends %s %q, want %s %q", after.Status, after.FailureReason, c.status, c.reason)
			}
			if b := after.Budget; b.AttemptsLeft != c.attempts || b.CallsLeft != c.calls || b.CallsKnown != c.known {
				t.Errorf("attempts left %d, calls left %d, known %d; want %d, %d, %d", b.AttemptsLeft, b.CallsLeft, b.CallsKnown, c.attempts, c.calls, c.known)
			}
			if after.Status == worktask.Pending && !after.NextAttemptAt.Before(after.Deadline) {
				t.Errorf("the next attempt is due after the deadline")
			}
		})
	}
}

func TestDecideLookups(t *testing.T) {
	t.Parallel()
	now := t0.Add(time.Second)
	task := apply(t, accepted(), claimAs("first", t0))
	task = apply(t, task, assignment(t, task, "first").SaveOperation(now, "op"))
	task.LeaseExpiresAt = t0
	lookup := worktask.LookupClaim{AssignmentID: mine, Now: t0.Add(timers.SkewMargin), LeaseUntil: t0.Add(timers.Lease), Margin: timers.SkewMargin}
	task = apply(t, task, lookup)
	a := assignment(t, task, mine)
	if !a.LookupOnly() || task.Budget.AttemptsLeft != 3 || task.Budget.CallsLeft != 7 {
		t.Fatalf("a look-up claim took from the budget: %+v", task.Budget)
	}
	if got := task.UnknownCalls(); got != 0 {
		t.Errorf("an operation that can be looked up counts as %d unknown calls", got)
	}
	decide := func(k worktask.OutcomeKind, task worktask.Task) worktask.Task {
		return apply(t, task, worktask.Decide(task, a, worktask.Outcome{Kind: k, Result: worktask.Result{Body: "x"}}, now, timers, noJitter))
	}
	if after := decide(worktask.OperationRuns, task); after.OperationID != "op" || after.Status != worktask.Pending {
		t.Errorf("still running: operation %q, status %s; it must be looked up again", after.OperationID, after.Status)
	}
	if after := decide(worktask.OperationLost, task); after.OperationID != "" || after.UnknownCalls() != 1 || after.Status != worktask.Pending {
		t.Errorf("lost: operation %q, unknown %d, status %s", after.OperationID, after.UnknownCalls(), after.Status)
	}
	if after := decide(worktask.Retryable, task); after.OperationID != "" || after.Budget.CallsKnown != 1 || after.Budget.AttemptsLeft != 3 {
		t.Errorf("failed: operation %q, budget %+v", after.OperationID, after.Budget)
	}
	if after := decide(worktask.Rejected, task); after.Budget.AttemptsLeft != 3 {
		t.Errorf("a look-up claim that paid no attempt got one back: %+v", after.Budget)
	}
	// The operation has ended and its result cannot be had: looking again would
	// give the same until the deadline.
	if after := decide(worktask.Ambiguous, task); after.OperationID != "" || after.UnknownCalls() != 1 || after.Status != worktask.Pending {
		t.Errorf("unreadable: operation %q, unknown %d, status %s", after.OperationID, after.UnknownCalls(), after.Status)
	}
	stop := task
	stop.OnUnknown, stop.CallOpen = worktask.StopUnknown, true
	if after := decide(worktask.OperationLost, stop); after.Status != worktask.Failed || after.FailureReason != worktask.OutcomeUnknown {
		t.Errorf("lost under stop: %s %s", after.Status, after.FailureReason)
	}
}

// TestUnknownRepeatsBoundTakeovers: workers that die after their claims leave
// calls with an unknown end; the budget for repeats bounds them too.
func TestUnknownRepeatsBoundTakeovers(t *testing.T) {
	t.Parallel()
	task := accepted()
	now := t0
	for i, want := range []bool{true, true, false} {
		task = apply(t, task, claimAs(string(rune('a'+i)), now))
		if got := task.MayRepeatUnknown(); got != want {
			t.Errorf("claim %d: may call = %t, want %t (unknown %d)", i+1, got, want, task.UnknownCalls())
		}
		now = now.Add(timers.Lease + timers.SkewMargin)
	}
}

func TestEndFor(t *testing.T) {
	t.Parallel()
	late := accepted()
	late.Deadline = t0
	late.Budget.AttemptsLeft = 0
	spent := accepted()
	spent.Budget.CallsLeft = 0
	looking := spent
	looking.OperationID = "op"
	open := spent
	open.OnUnknown, open.CallOpen = worktask.StopUnknown, true
	for _, c := range []struct {
		name string
		task worktask.Task
		want worktask.Reason
	}{
		{"deadline before budget", late, worktask.DeadlineOver},
		{"no calls left", spent, worktask.AttemptsExhausted},
		{"a saved operation may still answer", looking, ""},
		{"unknown before budget", open, worktask.OutcomeUnknown},
		{"neither", accepted(), ""},
	} {
		end, over := worktask.EndFor(c.task, worktask.EndedByDispatcher, t0, timers.SkewMargin)
		if over != (c.want != "") || end.Reason != c.want {
			t.Errorf("%s: over = %t, reason %q; want %q", c.name, over, end.Reason, c.want)
		}
		if over {
			apply(t, c.task, end)
		}
	}
}

// TestOwnWriteProofs: what a writer finds after a lost acknowledgement.
func TestOwnWriteProofs(t *testing.T) {
	t.Parallel()
	now := t0.Add(time.Second)
	claim := claimAs(mine, t0)
	own := apply(t, accepted(), claim)
	a := assignment(t, own, mine)
	complete := a.Complete(now, worktask.Result{Body: "x"}, worktask.Report{})
	fail := a.Fail(now, worktask.Declined, true, worktask.Report{})
	release := a.Release(now, worktask.ReleaseRejected, now, now, worktask.Report{})
	cancelled := apply(t, own, worktask.Cancel{Now: now})
	expired := own
	expired.LeaseExpiresAt = t0
	taken := apply(t, expired, claimAs(theirs, now.Add(timers.SkewMargin)))
	releasedThenClaimed := apply(t, apply(t, own, release), claimAs(theirs, now))
	for _, c := range []struct {
		name string
		tr   worktask.Transition
		seen worktask.Task
		now  time.Time
		want bool
	}{
		{"claim landed", claim, own, now, true},
		{"claim landed, then cancelled: not to be worked on", claim, cancelled, now, false},
		{"claim landed, lease nearly over", claim, own, own.LeaseExpiresAt.Add(-timers.LeaseReserve), false},
		{"claim of another", claim, taken, now, false},
		{"begin", a.Begin(now), apply(t, own, a.Begin(now)), now, true},
		{"begin not landed", a.Begin(now), own, now, false},
		{"renewal landed, or a later one", a.Renew(now, own.LeaseExpiresAt), own, now, true},
		{"renewal not landed", a.Renew(now, now.Add(time.Hour)), own, now, false},
		{"renewal, taken over", a.Renew(now, t0), taken, now, false},
		{"operation", a.SaveOperation(now, "op"), apply(t, own, a.SaveOperation(now, "op")), now, true},
		{"completion landed", complete, apply(t, own, complete), now, true},
		{"completed by another", complete, apply(t, taken, assignment(t, taken, theirs).Complete(now, worktask.Result{Body: "y"}, worktask.Report{})), now, false},
		{"failure landed", fail, apply(t, own, fail), now, true},
		{"release landed", release, apply(t, own, release), now, true},
		{"release landed and claimed again: never redo", release, releasedThenClaimed, now, false},
		{"cancelled by whomever", worktask.Cancel{Now: now}, cancelled, now, true},
		{"ended by whomever", worktask.End{Reason: worktask.DeadlineOver}, apply(t, own, fail), now, true},
		{"bump landed", worktask.Bump{Seen: t0, Due: own.HandoffDueAt}, own, now, true},
		{"bump, moved by another", worktask.Bump{Seen: t0, Due: now}, own, now, false},
	} {
		if got := c.tr.Mine(c.seen, c.now); got != c.want {
			t.Errorf("%s: Mine = %t, want %t", c.name, got, c.want)
		}
	}
}

// TestCaseW7DelayLongerThanTheQueueAllows: attempt 70 must not overflow, and
// no delay is negative or earlier than the provider asked for.
func TestCaseW7DelayLongerThanTheQueueAllows(t *testing.T) {
	t.Parallel()
	for retry := range 80 {
		for _, jitter := range []float64{0, 0.5, 0.999999} {
			d := worktask.Backoff(timers, retry, 0, func() float64 { return jitter })
			if d < 0 || d > timers.BackoffLimit {
				t.Errorf("retry %d: delay %s is out of bounds", retry, d)
			}
			if d := worktask.Backoff(timers, retry, time.Hour, func() float64 { return jitter }); d < time.Hour {
				t.Errorf("retry %d: %s is earlier than the provider asked for", retry, d)
			}
		}
	}
}
