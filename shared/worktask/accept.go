package worktask

import "time"

// NewTask is a task as accept stores it: pending, unclaimed, its whole budget
// left and its handoff due one grace after the first, immediate publication.
func NewTask(ref Ref, kind, caller, input, gatewayRequestID string, policy UnknownPolicy, now time.Time, t Timers) Task {
	return Task{
		Ref: ref, Kind: kind, Caller: caller, Input: input, GatewayRequestID: gatewayRequestID,
		Status: Pending, OnUnknown: policy,
		Budget:     NewBudget(t.Attempts, t.Calls, t.UnknownRepeats),
		AcceptedAt: now, NextAttemptAt: now, Deadline: now.Add(t.TaskDeadline), HandoffDueAt: now.Add(t.HandoffGrace),
	}
}
