package taskflow

import (
	"cmp"
	"context"

	"github.com/replyonce/replyonce/shared/telemetry"
	"github.com/replyonce/replyonce/shared/worktask"
)

// endUnseen reports whether nobody saw how the call of the attempt ended.
func endUnseen(o worktask.Outcome) bool {
	return o.Kind == worktask.Ambiguous || o.Kind == worktask.OperationLost
}

// keepUnseen keeps what the worker knows of a call whose end it did not see. It
// comes after the final write, which decides: a worker that dies in between
// leaves a task whose counts are right and that tells a little less.
func (r Runner) keepUnseen(ctx context.Context, held *holding, o worktask.Outcome) {
	r.keepAttempt(ctx, held, worktask.AttemptRecord{
		Ref: held.task.Ref, AssignmentVersion: held.assignment.Version(), AssignmentID: held.assignment.ID(),
		Outcome: worktask.AttemptUnknown, Provider: o.Provider, ProviderRequestID: o.Report.ProviderRequestID,
		OperationID: held.task.OperationID, BegunAt: held.callBegun, EndedAt: held.clock.now(),
		Cause: cmp.Or(held.cutOff, o.Cause),
	})
}

// keepLost keeps that the worker before this one stopped answering. Which id its
// assignment had, the claim has overwritten; its version is the one before.
func (r Runner) keepLost(ctx context.Context, held *holding) {
	r.keepAttempt(ctx, held, worktask.AttemptRecord{
		Ref: held.task.Ref, AssignmentVersion: held.assignment.Version() - 1, Outcome: worktask.AttemptWorkerLost,
		OperationID: held.task.OperationID, EndedAt: held.clock.now(),
	})
}

func (r Runner) keepAttempt(ctx context.Context, held *holding, record worktask.AttemptRecord) {
	ctx, cancel := r.finalStep(ctx)
	defer cancel()
	if err := r.Evidence.PutAttempt(ctx, record); err != nil {
		held.log.Warn("the record of an attempt was not kept", telemetry.KeyError, err)
	}
}
