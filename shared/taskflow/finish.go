package taskflow

import (
	"context"
	"errors"
	"fmt"

	"github.com/replyonce/replyonce/shared/storeerror"
	"github.com/replyonce/replyonce/shared/telemetry"
	"github.com/replyonce/replyonce/shared/worktask"
)

// InlineResultLimit is the largest result, in bytes, that is kept on the task
// item; DynamoDB's limit for an item is 400 KB with everything on it.
const InlineResultLimit = 300 << 10

// finish writes what follows from the outcome. It has time of its own: the
// call's context has usually ended when an attempt went wrong, and a final
// write that fails with it would leave the task running until its lease ends.
func (r Runner) finish(ctx context.Context, held *holding, o worktask.Outcome) Action {
	ctx = context.WithoutCancel(ctx)
	if o.Kind == worktask.Answered {
		o = r.storeLarge(ctx, held, o)
	}
	r.countSpend(o.Report)
	tr, t, err := r.writeFinal(ctx, held, o)
	if endUnseen(o) {
		r.keepUnseen(ctx, held, o)
	}
	if err != nil {
		return r.notFinished(ctx, held, o, tr, err)
	}
	return r.finished(held, o, t)
}

// writeFinal decides and writes. Each try decides anew, by the clock as it is
// then: a worker that was frozen inside a try must meet the lease's end and not
// its own old idea of the time. A try whose end is not known may have landed, so
// the next one reads before it decides: by then it could choose another write.
func (r Runner) writeFinal(ctx context.Context, held *holding, o worktask.Outcome) (tr worktask.Transition, t worktask.Task, err error) {
	unknown := false
	err = r.persist(ctx, held, func(ctx context.Context) error {
		if unknown {
			if t, err = r.Writer.Tasks.Get(ctx, held.task.Ref); err != nil {
				return fmt.Errorf("%s task %s: read back: %w", tr.Name(), held.task.Ref, err)
			}
			if tr.Mine(t, r.Now()) {
				return nil
			}
		}
		tr = worktask.Decide(held.task, held.assignment, o, held.clock.now(), r.Timers, r.Jitter)
		t, err = r.Writer.Write(ctx, held.task.Ref, tr)
		unknown = errors.Is(err, storeerror.ErrWriteUnknown)
		return err
	})
	return tr, t, err
}

// finished reports the write that landed. t is the task afterwards, or later.
func (r Runner) finished(held *holding, o worktask.Outcome, t worktask.Task) Action {
	if endUnseen(o) {
		r.Metrics.Count(telemetry.UnknownOutcomes, 1) // a write that was refused leaves the count to the takeover
	}
	switch t.Status {
	case worktask.Completed:
		held.log.Info("reply saved", telemetry.KeyBytes, len(o.Result.Body), telemetry.KeyProviderRequestID, t.ProviderRequestID)
	case worktask.Failed:
		reportFailed(held.log, r.Metrics, t)
	case worktask.Pending:
		r.Metrics.Count(telemetry.Retries, 1)
		held.log.Info("task released", telemetry.KeyReason, string(t.Released))
		return waitUntil(t.NextAttemptAt, r.Now())
	case worktask.Running, worktask.Cancelled:
	}
	return Action{Kind: Delete}
}

// notFinished is a final write that the fence refused, or that could not be
// made. The worker does nothing more to the task; an answer that came too late
// leaves evidence beside it.
func (r Runner) notFinished(ctx context.Context, held *holding, o worktask.Outcome, tr worktask.Transition, err error) Action {
	if o.Kind == worktask.Answered && !errors.Is(err, storeerror.ErrNotFound) {
		r.keepEvidence(ctx, held, o)
	}
	refused, isRefused := errors.AsType[*worktask.RefusedError](err)
	if !isRefused {
		held.log.Error("final write failed", telemetry.KeyOperation, tr.Name(), telemetry.KeyError, err)
		return Action{Kind: Back}
	}
	r.reportRefused(held, refused)
	return actionFor(refused.Seen, held.assignment.ID(), r.Now())
}

func (r Runner) keepEvidence(ctx context.Context, held *holding, o worktask.Outcome) {
	ctx, cancel := r.finalStep(ctx)
	defer cancel()
	sum := o.Result.SHA256
	size := o.Result.Bytes
	if o.Result.Body != "" {
		sum, size = digest(o.Result.Body), int64(len(o.Result.Body))
	}
	err := r.Evidence.PutEvidence(ctx, worktask.Evidence{
		Ref: held.task.Ref, AssignmentVersion: held.assignment.Version(), AssignmentID: held.assignment.ID(),
		Bytes: size, SHA256: sum, Tokens: o.Report.Tokens, ProviderRequestID: o.Report.ProviderRequestID, At: held.clock.now(),
	})
	if err != nil {
		held.log.Warn("evidence of a refused answer was not kept", telemetry.KeyError, err)
	}
}

// storeLarge moves a large result to object storage, before the completion
// points to it. The key contains the assignment id:
//
//	A: version 1, late, writes its object.    B: version 2, saved its own.
//	A: its completion is refused; with one key for both, B's saved reply would be A's.
func (r Runner) storeLarge(ctx context.Context, held *holding, o worktask.Outcome) worktask.Outcome {
	body := o.Result.Body
	if len(body) <= InlineResultLimit {
		return o
	}
	ref := held.task.Ref
	key := fmt.Sprintf("results/%s/%s/%s/%s", ref.Workspace, ref.Scope, ref.ID, held.assignment.ID())
	err := r.persist(ctx, held, func(ctx context.Context) error { return r.Objects.PutObject(ctx, key, []byte(body)) })
	if err != nil {
		held.log.Error("a large result could not be stored", telemetry.KeyBytes, len(body), telemetry.KeyError, err)
		r.keepEvidence(ctx, held, o)
		o.Kind = worktask.Retryable
		o.Result = worktask.Result{}
		return o
	}
	o.Result = worktask.Result{ObjectKey: key, Bytes: int64(len(body)), SHA256: digest(body)}
	return o
}
