package storetest

import (
	"fmt"
	"time"

	"github.com/replyonce/replyonce/shared/worktask"
)

// The worker whose writes the table tries has claimed with mineID and got
// version mine. otherID is whoever took the task over after it.
const (
	mineID  = "assignment-mine"
	otherID = "assignment-other"
	newID   = "assignment-new"

	mine  = 3
	other = 4

	callMoney = 1000

	awaited = "D#1/VERSION#1" // what a task waits for
)

// state is a task as a write may find it.
type state struct {
	name string
	make func(ref worktask.Ref) worktask.Task
}

// states are the columns of the decision table, each limit with the instants
// just before, at and after it.
func states() []state {
	var all []state
	for _, v := range variations() {
		all = append(all, pendingStates(v)...)
		all = append(all, runningStates(v)...)
	}
	return append(all, endedStates()...)
}

// variation is what a task has besides its status.
type variation struct {
	name  string
	apply func(t *worktask.Task)
}

func variations() []variation {
	return []variation{
		{"plain", func(*worktask.Task) {}},
		{"deadline in 1 ms", func(t *worktask.Task) { t.Deadline = now().Add(time.Millisecond) }},
		{"deadline now", func(t *worktask.Task) { t.Deadline = now() }},
		{"deadline over", func(t *worktask.Task) { t.Deadline = now().Add(-time.Millisecond) }},
		{"no attempts left", func(t *worktask.Task) { t.Budget.AttemptsLeft = 0 }},
		{"no calls left", func(t *worktask.Task) { t.Budget.CallsLeft = 0 }},
		{"one of each left", func(t *worktask.Task) { t.Budget.AttemptsLeft, t.Budget.CallsLeft = 1, 1 }},
		{"policy stop", func(t *worktask.Task) { t.OnUnknown = worktask.StopUnknown }},
		{"policy stop, call open", func(t *worktask.Task) { t.OnUnknown, t.CallOpen = worktask.StopUnknown, true }},
		{"policy retry, call open", func(t *worktask.Task) { t.CallOpen = true }},
		{"operation saved", func(t *worktask.Task) { t.OperationID = "op-1" }},
		{"operation saved, deadline now", func(t *worktask.Task) { t.OperationID, t.Deadline = "op-1", now() }},
		{"operation saved, no attempts left", func(t *worktask.Task) { t.OperationID, t.Budget.AttemptsLeft = "op-1", 0 }},
		{"operation saved, call open, policy stop", func(t *worktask.Task) {
			t.OperationID, t.OnUnknown, t.CallOpen = "op-1", worktask.StopUnknown, true
		}},
		{"first call known", func(t *worktask.Task) {
			t.Budget.CallsKnown, t.Tokens, t.ProviderRequestID = 1, worktask.Tokens{Input: 10, Output: 20}, "provider-0"
		}},
		{"money for one call", func(t *worktask.Task) { t.Money = worktask.Money{Limit: 2500, Left: callMoney, Call: callMoney} }},
		{"money for less than a call", func(t *worktask.Task) { t.Money = worktask.Money{Limit: 2500, Left: callMoney - 1, Call: callMoney} }},
		{"no money left, operation saved", func(t *worktask.Task) {
			t.Money, t.OperationID = worktask.Money{Limit: callMoney, Call: callMoney}, "op-1"
		}},
		{"money at its limit, calls for nothing", func(t *worktask.Task) { t.Money = worktask.Money{Limit: 1, Left: 1} }},
		{"waits", func(t *worktask.Task) { t.WaitsFor = awaited }},
		{"waits, deadline now", func(t *worktask.Task) { t.WaitsFor, t.Deadline = awaited, now() }},
		{"waits, counts money", func(t *worktask.Task) {
			t.WaitsFor, t.Money = awaited, worktask.Money{Limit: 2500, Left: callMoney, Call: callMoney}
		}},
		{"text in the slot", func(t *worktask.Task) { t.Result = worktask.Result{Body: "stray"} }},
		{"object in the slot", func(t *worktask.Task) {
			t.Result = worktask.Result{ObjectKey: "stray", Bytes: 5, SHA256: "5f"}
		}},
	}
}

// claimedTask is a task after some claims.
func claimedTask(ref worktask.Ref, id string, version int64, v variation) worktask.Task {
	t := task(ref)
	t.AcceptedAt = now().Add(-time.Minute)
	t.NextAttemptAt = now().Add(-30 * time.Second)
	t.Budget.AttemptsLeft, t.Budget.CallsLeft = 2, 5
	t.AssignmentID, t.AssignmentVersion = id, version
	v.apply(&t)
	return t
}

func pendingStates(v variation) []state {
	var all []state
	for name, next := range map[string]time.Duration{
		"ready": -time.Millisecond, "ready this instant": 0, "too early": time.Millisecond,
	} {
		all = append(all, state{"pending " + name + ", released by mine, " + v.name, func(ref worktask.Ref) worktask.Task {
			t := claimedTask(ref, mineID, mine, v)
			t.Status, t.NextAttemptAt = worktask.Pending, now().Add(next)
			t.LeaseExpiresAt = now().Add(time.Millisecond) // a release leaves the lease as it was
			t.Released, t.ReleasedVersion = worktask.ReleaseUnknown, mine
			return t
		}})
	}
	return append(all, state{"pending, never claimed, " + v.name, func(ref worktask.Ref) worktask.Task {
		t := task(ref)
		v.apply(&t)
		return t
	}})
}

func runningStates(v variation) []state {
	var all []state
	for name, end := range map[string]time.Duration{
		"lease ends in 1 ms": time.Millisecond, "lease ends now": 0, "lease over by 1 ms": -time.Millisecond,
		"margin over in 1 ms": time.Millisecond - margin, "margin over now": -margin, "margin over by 1 ms": -margin - time.Millisecond,
	} {
		for id, version := range map[string]int64{mineID: mine, otherID: other} {
			all = append(all, state{fmt.Sprintf("running %s, %s, %s", id, name, v.name), func(ref worktask.Ref) worktask.Task {
				t := claimedTask(ref, id, version, v)
				t.Status, t.LeaseExpiresAt = worktask.Running, now().Add(end)
				return t
			}})
		}
	}
	return all
}

func endedStates() []state {
	end := func(name string, status worktask.Status, apply func(t *worktask.Task)) state {
		return state{name, func(ref worktask.Ref) worktask.Task {
			t := claimedTask(ref, mineID, mine, variation{apply: func(*worktask.Task) {}})
			t.Status, t.EndedAt, t.HandoffDueAt = status, now().Add(-time.Second), time.Time{}
			t.LeaseExpiresAt = now().Add(lease) // an end leaves the lease as it was
			apply(&t)
			return t
		}}
	}
	return []state{
		end("completed by mine", worktask.Completed, func(t *worktask.Task) {
			t.Result, t.EndedBy = worktask.Result{Body: "saved"}, mineID
		}),
		end("completed by other with an object", worktask.Completed, func(t *worktask.Task) {
			t.Result = worktask.Result{ObjectKey: "k", Bytes: 7, SHA256: "ab"}
			t.AssignmentID, t.AssignmentVersion, t.EndedBy = otherID, other, otherID
		}),
		end("failed by mine", worktask.Failed, func(t *worktask.Task) {
			t.FailureReason, t.EndedBy, t.CallOpen = worktask.OutcomeUnknown, mineID, true
		}),
		end("failed by the dispatcher, deadline over", worktask.Failed, func(t *worktask.Task) {
			t.FailureReason, t.EndedBy, t.Deadline = worktask.DeadlineOver, worktask.EndedByDispatcher, now()
		}),
		end("cancelled", worktask.Cancelled, func(t *worktask.Task) {
			t.AssignmentVersion, t.EndedBy = mine+1, worktask.EndedByUser
		}),
		end("cancelled with the version of mine", worktask.Cancelled, func(t *worktask.Task) {
			t.EndedBy = worktask.EndedByUser
		}),
	}
}
