package worktask

import "time"

// Evidence is what is kept of an answer that the fence refused: that it came,
// how large it was and what it cost. It is kept beside the task, never on it,
// and no decision reads it.
type Evidence struct {
	Ref               Ref
	AssignmentVersion int64 // of the worker whose answer was refused
	AssignmentID      string
	Bytes             int64
	SHA256            string // hex, of the refused body
	Tokens            Tokens
	ProviderRequestID string
	At                time.Time
}
