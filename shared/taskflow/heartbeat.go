package taskflow

import (
	"context"
	"errors"
	"time"

	"github.com/replyonce/replyonce/shared/telemetry"
	"github.com/replyonce/replyonce/shared/worktask"
)

// Why a call is cancelled by its own worker.
var (
	// errLeaseEnding: the lease could not be renewed in time.
	errLeaseEnding = errors.New("the lease is nearly over and could not be renewed")
	// errCallLimit: the call's own deadline.
	errCallLimit = errors.New("the call has reached its time limit")
	// errHandlerReturned stops what must not outlive the handler.
	errHandlerReturned = errors.New("the attempt is over")
)

// heartbeat renews the lease while the call is within its own deadline: a call
// that hangs is no progress, so no renewal reaches beyond callEnds.
type heartbeat struct {
	runner   Runner
	held     *holding
	callEnds time.Time
	cancel   context.CancelCauseFunc // of the call
}

// run renews until ctx ends. It returns only when no renewal is under way any
// more: nothing of an attempt lives longer than its handler.
func (h *heartbeat) run(ctx context.Context) {
	ticker := time.NewTicker(h.runner.Timers.RenewEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			if !h.renew(ctx) {
				return
			}
		}
	}
}

// renew makes one renewal; false: the assignment is lost and the call was
// cancelled. A renewal that fails is tried again at the next tick; the watchdog
// ends the call when that lasts too long.
func (h *heartbeat) renew(ctx context.Context) bool {
	r := h.runner
	now := h.held.clock.now()
	until := now.Add(r.Timers.Lease)
	if until.After(h.callEnds) {
		until = h.callEnds
	}
	if !until.After(h.held.leaseEnds) {
		return true
	}
	ctx, cancel := context.WithTimeout(ctx, r.Timers.RenewEvery)
	defer cancel()
	_, err := r.Writer.Write(ctx, h.held.task.Ref, h.held.assignment.Renew(now, until))
	if refused, ok := errors.AsType[*worktask.RefusedError](err); ok {
		r.reportRefused(h.held, refused)
		h.cancel(refused)
		return false
	}
	if err != nil {
		h.held.log.Warn("renewal failed", telemetry.KeyError, err)
		return true
	}
	h.held.leaseEnds = until
	elapsed := h.held.clock.now().Sub(now) // counts from before the write was sent
	h.held.watchdog.extend(until.Sub(now) - r.Timers.LeaseReserve - elapsed)
	return true
}
