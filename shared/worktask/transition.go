package worktask

import (
	"errors"
	"fmt"
	"time"
)

// Transition is one conditional write of the decision table as a pure value.
type Transition interface {
	// Name is the write's name in logs, metrics and histories.
	Name() string
	// Permitted is the write's condition: nil, or why it is refused. A refused
	// transition changes nothing.
	Permitted(t Task) error
	// Apply is the write's effect on a task that permits it.
	Apply(t Task) Task
	// Mine reports whether the task shows that this very write has landed. It
	// is asked after a refused condition or a lost acknowledgement, at the
	// writer's clock now, before anything is done again.
	Mine(t Task, now time.Time) bool
}

// Why a transition is refused. Callers branch on these with errors.Is.
var (
	// ErrAlreadyCompleted: a result is saved; nothing may be changed any more.
	ErrAlreadyCompleted = errors.New("the task is completed already")
	// ErrAlreadyFailed: the task has failed, for the reason stored on it.
	ErrAlreadyFailed = errors.New("the task has failed already")
	// ErrCancelled: the caller has cancelled the task.
	ErrCancelled = errors.New("the task is cancelled")
	// ErrStaleAssignment: the assignment version moved on; somebody else has,
	// or had, the task after this worker.
	ErrStaleAssignment = errors.New("the assignment was replaced by a newer one")
	// ErrLeaseExpired: the lease is over and nobody took over; the task can be
	// claimed again.
	ErrLeaseExpired = errors.New("the lease of the assignment is over")
	// ErrLeaseHeld: another worker's lease holds, or ended less than the
	// clock-skew margin ago.
	ErrLeaseHeld = errors.New("another worker holds the lease")
	// ErrTooEarly: the next attempt is due later.
	ErrTooEarly = errors.New("the next attempt is not due yet")
	// ErrOver: deadline or budget is over; the task is to be ended.
	ErrOver = errors.New("the deadline or the budget of the task is over")
	// ErrNotOver: neither deadline nor budget is over.
	ErrNotOver = errors.New("neither deadline nor budget of the task is over")
	// ErrOperationSaved: an operation id is saved; it is to be looked up, and
	// no call may be made.
	ErrOperationSaved = errors.New("a saved operation is to be looked up first")
	// ErrNoOperation: there is no saved operation to look up.
	ErrNoOperation = errors.New("no saved operation to look up")
	// ErrCallOpen: a request under the policy "stop" may have been sent.
	ErrCallOpen = errors.New("a call of this assignment was begun already")
	// ErrSameAssignment: the assignment id is on the task already.
	ErrSameAssignment = errors.New("the assignment id was used for this task before")
	// ErrLeaseOrder: the stored lease ends at or after the one asked for.
	ErrLeaseOrder = errors.New("the stored lease does not end before the one asked for")
	// ErrMoneyForm: the claim takes money from a task that counts none, or takes
	// none from one that does; the other form of the claim may be made.
	ErrMoneyForm = errors.New("the task counts money otherwise than the claim expects")
	// ErrWaits: the task waits for something that the claim has not seen ready.
	ErrWaits = errors.New("the task waits for something else")
	// ErrDueMoved: the due time of the handoff is not the one that was seen.
	ErrDueMoved = errors.New("the due time of the handoff has moved")
	// ErrResultPresent: the result's slot is filled.
	ErrResultPresent = errors.New("the task has a result already")
)

// RefusedError says which transition was refused, why, and in which state the
// store found the task.
type RefusedError struct {
	Transition string
	Cause      error // one of the errors above
	Seen       Task
}

func (e *RefusedError) Error() string {
	return fmt.Sprintf("%s task %s: %v (status %s, version %d)",
		e.Transition, e.Seen.Ref, e.Cause, e.Seen.Status, e.Seen.AssignmentVersion)
}

// Unwrap gives the cause.
func (e *RefusedError) Unwrap() error { return e.Cause }

// endedError is the refusal of an ended task, nil for others.
func endedError(t Task) error {
	switch t.Status {
	case Completed:
		return ErrAlreadyCompleted
	case Failed:
		return ErrAlreadyFailed
	case Cancelled:
		return ErrCancelled
	case Pending, Running:
		return nil
	}
	return nil
}

// ended clears what an end clears: the due time goes in the same write that
// sets the end, so that no dispatcher ever finds an ended task.
func ended(t Task, status Status, by string, at time.Time) Task {
	t.Status = status
	t.EndedBy = by
	t.EndedAt = at
	t.HandoffDueAt = time.Time{}
	return t
}
