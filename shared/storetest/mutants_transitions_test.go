package storetest_test

import (
	"time"

	"github.com/replyonce/replyonce/shared/worktask"
)

// overlooking forgets one part of the condition: it looks at the task as it
// would be if that part held.
func overlooking(name, found string, overlook func(tr worktask.Transition, t *worktask.Task)) mutant {
	return mutant{name, "Transition/" + found, bending(func(tr worktask.Transition) worktask.Transition {
		return bent{Transition: tr, permitted: func(t worktask.Task) error {
			overlook(tr, &t)
			return tr.Permitted(t) //nolint:wrapcheck // it is the condition itself
		}}
	})}
}

// leaving does something else besides the effect.
func leaving(name, found string, leave func(before worktask.Task, after *worktask.Task)) mutant {
	return mutant{name, "Transition/" + found, bending(func(tr worktask.Transition) worktask.Transition {
		if tr.Name() != found {
			return tr
		}
		return bent{Transition: tr, apply: func(t worktask.Task) worktask.Task {
			after := tr.Apply(t)
			leave(t, &after)
			return after
		}}
	})}
}

func distant() time.Time { return time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC) }

func versionOf(tr worktask.Transition) int64 {
	return tr.(interface{ Assignment() worktask.Assignment }).Assignment().Version() //nolint:forcetypeassert // asked of workers' writes only
}

func transitionMutants() []mutant {
	var all []mutant
	for _, write := range []string{"begin", "renew", "save_operation", "complete", "fail", "release"} {
		all = append(all, fenceMutants(write)...)
	}
	all = append(all, conditionMutants()...)
	return append(all, effectMutants()...)
}

// fenceMutants forget one part of the fence each, for every write behind it.
func fenceMutants(write string) []mutant {
	return []mutant{
		overlooking(write+" without the version", write, func(tr worktask.Transition, t *worktask.Task) {
			t.AssignmentVersion = versionOf(tr)
		}),
		overlooking(write+" without the lease", write, func(tr worktask.Transition, t *worktask.Task) {
			if tr.Name() != "renew" {
				t.LeaseExpiresAt = distant()
				return
			}
			if over := !t.LeaseValid(tr.(worktask.Renewal).Now()); over { //nolint:forcetypeassert // it is called renew
				t.LeaseExpiresAt = tr.(worktask.Renewal).Now().Add(time.Millisecond) //nolint:forcetypeassert // as above
			}
		}),
		overlooking(write+" without the status", write, func(_ worktask.Transition, t *worktask.Task) {
			t.Status = worktask.Running
		}),
	}
}

func conditionMutants() []mutant {
	return []mutant{
		overlooking("completion into a slot with a text", "complete", func(_ worktask.Transition, t *worktask.Task) { t.Result.Body = "" }),
		overlooking("completion into a slot with an object", "complete", func(_ worktask.Transition, t *worktask.Task) { t.Result.ObjectKey = "" }),
		overlooking("second begin", "begin", func(_ worktask.Transition, t *worktask.Task) { t.CallOpen = false }),
		overlooking("renewal that shortens", "renew", func(_ worktask.Transition, t *worktask.Task) {
			t.LeaseExpiresAt = t.LeaseExpiresAt.Add(-time.Microsecond).Truncate(time.Millisecond)
		}),
		overlooking("claim without attempts", "claim", func(_ worktask.Transition, t *worktask.Task) { t.Budget.AttemptsLeft = 1 }),
		overlooking("claim without calls", "claim", func(_ worktask.Transition, t *worktask.Task) { t.Budget.CallsLeft = 1 }),
		overlooking("claim without the money", "claim", func(_ worktask.Transition, t *worktask.Task) { t.Money.Left = t.Money.Limit }),
		overlooking("claim in the other form", "claim", func(tr worktask.Transition, t *worktask.Task) {
			t.Money = worktask.Money{}
			if c, isClaim := tr.(worktask.Claim); isClaim && c.Money {
				t.Money = worktask.Money{Limit: 1, Left: 1}
			}
		}),
		overlooking("claim of a task that waits", "claim", func(_ worktask.Transition, t *worktask.Task) { t.WaitsFor = "" }),
		overlooking("claim that has seen anything ready", "claim", func(tr worktask.Transition, t *worktask.Task) {
			if c, isClaim := tr.(worktask.Claim); isClaim && c.Ready != "" {
				t.WaitsFor = ""
			}
		}),
		overlooking("end of a wait for something else", "end", func(tr worktask.Transition, t *worktask.Task) {
			if e, isEnd := tr.(worktask.End); isEnd && t.WaitsFor != "" {
				t.WaitsFor = e.WaitsFor
			}
		}),
		overlooking("claim of an open call", "claim", func(_ worktask.Transition, t *worktask.Task) { t.CallOpen = false }),
		overlooking("claim after the deadline", "claim", func(_ worktask.Transition, t *worktask.Task) { t.Deadline = distant() }),
		overlooking("claim of a saved operation", "claim", func(_ worktask.Transition, t *worktask.Task) { t.OperationID = "" }),
		overlooking("claim that is too early", "claim", func(_ worktask.Transition, t *worktask.Task) { t.NextAttemptAt = time.Time{} }),
		overlooking("claim by the same assignment", "claim", func(_ worktask.Transition, t *worktask.Task) { t.AssignmentID = "" }),
		overlooking("takeover inside the margin", "claim", func(_ worktask.Transition, t *worktask.Task) {
			t.LeaseExpiresAt = t.LeaseExpiresAt.Add(-2 * time.Second)
		}),
		overlooking("takeover one instant early", "claim", func(_ worktask.Transition, t *worktask.Task) {
			t.LeaseExpiresAt = t.LeaseExpiresAt.Add(-time.Millisecond)
		}),
		overlooking("look-up without an operation", "claim_lookup", func(_ worktask.Transition, t *worktask.Task) { t.OperationID = "op" }),
		overlooking("look-up after the deadline", "claim_lookup", func(_ worktask.Transition, t *worktask.Task) { t.Deadline = distant() }),
		overlooking("end of a task whose lease holds", "end", func(_ worktask.Transition, t *worktask.Task) { t.LeaseExpiresAt = time.Time{} }),
		overlooking("end before the deadline", "end", func(_ worktask.Transition, t *worktask.Task) { t.Deadline = time.Time{} }),
		overlooking("end with budget left", "end", func(_ worktask.Transition, t *worktask.Task) { t.Budget.CallsLeft = 0 }),
		overlooking("end with money left", "end", func(_ worktask.Transition, t *worktask.Task) { t.Money = worktask.Money{Limit: 1, Call: 1} }),
		overlooking("end of a saved operation", "end", func(_ worktask.Transition, t *worktask.Task) { t.OperationID = "" }),
		overlooking("end of a call that was never begun", "end", func(_ worktask.Transition, t *worktask.Task) { t.CallOpen = true }),
		overlooking("end under the other policy", "end", func(_ worktask.Transition, t *worktask.Task) { t.OnUnknown = worktask.StopUnknown }),
		overlooking("end of what has ended", "end", func(_ worktask.Transition, t *worktask.Task) { t.Status = worktask.Pending }),
		overlooking("cancel of what has ended", "cancel", func(_ worktask.Transition, t *worktask.Task) { t.Status = worktask.Pending }),
		overlooking("bump of what has ended", "bump", func(tr worktask.Transition, t *worktask.Task) {
			t.Status, t.HandoffDueAt = worktask.Pending, tr.(worktask.Bump).Seen //nolint:forcetypeassert // tried with bumps only
		}),
		{"bump that looks at the due time only", "Handoffs/endedTaskIsNotBumped", bending(func(tr worktask.Transition) worktask.Transition {
			return bent{Transition: tr, permitted: func(t worktask.Task) error {
				t.Status = worktask.Pending
				return tr.Permitted(t) //nolint:wrapcheck // it is the condition itself
			}}
		})},
		overlooking("bump of another due time", "bump", func(tr worktask.Transition, t *worktask.Task) {
			t.HandoffDueAt = tr.(worktask.Bump).Seen //nolint:forcetypeassert // tried with bumps only
		}),
	}
}

func effectMutants() []mutant {
	return []mutant{
		leaving("claim that removes the due time", "claim", func(_ worktask.Task, t *worktask.Task) { t.HandoffDueAt = time.Time{} }),
		leaving("claim that goes on waiting", "claim", func(before worktask.Task, t *worktask.Task) { t.WaitsFor = before.WaitsFor }),
		leaving("claim that pays no call", "claim", func(before worktask.Task, t *worktask.Task) { t.Budget.CallsLeft = before.Budget.CallsLeft }),
		leaving("claim that takes no money", "claim", func(before worktask.Task, t *worktask.Task) { t.Money = before.Money }),
		leaving("look-up that takes money", "claim_lookup", func(_ worktask.Task, t *worktask.Task) { t.Money.Left -= t.Money.Call }),
		leaving("completion that keeps what was not used", "complete", func(before worktask.Task, t *worktask.Task) { t.Money = before.Money }),
		leaving("failure that gives the money of an unknown end back", "fail", func(before worktask.Task, t *worktask.Task) {
			t.Money.Left = before.Money.Left + before.Money.Call
		}),
		leaving("release that always gives the money back", "release", func(before worktask.Task, t *worktask.Task) {
			t.Money.Left = before.Money.Left + before.Money.Call
		}),
		leaving("claim that keeps the version", "claim", func(before worktask.Task, t *worktask.Task) { t.AssignmentVersion = before.AssignmentVersion }),
		leaving("look-up that pays", "claim_lookup", func(_ worktask.Task, t *worktask.Task) { t.Budget.AttemptsLeft-- }),
		leaving("cancel that keeps the version", "cancel", func(before worktask.Task, t *worktask.Task) { t.AssignmentVersion = before.AssignmentVersion }),
		leaving("cancel that keeps the due time", "cancel", func(before worktask.Task, t *worktask.Task) { t.HandoffDueAt = before.HandoffDueAt }),
		leaving("completion that keeps the due time", "complete", func(before worktask.Task, t *worktask.Task) { t.HandoffDueAt = before.HandoffDueAt }),
		leaving("completion that leaves the call open", "complete", func(before worktask.Task, t *worktask.Task) { t.CallOpen = before.CallOpen }),
		leaving("completion that forgets the spend", "complete", func(before worktask.Task, t *worktask.Task) { t.Tokens = before.Tokens }),
		leaving("failure that knows the unknown", "fail", func(before worktask.Task, t *worktask.Task) { t.Budget.CallsKnown = before.Budget.CallsKnown + 1 }),
		leaving("release that always gives back", "release", func(before worktask.Task, t *worktask.Task) { t.Budget.AttemptsLeft = before.Budget.AttemptsLeft + 1 }),
		leaving("release that gives calls back", "release", func(before worktask.Task, t *worktask.Task) { t.Budget.CallsLeft = before.Budget.CallsLeft + 1 }),
		leaving("release that always closes the call", "release", func(_ worktask.Task, t *worktask.Task) { t.CallOpen = false }),
		leaving("release that forgets the operation", "release", func(_ worktask.Task, t *worktask.Task) { t.OperationID = "" }),
		leaving("release that leaves the due time", "release", func(before worktask.Task, t *worktask.Task) { t.HandoffDueAt = before.HandoffDueAt }),
		leaving("end that forgets who", "end", func(_ worktask.Task, t *worktask.Task) { t.EndedBy = "" }),
		leaving("renewal that moves the due time", "renew", func(_ worktask.Task, t *worktask.Task) { t.HandoffDueAt = t.LeaseExpiresAt }),
		leaving("times that are rounded up", "release", func(_ worktask.Task, t *worktask.Task) {
			t.NextAttemptAt = t.NextAttemptAt.Round(time.Millisecond)
		}),
	}
}
