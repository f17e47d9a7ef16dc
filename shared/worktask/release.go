package worktask

import "time"

// ReleaseMode says how an attempt ended that did not end the task.
type ReleaseMode string

const (
	// ReleaseRejected: the provider documents that it executed nothing, or
	// nothing was sent. The attempt is given back, the call never is.
	ReleaseRejected ReleaseMode = "rejected"
	// ReleaseUnknown: the call may have run; nobody saw its end.
	ReleaseUnknown ReleaseMode = "unknown"
	// ReleaseLookup: the operation still runs, or could not be looked at; its
	// id stays and the next claim looks again. Nothing is paid.
	ReleaseLookup ReleaseMode = "lookup"
	// ReleaseLookupLost: the provider does not know the operation any more, or
	// has no result for it that can be read. Its end stays unknown, the id is
	// cleared and a new call may follow.
	ReleaseLookupLost ReleaseMode = "lookup_lost"
	// ReleaseFailed: the call ran and ended without a usable result. Its end is
	// known, the attempt is spent, a saved operation id is cleared.
	ReleaseFailed ReleaseMode = "failed"
)

// Release gives the task back for a later attempt.
type Release struct {
	fence
	mode   ReleaseMode
	nextAt time.Time
	dueAt  time.Time
	report Report
}

// Release gives the task back: the next attempt is due at nextAt, and if the
// message is lost the dispatcher looks again at dueAt, which is later.
func (a Assignment) Release(now time.Time, mode ReleaseMode, nextAt, dueAt time.Time, report Report) Release {
	return Release{fence{a, now}, mode, nextAt, dueAt, report}
}

// Mode is how the attempt ended.
func (r Release) Mode() ReleaseMode { return r.mode }

// NextAt is when the next attempt is due.
func (r Release) NextAt() time.Time { return r.nextAt }

// DueAt is when the dispatcher looks again.
func (r Release) DueAt() time.Time { return r.dueAt }

// Report is what was seen of the call.
func (r Release) Report() Report { return r.report }

// GivesBackAttempt reports whether the release returns the attempt. Only a
// claim that paid one can get one back.
func (r Release) GivesBackAttempt() bool {
	return r.mode == ReleaseRejected && !r.assignment.lookup
}

// CallKnown reports whether the end of the call was seen.
func (r Release) CallKnown() bool {
	return r.mode == ReleaseRejected || r.mode == ReleaseFailed
}

// MoneyBack is what the release gives back of what the call's claim has taken:
// all of it when nothing was executed, what was not used when the end was seen,
// nothing otherwise. A look-up has taken nothing itself; it ends the call that the
// operation stands for, and the cleared operation id lets no second end follow.
func (r Release) MoneyBack() int64 {
	switch r.mode {
	case ReleaseRejected:
		return r.assignment.moneyBack(false, Cost{})
	case ReleaseFailed:
		return r.assignment.moneyBack(true, r.report.Cost)
	case ReleaseUnknown, ReleaseLookup, ReleaseLookupLost:
		return 0
	}
	return 0
}

// ClosesCall reports whether no request can be under way any more. Under
// StopUnknown only a seen end may clear the mark that stops a repeat.
func (r Release) ClosesCall() bool { return r.CallKnown() }

// ClearsOperation reports whether the saved operation id goes.
func (r Release) ClearsOperation() bool {
	return r.mode == ReleaseLookupLost || r.mode == ReleaseFailed || r.mode == ReleaseRejected
}

// Name implements Transition.
func (r Release) Name() string { return "release" }

// Permitted implements Transition.
func (r Release) Permitted(t Task) error { return r.check(t) }

// Apply implements Transition.
func (r Release) Apply(t Task) Task {
	t.Status = Pending
	if r.GivesBackAttempt() {
		t.Budget.AttemptsLeft++
	}
	if r.CallKnown() {
		t.Budget.CallsKnown++
	}
	t.Money = t.Money.plus(r.MoneyBack())
	if r.ClosesCall() {
		t.CallOpen = false
	}
	if r.ClearsOperation() {
		t.OperationID = ""
	}
	t.NextAttemptAt = r.nextAt
	t.HandoffDueAt = r.dueAt
	t.Released = r.mode
	t.ReleasedVersion = r.assignment.version
	return reported(t, r.report)
}

// Mine implements Transition: nobody else sets pending, and the version stays.
// When it moved on the release may or may not have landed and is never redone:
// redoing could give one attempt back twice.
func (r Release) Mine(t Task, _ time.Time) bool {
	return t.Status == Pending && t.AssignmentVersion == r.assignment.version && t.AssignmentID == r.assignment.id
}
