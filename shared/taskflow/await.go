package taskflow

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/replyonce/replyonce/shared/telemetry"
	"github.com/replyonce/replyonce/shared/worktask"
)

const (
	// firstWait is how long a message stays hidden whose task waits for something,
	// at its first delivery; it doubles with each further one.
	firstWait = 2 * time.Second
	longWait  = 30 * time.Second
	// mostWaits is how often one message waits, by its receive count, before it is
	// left to the due time on the task: a queue gives a message up after some number
	// of deliveries, and one that only waits has done nothing wrong. The dispatcher
	// publishes another one.
	mostWaits = 8
)

// waiting is the refusal of a claim for what the task waits for.
func waiting(err error) (*worktask.RefusedError, bool) {
	if !errors.Is(err, worktask.ErrWaits) {
		return nil, false
	}
	return errors.AsType[*worktask.RefusedError](err)
}

// await asks whether what a task waits for is ready. Where it is not, the action
// says when to ask again: nothing was claimed, so nothing is taken from the counts,
// and the deadline alone bounds it.
func (r Runner) await(ctx context.Context, d Delivery, seen worktask.Task, log *slog.Logger) (a Action, ready bool) {
	if r.Waits == nil {
		log.Error("task waits for something that this worker does not know", telemetry.KeyKind, seen.Kind)
		return Action{Kind: Back}, false
	}
	ready, err := r.Waits.Ready(ctx, seen)
	permanent, never := errors.AsType[*PermanentError](err)
	switch {
	case never:
		log.Info("what the task waits for will never be ready", telemetry.KeyError, err)
		return r.endBy(ctx, d.Ref, worktask.EndWaiting(seen, permanent.Reason, worktask.EndedByWorker, r.Now(), r.Timers.SkewMargin), log), false
	case err != nil:
		log.Warn("asking whether the task can begin failed", telemetry.KeyError, err)
		return Action{Kind: Back}, false
	case ready:
		return Action{}, true
	case d.ReceiveCount >= mostWaits:
		log.Info("task waits, left to the dispatcher")
		return Action{Kind: Delete}, false
	}
	log.Info("task waits")
	until := seen.Deadline.Sub(r.Now()) // at which the next delivery ends the task
	return Action{Kind: Wait, After: max(0, min(waitFor(d.ReceiveCount), until))}, false
}

// waitFor is how long to wait after so many deliveries.
func waitFor(deliveries int) time.Duration {
	return min(firstWait<<min(max(deliveries-1, 0), 10), longWait)
}
