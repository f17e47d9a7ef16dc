package worktask

import "time"

// AttemptOutcome is why an attempt has a record of its own.
type AttemptOutcome string

const (
	// AttemptUnknown: its call may have run, and nobody saw the end.
	AttemptUnknown AttemptOutcome = "unknown"
	// AttemptWorkerLost: its worker stopped answering. Whether it had sent its
	// request nobody knows, unless an operation id was saved.
	AttemptWorkerLost AttemptOutcome = "worker_lost"
)

// AttemptRecord is what is kept of an attempt whose end nobody saw. The counts on
// the task say how many there were; the record says when, with which provider,
// and what the worker saw. It stands beside the task like evidence: put if absent,
// only in incidents, and no decision reads it.
type AttemptRecord struct {
	Ref               Ref
	AssignmentVersion int64
	AssignmentID      string // empty for a lost worker: its successor's claim has replaced it
	Outcome           AttemptOutcome
	Provider          string // who was asked; empty: not known
	ProviderRequestID string
	OperationID       string    // that was saved and could, or can, be looked up
	BegunAt           time.Time // of the call; zero: not known
	EndedAt           time.Time // when the worker gave up, or was found to be lost
	Cause             string    // class of the error, in words, without any text of people or providers
}
