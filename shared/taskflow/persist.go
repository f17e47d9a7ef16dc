package taskflow

import (
	"context"
	"errors"
	"time"

	"github.com/replyonce/replyonce/shared/storeerror"
	"github.com/replyonce/replyonce/shared/telemetry"
	"github.com/replyonce/replyonce/shared/worktask"
)

// finalSteps is how many steps after the call share the function time that is
// kept for them: the object, the write, another look at it, evidence.
const finalSteps = 4

// finalStep gives a step its own time. A worker that was frozen in the middle
// of one step wakes up with that step's time over, and still has to find out
// what became of it.
func (r Runner) finalStep(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(ctx, r.Timers.WorkerReserve/finalSteps)
}

// finalTries bounds the tries of one step in count too: at the usual pauses they
// outlast a lease.
const finalTries = 100

// persist repeats a step after the call until it is settled, while the lease
// and the function's time last: what it writes has been paid for, and a store
// that throttles for a second must not make it be paid again. Repeating is
// safe, the step's own condition refuses it once it has landed. A step whose
// first try took all the time gets a second one.
func (r Runner) persist(ctx context.Context, held *holding, step func(context.Context) error) error {
	for try := 1; ; try++ {
		err := r.tryStep(ctx, step)
		if err == nil || settled(err) {
			return err
		}
		if try == finalTries || (try > 1 && !held.clock.now().Before(held.lastTry(r.Timers))) {
			return err
		}
		held.log.Warn("a step after the call is repeated", telemetry.KeyError, err)
		if pauseErr := r.Writer.Pause(ctx, try); pauseErr != nil {
			return errors.Join(err, pauseErr)
		}
	}
}

func (r Runner) tryStep(ctx context.Context, step func(context.Context) error) error {
	ctx, cancel := r.finalStep(ctx)
	defer cancel()
	return step(ctx)
}

// settled reports whether no repeat can change the answer.
func settled(err error) bool {
	if _, refused := errors.AsType[*worktask.RefusedError](err); refused {
		return true
	}
	if _, tooLarge := errors.AsType[*storeerror.TooLargeError](err); tooLarge {
		return true
	}
	return errors.Is(err, storeerror.ErrNotFound) || errors.Is(err, storeerror.ErrExists)
}

// lastTry is when no further try may begin: the lease ends, or the function
// does, with one step kept for evidence.
func (h *holding) lastTry(t worktask.Timers) time.Time {
	last := h.functionEnds.Add(-t.WorkerReserve / finalSteps)
	if h.leaseEnds.Before(last) {
		last = h.leaseEnds
	}
	return last
}
