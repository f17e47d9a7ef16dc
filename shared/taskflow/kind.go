package taskflow

import (
	"context"
	"fmt"

	"github.com/replyonce/replyonce/shared/worktask"
)

// Kind does the work of one kind of task. The engine knows nothing of it.
type Kind interface {
	// Prepare reads what the task's inputs name; nothing is sent. It depends
	// on what was stored at accept alone, so that two attempts send the same.
	// A *PermanentError ends the task; any other error gives it back.
	Prepare(ctx context.Context, t worktask.Task) (Work, error)
}

// Work is one prepared attempt.
type Work interface {
	// Call makes at most one request that can start an operation, and ends
	// when ctx does. save stores an operation id that the provider returned,
	// before its answer is awaited; the call ends when save fails.
	Call(ctx context.Context, save func(ctx context.Context, operationID string) error) worktask.Outcome
	// LookUp reads how a saved operation ended, without starting anything.
	LookUp(ctx context.Context, operationID string) worktask.Outcome
}

// Waits knows what tasks wait for. A wait is no attempt: nothing is claimed and
// nothing is paid meanwhile.
type Waits interface {
	// Ready reports whether what the pending task waits for is ready. A
	// *PermanentError says that it never will be, and ends the task; any other error
	// is asked about again.
	Ready(ctx context.Context, t worktask.Task) (bool, error)
}

// PermanentError says that no attempt can succeed.
type PermanentError struct {
	Reason worktask.Reason
	Err    error
}

func (e *PermanentError) Error() string { return fmt.Sprintf("%s: %v", e.Reason, e.Err) }

// Unwrap gives the cause.
func (e *PermanentError) Unwrap() error { return e.Err }
