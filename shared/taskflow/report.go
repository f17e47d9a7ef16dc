package taskflow

import (
	"github.com/replyonce/replyonce/shared/telemetry"
	"github.com/replyonce/replyonce/shared/worktask"
)

// countSpend counts what the provider reported, and its price where that is known, whatever becomes of the
// attempt: it is paid for when its write is refused, too. A claim that looks up
// the answer of a saved operation once more counts it once more.
func (r Runner) countSpend(report worktask.Report) {
	t := report.Tokens
	if t.Input > 0 {
		r.Metrics.Count(telemetry.InputTokens, int(t.Input))
	}
	if t.Output > 0 {
		r.Metrics.Count(telemetry.OutputTokens, int(t.Output))
	}
	if report.Cost.Known && report.Cost.Micros > 0 {
		r.Metrics.Count(telemetry.MoneySpent, int(report.Cost.Micros))
	}
}

// reportRefused reports a write of the holder that the fence refused.
func (r Runner) reportRefused(held *holding, refused *worktask.RefusedError) {
	cause := refusalCause(refused, held.assignment)
	r.Metrics.Count(telemetry.RefusedWrites, 1, telemetry.Kind(refused.Transition), telemetry.Cause(cause))
	held.log.Info("write refused", telemetry.KeyOperation, refused.Transition, telemetry.KeyCause, string(cause),
		telemetry.KeyReason, refused.Cause.Error(), telemetry.KeyStatus, refused.Seen.Status)
}

// refusalCause tells operators what became of the worker, where the error tells
// the worker what became of the task:
//
//	A: version 1, freezes.    B: version 2, completes.
//	A: refused, "completed already"; to an operator a stale write like any other.
//
// A cancel moves the version on by one. Where it moved on by more, the worker
// had been replaced before.
func refusalCause(refused *worktask.RefusedError, a worktask.Assignment) telemetry.RefusalCause {
	cancelled := refused.Seen.Status == worktask.Cancelled
	version := refused.Seen.AssignmentVersion
	if cancelled {
		version--
	}
	switch {
	case version != a.Version():
		return telemetry.RefusedStale
	case cancelled:
		return telemetry.RefusedCancelled
	case refused.Seen.Status.Ended():
		return telemetry.RefusedEnded
	default:
		return telemetry.RefusedLeaseOver
	}
}
