package worktask

import "time"

// End ends a task whose deadline or budget is over, or that waits in vain. Workers and dispatcher use
// the same write, and nobody ends a running task whose lease holds. The reason
// is part of the condition, so that the stored reason is true at the moment of
// the write and not only when the task was read.
type End struct {
	Reason Reason
	By     string // EndedByDispatcher or EndedByWorker
	Now    time.Time
	Margin time.Duration
	// WaitsFor is what the task waits for and will never get; empty: the reason is
	// another one. It stands in the condition as the other reasons do: a task that was
	// claimed waits no more.
	WaitsFor string
}

// EndWaiting ends a pending task for which what it waits for will never be ready.
func EndWaiting(t Task, reason Reason, by string, now time.Time, margin time.Duration) End {
	return End{Reason: reason, By: by, Now: now, Margin: margin, WaitsFor: t.WaitsFor}
}

// EndFor is the End that fits the task as it was read; false when neither
// deadline nor budget is over.
func EndFor(t Task, by string, now time.Time, margin time.Duration) (End, bool) {
	reason, over := overReason(t, now)
	if !over {
		return End{}, false
	}
	return End{Reason: reason, By: by, Now: now, Margin: margin}, true
}

// overReason names the first reason that holds.
func overReason(t Task, now time.Time) (Reason, bool) {
	switch {
	case millis(t.Deadline) <= millis(now):
		return DeadlineOver, true
	case t.OperationID != "":
		return "", false
	case t.OnUnknown == StopUnknown && t.CallOpen:
		return OutcomeUnknown, true
	case t.Budget.AttemptsLeft <= 0 || t.Budget.CallsLeft <= 0:
		return AttemptsExhausted, true
	case !t.Money.Covers():
		return BudgetExhausted, true
	}
	return "", false
}

// Name implements Transition.
func (e End) Name() string { return "end" }

// Permitted implements Transition.
func (e End) Permitted(t Task) error {
	if err := endedError(t); err != nil {
		return err
	}
	if t.Status == Running && !t.leaseOverFor(e.Now, e.Margin) {
		return ErrLeaseHeld
	}
	if !e.reasonHolds(t) {
		return ErrNotOver
	}
	return nil
}

func (e End) reasonHolds(t Task) bool {
	if e.WaitsFor != "" {
		return t.Status == Pending && t.WaitsFor == e.WaitsFor
	}
	switch e.Reason { //nolint:exhaustive // only these end a task that nobody works on
	case DeadlineOver:
		return millis(t.Deadline) <= millis(e.Now)
	case AttemptsExhausted:
		return t.OperationID == "" && (t.Budget.AttemptsLeft <= 0 || t.Budget.CallsLeft <= 0)
	case BudgetExhausted:
		return t.OperationID == "" && !t.Money.Covers()
	case OutcomeUnknown:
		return t.OperationID == "" && t.OnUnknown == StopUnknown && t.CallOpen
	default:
		return false
	}
}

// Apply implements Transition.
func (e End) Apply(t Task) Task {
	t.FailureReason = e.Reason
	return ended(t, Failed, e.By, e.Now)
}

// Mine implements Transition: whoever failed the task, it has ended.
func (e End) Mine(t Task, _ time.Time) bool { return t.Status == Failed }

// Cancel ends a task by its caller's wish. It checks the state only, and moves
// the version on, so that an answer that arrives after it is refused.
type Cancel struct {
	Now time.Time
}

// Name implements Transition.
func (c Cancel) Name() string { return "cancel" }

// Permitted implements Transition.
func (c Cancel) Permitted(t Task) error { return endedError(t) }

// Apply implements Transition.
func (c Cancel) Apply(t Task) Task {
	t.AssignmentVersion++
	return ended(t, Cancelled, EndedByUser, c.Now)
}

// Mine implements Transition: cancelled already is what was asked for.
func (c Cancel) Mine(t Task, _ time.Time) bool { return t.Status == Cancelled }

// Bump moves the due time of a handoff on, before it is published: two
// dispatchers that see one due time publish once, and a dispatcher that dies
// after the bump leaves a due time behind.
type Bump struct {
	Seen time.Time // the due time that was read
	Due  time.Time
}

// Name implements Transition.
func (b Bump) Name() string { return "bump" }

// Permitted implements Transition.
func (b Bump) Permitted(t Task) error {
	if err := endedError(t); err != nil {
		return err
	}
	if t.HandoffDueAt.IsZero() || millis(t.HandoffDueAt) != millis(b.Seen) {
		return ErrDueMoved
	}
	return nil
}

// Apply implements Transition.
func (b Bump) Apply(t Task) Task {
	t.HandoffDueAt = b.Due
	return t
}

// Mine implements Transition.
func (b Bump) Mine(t Task, _ time.Time) bool {
	return !t.Status.Ended() && millis(t.HandoffDueAt) == millis(b.Due)
}
