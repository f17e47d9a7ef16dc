package taskflow

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/replyonce/replyonce/shared/telemetry"
	"github.com/replyonce/replyonce/shared/worktask"
)

// work makes the attempt that was claimed and writes what follows from it.
func (r Runner) work(ctx context.Context, held *holding) Action {
	defer held.watchdog.stop()
	outcome := r.attempt(ctx, held)
	return r.finish(ctx, held, outcome)
}

// attempt gets the outcome of the attempt. Everything that it starts has ended
// when it returns: a goroutine that survived the handler would be frozen with
// it and act in the middle of another invocation.
func (r Runner) attempt(ctx context.Context, held *holding) worktask.Outcome {
	callEnds := r.callEnds(held)
	ctx, cancelLimit := context.WithTimeoutCause(ctx, callEnds.Sub(held.clock.now()), errCallLimit)
	defer cancelLimit()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(errHandlerReturned)
	held.watchdog.onExpiry(func() { cancel(errLeaseEnding) })

	beat := &heartbeat{runner: r, held: held, callEnds: callEnds, cancel: cancel}
	stop := r.startHeartbeat(ctx, beat)
	defer stop()

	if outcome, ok := r.mayCall(held, callEnds); !ok {
		return outcome
	}
	work, outcome, ok := r.prepare(ctx, held)
	if !ok {
		return outcome
	}
	if held.assignment.LookupOnly() {
		held.log.Info("operation looked up", telemetry.KeyOperation, "look_up")
		outcome := work.LookUp(ctx, held.task.OperationID)
		reportCall(ctx, held, outcome)
		return outcome
	}
	if outcome, ok := r.begin(ctx, held); !ok {
		return outcome
	}
	return r.call(ctx, held, work)
}

// mayCall checks what the claim's condition could not: it compares stored
// numbers with constants and cannot add. The call that the claim recorded is
// then not made, and counts as known.
func (r Runner) mayCall(held *holding, callEnds time.Time) (worktask.Outcome, bool) {
	switch {
	case held.assignment.LookupOnly():
		return worktask.Outcome{}, true
	case held.task.OnUnknown == worktask.RetryUnknown && !held.task.MayRepeatUnknown():
		// Under "stop" a call that was begun is refused by the claim itself;
		// claims that died before they began one may be repeated.
		return notMade(worktask.OutcomeUnknown), false
	case callEnds.Sub(held.clock.now()) < r.Timers.LeaseReserve && callEnds.Equal(held.task.Deadline):
		// Sent now, it would be cut off and leave an unknown end behind.
		return notMade(worktask.DeadlineOver), false
	}
	return worktask.Outcome{}, true
}

// notMade ends the task ahead of its call, which then has cost nothing.
func notMade(reason worktask.Reason) worktask.Outcome {
	return worktask.Outcome{
		Kind: worktask.Permanent, Reason: reason, Report: worktask.Report{Cost: worktask.Cost{Known: true}},
	}
}

// callEnds is the latest end of the call: its own limit, the task's deadline,
// and the function's time less what the last writes need.
func (r Runner) callEnds(held *holding) time.Time {
	ends := held.clock.now().Add(r.Timers.CallLimit)
	if held.task.Deadline.Before(ends) {
		ends = held.task.Deadline
	}
	if function := held.functionEnds.Add(-r.Timers.WorkerReserve); function.Before(ends) {
		ends = function
	}
	return ends
}

func (r Runner) startHeartbeat(ctx context.Context, beat *heartbeat) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	var running sync.WaitGroup
	running.Go(func() { beat.run(ctx) })
	return func() {
		cancel()
		running.Wait()
	}
}

func (r Runner) prepare(ctx context.Context, held *holding) (Work, worktask.Outcome, bool) {
	kind, known := r.Kinds[held.task.Kind]
	if !known {
		held.log.Error("task has a kind that this worker does not know", telemetry.KeyKind, held.task.Kind)
		return nil, unsent(held), false
	}
	work, err := kind.Prepare(ctx, held.task)
	if err == nil {
		return work, worktask.Outcome{}, true
	}
	held.log.Warn("preparing the attempt failed", telemetry.KeyError, err)
	if permanent, ok := errors.AsType[*PermanentError](err); ok {
		return nil, notMade(permanent.Reason), false
	}
	return nil, unsent(held), false
}

// unsent is the outcome of an attempt in which nothing was sent.
func unsent(held *holding) worktask.Outcome {
	if held.assignment.LookupOnly() {
		return worktask.Outcome{Kind: worktask.OperationRuns}
	}
	return worktask.Outcome{Kind: worktask.Rejected}
}

// begin records, where an unknown outcome must not be repeated, that the
// request is about to be sent. Without it nothing may be sent.
func (r Runner) begin(ctx context.Context, held *holding) (worktask.Outcome, bool) {
	if held.task.OnUnknown != worktask.StopUnknown {
		return worktask.Outcome{}, true
	}
	if _, err := r.Writer.Write(ctx, held.task.Ref, held.assignment.Begin(held.clock.now())); err != nil {
		held.log.Warn("beginning the call failed, nothing sent", telemetry.KeyError, err)
		return unsent(held), false
	}
	return worktask.Outcome{}, true
}

// call makes the request. An operation id that was saved in time turns "nobody
// saw the end" into "look it up".
func (r Runner) call(ctx context.Context, held *holding, work Work) worktask.Outcome {
	saved := false
	save := func(ctx context.Context, operationID string) error {
		_, err := r.Writer.Write(ctx, held.task.Ref, held.assignment.SaveOperation(held.clock.now(), operationID))
		saved = err == nil
		return err
	}
	held.log.Info("call begun", telemetry.KeyKind, held.task.Kind)
	held.callBegun = held.clock.now()
	outcome := work.Call(ctx, save)
	reportCall(ctx, held, outcome)
	if outcome.Kind == worktask.Ambiguous && saved {
		outcome.Kind = worktask.OperationRuns
	}
	return outcome
}

// cutOffBecause is the cause in words that everybody may read. A refused write
// names ids and states; why it was refused is enough.
func cutOffBecause(cause error) string {
	if refused, ok := errors.AsType[*worktask.RefusedError](cause); ok {
		return refused.Cause.Error()
	}
	return cause.Error()
}

// reportCall tells operators how a call ended that brought no answer. The cause
// holds no texts; the provider adapters see to it.
func reportCall(ctx context.Context, held *holding, o worktask.Outcome) {
	if ctx.Err() != nil {
		held.cutOff = cutOffBecause(context.Cause(ctx))
		held.log.Info("call cancelled", telemetry.KeyReason, context.Cause(ctx).Error())
	}
	if o.Err != nil {
		held.log.Warn("call brought no answer", telemetry.KeyReason, string(o.Reason), telemetry.KeyError, o.Err,
			telemetry.KeyProviderRequestID, o.Report.ProviderRequestID)
	}
}
