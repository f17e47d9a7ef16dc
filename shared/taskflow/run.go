package taskflow

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/replyonce/replyonce/shared/storeerror"
	"github.com/replyonce/replyonce/shared/telemetry"
	"github.com/replyonce/replyonce/shared/worktask"
)

// Delivery is one received message that names a task.
type Delivery struct {
	Ref          worktask.Ref
	ReceiveCount int
	// FunctionEnds is when the runtime stops the function.
	FunctionEnds time.Time
	// Hold narrows the message's visibility to the lease and keeps it hidden
	// from now on. It does not wait for the queue, and failing is the holder's
	// to log: it costs time after a crash and nothing else.
	Hold func(ctx context.Context)
}

// Runner works on delivered tasks.
type Runner struct {
	Writer   Writer
	Kinds    map[string]Kind
	Waits    Waits // nil: a task that waits is left to workers that know for what
	Evidence EvidenceStore
	Objects  Objects
	Timers   worktask.Timers
	// Money: new tasks count money. Claims are made in the form that fits; a task
	// that was accepted otherwise costs one refused claim more.
	Money  bool
	NewID  func() string    // an assignment id, unique per claim
	Jitter func() float64   // in [0, 1)
	Now    func() time.Time // the same clock as the Writer's
	// Monotonic counts from any fixed start and is never stepped.
	Monotonic func() time.Duration
	Log       *slog.Logger
	Metrics   telemetry.Metrics
}

// Run makes at most one attempt at the task and says what becomes of the
// message. It never returns an error: whatever happens, the state of the task
// and the message decide what follows.
func (r Runner) Run(ctx context.Context, d Delivery) Action {
	log := r.Log.With(telemetry.KeyWorkspace, d.Ref.Workspace, telemetry.KeyTaskID, d.Ref.ID, telemetry.KeyReceiveCount, d.ReceiveCount)
	if d.FunctionEnds.Sub(r.Now()) < r.Timers.WorkerReserve+r.Timers.LeaseReserve {
		log.Info("too little function time left, not claimed")
		return Action{Kind: Back}
	}
	if d.ReceiveCount > 1 {
		// A repeated message usually belongs to an ended task. A read costs
		// less than a claim that is refused on a large completed item.
		if t, err := r.Writer.Tasks.Get(ctx, d.Ref); err == nil && t.Status.Ended() {
			log.Info("task has ended already", telemetry.KeyStatus, t.Status)
			return Action{Kind: Delete}
		}
	}
	held, action := r.claim(ctx, d, log)
	if held == nil {
		return action
	}
	held.functionEnds = d.FunctionEnds
	d.Hold(ctx)
	if held.takeover {
		r.keepLost(ctx, held)
	}
	return r.work(ctx, held)
}

// holding is an assignment and what is known with it.
type holding struct {
	task       worktask.Task // as claimed
	assignment worktask.Assignment
	takeover   bool // from a worker that stopped answering
	log        *slog.Logger
	clock      steadyClock
	watchdog   *watchdog // runs from before the claim was sent
	// leaseEnds is the end of the lease as it is known. The heartbeat alone
	// writes it while it runs.
	leaseEnds    time.Time
	functionEnds time.Time

	callBegun time.Time // zero: no call was begun
	cutOff    string    // why the worker itself ended its call; empty: it did not
}

// claim takes the task or explains, by the action, why it is not to be worked on.
func (r Runner) claim(ctx context.Context, d Delivery, log *slog.Logger) (*holding, Action) {
	ref := d.Ref
	id := r.NewID()
	dog := newWatchdog(r.Timers.Lease - r.Timers.LeaseReserve)
	clock := startClock(r.Now(), r.Monotonic)
	now := clock.now()
	claim := worktask.Claim{
		AssignmentID: id, Now: now, LeaseUntil: now.Add(r.Timers.Lease), Margin: r.Timers.SkewMargin, Reserve: r.Timers.LeaseReserve, Money: r.Money,
	}
	t, err := r.Writer.Write(ctx, ref, claim)
	if refused, waits := waiting(err); waits {
		if action, ready := r.await(ctx, d, refused.Seen, log); !ready {
			dog.stop()
			return nil, action
		}
		claim.Ready = refused.Seen.WaitsFor
		t, err = r.Writer.Write(ctx, ref, claim)
	}
	if errors.Is(err, worktask.ErrMoneyForm) {
		claim.Money = !claim.Money
		t, err = r.Writer.Write(ctx, ref, claim)
	}
	if errors.Is(err, worktask.ErrOperationSaved) {
		t, err = r.Writer.Write(ctx, ref, worktask.LookupClaim{
			AssignmentID: id, Now: now, LeaseUntil: now.Add(r.Timers.Lease), Margin: r.Timers.SkewMargin, Reserve: r.Timers.LeaseReserve,
		})
	}
	if err != nil {
		dog.stop()
		return nil, r.notClaimed(ctx, ref, id, err, log)
	}
	a, ok := worktask.AssignmentOf(t, id)
	if !ok {
		// The claim landed and was overtaken before it could be read back.
		dog.stop()
		return nil, actionFor(t, id, r.Now())
	}
	log = log.With(telemetry.KeyAssignmentVersion, a.Version(), telemetry.KeyAttempt, t.Budget.Attempts(), telemetry.KeyLeaseOwner, a.ID(),
		telemetry.KeyGatewayRequestID, t.GatewayRequestID)
	takeover := r.claimed(t, a, log)
	return &holding{task: t, assignment: a, takeover: takeover, log: log, clock: clock, watchdog: dog, leaseEnds: t.LeaseExpiresAt}, Action{}
}

// claimed reports a claim and whether it is a takeover: a version above one that
// no release preceded is that of a task whose worker stopped answering.
func (r Runner) claimed(t worktask.Task, a worktask.Assignment, log *slog.Logger) (takeover bool) {
	r.Metrics.Count(telemetry.Claims, 1)
	if a.Version() > 1 && t.ReleasedVersion != a.Version()-1 {
		r.Metrics.Count(telemetry.Takeovers, 1)
		if !a.LookupOnly() {
			r.Metrics.Count(telemetry.UnknownOutcomes, 1) // the call that the former worker recorded
		}
		log.Info("task taken over")
		return true
	}
	log.Info("task claimed")
	return false
}

// notClaimed is the row "message delivered" of the decision table for every
// state but the two that a claim is permitted in.
func (r Runner) notClaimed(ctx context.Context, ref worktask.Ref, id string, err error, log *slog.Logger) Action {
	refused, isRefused := errors.AsType[*worktask.RefusedError](err)
	switch {
	case errors.Is(err, storeerror.ErrNotFound):
		log.Error("message names no task", telemetry.KeyError, err)
		return Action{Kind: Back}
	case !isRefused:
		log.Warn("claim failed", telemetry.KeyError, err)
		return Action{Kind: Back}
	case errors.Is(err, worktask.ErrOver):
		return r.end(ctx, ref, refused.Seen, log)
	case errors.Is(err, worktask.ErrTooEarly):
		return waitUntil(refused.Seen.NextAttemptAt, r.Now())
	case errors.Is(err, worktask.ErrLeaseHeld):
		// Also in the margin after the lease: the due time on the task brings
		// it back, and a deferred copy would only be refused again.
		log.Info("another worker holds the task")
		return Action{Kind: Delete}
	}
	return actionFor(refused.Seen, id, r.Now())
}

// end ends a task whose deadline or budget is over.
func (r Runner) end(ctx context.Context, ref worktask.Ref, seen worktask.Task, log *slog.Logger) Action {
	end, over := worktask.EndFor(seen, worktask.EndedByWorker, r.Now(), r.Timers.SkewMargin)
	if !over {
		return Action{Kind: Back}
	}
	return r.endBy(ctx, ref, end, log)
}

// endBy ends a task by one write.
func (r Runner) endBy(ctx context.Context, ref worktask.Ref, end worktask.End, log *slog.Logger) Action {
	t, err := r.Writer.Write(ctx, ref, end)
	if err != nil {
		if refused, ok := errors.AsType[*worktask.RefusedError](err); ok {
			return actionFor(refused.Seen, "", r.Now())
		}
		log.Warn("ending the task failed", telemetry.KeyError, err)
		return Action{Kind: Back}
	}
	reportFailed(log, r.Metrics, t)
	return Action{Kind: Delete}
}

// reportFailed reports the end of a task by whoever was told that it failed. An
// end that meets a task which somebody else has failed takes that for its own, so
// a race is counted twice; no end is left out.
func reportFailed(log *slog.Logger, metrics telemetry.Metrics, t worktask.Task) {
	metrics.Count(telemetry.Failures, 1, telemetry.Reason(string(t.FailureReason)))
	log.Info("task failed", telemetry.KeyReason, t.FailureReason, telemetry.KeyAssignmentVersion, t.AssignmentVersion)
}
