package taskflow

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/replyonce/replyonce/shared/storeerror"
	"github.com/replyonce/replyonce/shared/worktask"
)

// Writer makes transitions and resolves lost acknowledgements by reading, never
// by working again.
type Writer struct {
	Tasks Tasks
	Now   func() time.Time
	// Pause waits before another try, or until ctx is done. It receives the
	// number of the try that follows, from 1.
	Pause func(ctx context.Context, try int) error
}

// writeTries bounds how often one transition is sent. Repeating is safe: each
// transition's condition refuses it once it, or anything newer, has landed.
const writeTries = 3

// Write makes the transition. It returns the task when the write is known to
// have landed, by this or by an earlier try of the same write; the task may
// have moved on since, and the caller looks at it. The errors are
// *worktask.RefusedError (the write has not landed and will not),
// storeerror.ErrNotFound, and storeerror.ErrUnavailable or ErrWriteUnknown when
// the store could not be asked.
func (w Writer) Write(ctx context.Context, ref worktask.Ref, tr worktask.Transition) (worktask.Task, error) {
	for try := 1; ; try++ {
		task, err := w.Tasks.Apply(ctx, ref, tr)
		if err == nil {
			return task, nil
		}
		task, again, err := w.settle(ctx, ref, tr, err)
		if !again {
			return task, err
		}
		if try == writeTries {
			return worktask.Task{}, err
		}
		if pauseErr := w.Pause(ctx, try); pauseErr != nil {
			return worktask.Task{}, errors.Join(err, pauseErr)
		}
	}
}

// settle finds out what a failed try has left behind. again asks for another
// try; err is then the reason in case there is none.
func (w Writer) settle(ctx context.Context, ref worktask.Ref, tr worktask.Transition, failure error) (t worktask.Task, again bool, err error) {
	refused, isRefused := errors.AsType[*ConditionError](failure)
	switch {
	case isRefused && refused.Seen != nil:
		t = *refused.Seen
	case isRefused, errors.Is(failure, storeerror.ErrWriteUnknown):
		if t, err = w.Tasks.Get(ctx, ref); err != nil {
			return worktask.Task{}, false, fmt.Errorf("%s task %s: read back after %w: %w", tr.Name(), ref, failure, err)
		}
	case errors.Is(failure, storeerror.ErrUnavailable):
		return worktask.Task{}, true, fmt.Errorf("%s task %s: %w", tr.Name(), ref, failure)
	default:
		return worktask.Task{}, false, fmt.Errorf("%s task %s: %w", tr.Name(), ref, failure)
	}
	return verdict(tr, t, w.Now(), failure)
}

// verdict compares the task that was read with the write's proof and condition.
func verdict(tr worktask.Transition, seen worktask.Task, now time.Time, failure error) (worktask.Task, bool, error) {
	if tr.Mine(seen, now) {
		return seen, false, nil
	}
	if cause := tr.Permitted(seen); cause != nil {
		return seen, false, &worktask.RefusedError{Transition: tr.Name(), Cause: cause, Seen: seen}
	}
	// Not landed, and nothing speaks against it: the state changed between the
	// refusal and the read, or the lost try never arrived.
	return worktask.Task{}, true, fmt.Errorf("%s task %s: %w", tr.Name(), seen.Ref, failure)
}
