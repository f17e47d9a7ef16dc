package worktask

import "time"

// OutcomeKind is what a worker knows after an attempt. The list is closed.
type OutcomeKind int

const (
	// Answered: a result is there.
	Answered OutcomeKind = iota + 1
	// Rejected: documented not to have been executed, or never sent.
	Rejected
	// Ambiguous: the call may have run; nobody saw its end.
	Ambiguous
	// Retryable: the call ran and its end was seen, without a usable result;
	// another attempt may bring one.
	Retryable
	// Permanent: another attempt cannot help.
	Permanent
	// OperationRuns: the saved operation has no end yet, or could not be read.
	OperationRuns
	// OperationLost: the provider does not know the saved operation.
	OperationLost
)

// Outcome is the end of one attempt as the worker saw it.
type Outcome struct {
	Kind       OutcomeKind
	Result     Result
	Reason     Reason        // of Permanent; of the others when they exhaust the budget
	RetryAfter time.Duration // earliest next attempt, as the provider asked; 0: none
	Report     Report
	// What is kept of an end that nobody saw; no decision reads it.
	Provider string // who was asked
	Cause    string // class of the error in words, see AttemptRecord
	Err      error  // cause of an end without an answer, for logs; no decision reads it
}

// Decide chooses the write that follows an attempt: the rows "answer" to
// "permanent" of the decision table. t is the task as claimed.
func Decide(t Task, a Assignment, o Outcome, now time.Time, timers Timers, jitter func() float64) Transition {
	switch o.Kind {
	case Answered:
		return a.Complete(now, o.Result, o.Report)
	case Permanent:
		return a.Fail(now, reasonOr(o.Reason, ProviderRefused), true, o.Report)
	case Rejected:
		return afterKnown(t, a, o, ReleaseRejected, now, timers, jitter)
	case Retryable:
		return afterRetryable(t, a, o, now, timers, jitter)
	case OperationRuns:
		return afterLookup(t, a, o, ReleaseLookup, now, timers, jitter)
	case OperationLost:
		return afterUnknown(t, a, o, ReleaseLookupLost, now, timers, jitter)
	case Ambiguous:
		if a.LookupOnly() {
			// The operation has ended and its result cannot be had. With its id
			// kept it would be looked up, to the same end, until the deadline.
			return afterUnknown(t, a, o, ReleaseLookupLost, now, timers, jitter)
		}
	}
	return afterUnknown(t, a, o, ReleaseUnknown, now, timers, jitter)
}

// afterKnown retries a rejected call while calls are left and the retry falls
// before the deadline. The attempt comes back with the release, so only calls
// bound the number of rejections.
func afterKnown(t Task, a Assignment, o Outcome, mode ReleaseMode, now time.Time, timers Timers, jitter func() float64) Transition {
	if t.Budget.CallsLeft <= 0 {
		return a.Fail(now, reasonOr(o.Reason, AttemptsExhausted), true, o.Report)
	}
	next := nextAttempt(t, o, now, timers, jitter)
	if millis(next) >= millis(t.Deadline) {
		return a.Fail(now, reasonOr(o.Reason, DeadlineOver), true, o.Report)
	}
	return a.Release(now, mode, next, dueAfter(t, next, timers), o.Report)
}

// afterRetryable is a call that ran: its end is known and its attempt is spent.
func afterRetryable(t Task, a Assignment, o Outcome, now time.Time, timers Timers, jitter func() float64) Transition {
	if t.Budget.AttemptsLeft <= 0 || t.Budget.CallsLeft <= 0 {
		return a.Fail(now, reasonOr(o.Reason, AttemptsExhausted), true, o.Report)
	}
	if !t.Money.plus(a.moneyBack(true, o.Report.Cost)).Covers() {
		return a.Fail(now, reasonOr(o.Reason, BudgetExhausted), true, o.Report)
	}
	return afterKnown(t, a, o, ReleaseFailed, now, timers, jitter)
}

// afterUnknown repeats only under RetryUnknown, only while the budget for
// repeats after an unknown end lasts, and only before the deadline.
func afterUnknown(t Task, a Assignment, o Outcome, mode ReleaseMode, now time.Time, timers Timers, jitter func() float64) Transition {
	unknown := t.UnknownCalls() + 1 // this call is not counted while the task runs
	spent := t.Budget.AttemptsLeft <= 0 || t.Budget.CallsLeft <= 0 || !t.Money.Covers()
	if t.OnUnknown == StopUnknown || unknown > t.Budget.UnknownRepeats || spent {
		return a.Fail(now, OutcomeUnknown, false, o.Report)
	}
	next := nextAttempt(t, o, now, timers, jitter)
	if millis(next) >= millis(t.Deadline) {
		return a.Fail(now, OutcomeUnknown, false, o.Report)
	}
	return a.Release(now, mode, next, dueAfter(t, next, timers), o.Report)
}

// afterLookup looks again later; the deadline bounds it. Look-ups move no
// count, so the wait grows with the age of the task: each look comes after half
// of the time that has passed, and a long operation neither keeps the store busy
// nor wears its message out.
func afterLookup(t Task, a Assignment, o Outcome, mode ReleaseMode, now time.Time, timers Timers, jitter func() float64) Transition {
	age := max(now.Sub(t.AcceptedAt), 0)
	wait := time.Duration(float64(age) * (1 + jitter()) / 3)
	wait = max(min(wait, timers.BackoffLimit), timers.BackoffBase, o.RetryAfter)
	next := now.Add(wait)
	if millis(next) >= millis(t.Deadline) {
		return a.Fail(now, OutcomeUnknown, false, o.Report)
	}
	return a.Release(now, mode, next, dueAfter(t, next, timers), o.Report)
}

// dueAfter is when the dispatcher looks at a released task: one grace after the
// next attempt is due, and at the deadline at the latest, for then somebody has
// to end it.
func dueAfter(t Task, next time.Time, timers Timers) time.Time {
	due := next.Add(timers.HandoffGrace)
	if millis(t.Deadline) < millis(due) {
		return t.Deadline
	}
	return due
}

func nextAttempt(t Task, o Outcome, now time.Time, timers Timers, jitter func() float64) time.Time {
	return now.Add(Backoff(timers, t.Budget.Calls(), o.RetryAfter, jitter))
}

func reasonOr(r, otherwise Reason) Reason {
	if r == "" {
		return otherwise
	}
	return r
}
