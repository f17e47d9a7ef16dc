package taskflow

import (
	"time"

	"github.com/replyonce/replyonce/shared/worktask"
)

// Action is what becomes of the message after a run.
type Action struct {
	Kind ActionKind
	// After is how long a waiting message stays hidden, at most
	// worktask.MaxVisibility.
	After time.Duration
}

// ActionKind is the closed list of message actions.
type ActionKind int

const (
	// Delete: the task has ended, or its due time is stored on it and brings
	// it back without this message.
	Delete ActionKind = iota + 1
	// Wait: hide the message until the task is due, and report it failed so
	// that the queue keeps it.
	Wait
	// Back: report the message failed and leave its visibility alone.
	Back
)

func (k ActionKind) String() string {
	switch k {
	case Delete:
		return "delete"
	case Wait:
		return "wait"
	case Back:
		return "back"
	}
	return "unknown"
}

// waitUntil hides the message until due. A task that is due later than the
// queue can wait is deferred again when the message arrives too early; that
// uses neither attempt nor call.
func waitUntil(due, now time.Time) Action {
	return Action{Kind: Wait, After: min(max(due.Sub(now), 0), worktask.MaxVisibility)}
}

// actionFor is what follows when somebody else decided about the task: the
// message of an ended task, or of one that another worker's valid lease covers,
// is not needed; any other comes back.
func actionFor(seen worktask.Task, assignmentID string, now time.Time) Action {
	if seen.Status.Ended() || (seen.LeaseValid(now) && seen.AssignmentID != assignmentID) {
		return Action{Kind: Delete}
	}
	return Action{Kind: Back}
}
