package taskflow

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"

	"github.com/replyonce/replyonce/shared/storeerror"
	"github.com/replyonce/replyonce/shared/telemetry"
	"github.com/replyonce/replyonce/shared/worktask"
)

// InlineResultLimit is the largest result, in bytes, that is kept on the task
// item; DynamoDB's limit for an item is 400 KB with everything on it.
const InlineResultLimit = 300 << 10

// finish writes what follows from the outcome. It has its own short time: the
// call's context has usually ended when an attempt went wrong, and a final
// write that fails with it would leave the task running until its lease ends.
func (r Runner) finish(ctx context.Context, held *holding, o worktask.Outcome) Action {
	ctx = context.WithoutCancel(ctx)
	if o.Kind == worktask.Answered {
		o = r.storeLarge(ctx, held, o)
	}
	r.countTokens(o.Report.Tokens)
	if o.Kind == worktask.Ambiguous || o.Kind == worktask.OperationLost {
		r.Metrics.Count(telemetry.UnknownOutcomes, 1)
	}
	tr := worktask.Decide(held.task, held.assignment, o, held.clock.now(), r.Timers, r.Jitter)
	t, err := r.writeFinal(ctx, held, tr)
	if err != nil {
		return r.notFinished(ctx, held, o, tr, err)
	}
	return r.finished(held, o, t)
}

// finalSteps is how many steps after the call share the function time that is
// kept for them: the object, the write, a second look at it, evidence.
const finalSteps = 4

// finalStep gives a step its own time. A worker that was frozen in the middle
// of one step wakes up with that step's time over, and still has to find out
// what became of it.
func (r Runner) finalStep(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(ctx, r.Timers.WorkerReserve/finalSteps)
}

// writeFinal makes the write, and looks at it once more when its time ran out
// before its end was known. Sending it again is safe: once it has landed, or
// anybody has moved on, its condition refuses it.
func (r Runner) writeFinal(ctx context.Context, held *holding, tr worktask.Transition) (worktask.Task, error) {
	t, expired, err := r.tryFinal(ctx, held, tr)
	if _, refused := errors.AsType[*worktask.RefusedError](err); err == nil || refused || !expired {
		return t, err
	}
	held.log.Warn("final write ran out of time", telemetry.KeyOperation, tr.Name(), telemetry.KeyError, err)
	t, _, err = r.tryFinal(ctx, held, tr)
	return t, err
}

func (r Runner) tryFinal(ctx context.Context, held *holding, tr worktask.Transition) (t worktask.Task, expired bool, err error) {
	ctx, cancel := r.finalStep(ctx)
	defer cancel()
	t, err = r.Writer.Write(ctx, held.task.Ref, tr)
	return t, ctx.Err() != nil, err
}

// finished reports the write that landed. t is the task afterwards, or later.
func (r Runner) finished(held *holding, o worktask.Outcome, t worktask.Task) Action {
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
	step, cancel := r.finalStep(ctx)
	defer cancel()
	if err := r.Objects.PutObject(step, key, []byte(body)); err != nil {
		held.log.Error("a large result could not be stored", telemetry.KeyBytes, len(body), telemetry.KeyError, err)
		o.Kind = worktask.Retryable
		o.Result = worktask.Result{}
		return o
	}
	o.Result = worktask.Result{ObjectKey: key, Bytes: int64(len(body)), SHA256: digest(body)}
	return o
}

func digest(body string) string {
	sum := sha256.Sum256([]byte(body))
	return hex.EncodeToString(sum[:])
}
