package storetest

import (
	"time"

	"github.com/replyonce/replyonce/shared/worktask"
)

// variant is one write to try on every state.
type variant struct {
	name string
	make func(ref worktask.Ref, seen worktask.Task) worktask.Transition
}

// report is what was seen of a call, with every field in use.
var report = worktask.Report{
	Tokens: worktask.Tokens{Input: 120, Output: 45}, ProviderRequestID: "provider-1", Cost: worktask.Cost{Known: true, Micros: 300},
}

// variants are the writes of the decision table, by name.
func variants() map[string][]variant {
	return map[string][]variant{
		"claim": {
			{"by a new assignment", func(worktask.Ref, worktask.Task) worktask.Transition { return claim(newID) }},
			{"by the assignment on the task", func(worktask.Ref, worktask.Task) worktask.Transition { return claim(mineID) }},
			{"that takes money", func(worktask.Ref, worktask.Task) worktask.Transition {
				c := claim(newID)
				c.Money = true
				return c
			}},
			{"that has seen ready what is waited for", func(worktask.Ref, worktask.Task) worktask.Transition {
				c := claim(newID)
				c.Ready = awaited
				return c
			}},
			{"that has seen something else ready", func(worktask.Ref, worktask.Task) worktask.Transition {
				c := claim(newID)
				c.Ready = awaited + "0"
				return c
			}},
		},
		"claim_lookup": {
			{"by a new assignment", func(worktask.Ref, worktask.Task) worktask.Transition { return lookupClaim(newID) }},
			{"by the assignment on the task", func(worktask.Ref, worktask.Task) worktask.Transition { return lookupClaim(mineID) }},
		},
		"begin":          worker(func(a worktask.Assignment) worktask.Transition { return a.Begin(now()) }),
		"renew":          renewals(),
		"save_operation": worker(func(a worktask.Assignment) worktask.Transition { return a.SaveOperation(now(), "op-2") }),
		"complete":       completions(),
		"fail":           failures(),
		"release":        releases(),
		"end":            ends(),
		"cancel": {
			{"by its caller", func(worktask.Ref, worktask.Task) worktask.Transition { return worktask.Cancel{Now: now()} }},
		},
		"raise": {
			{"of the version that stands", func(_ worktask.Ref, seen worktask.Task) worktask.Transition { return worktask.RaiseOf(seen, 1_000_000) }},
			{"of a version that has moved", func(_ worktask.Ref, seen worktask.Task) worktask.Transition {
				return worktask.Raise{Seen: seen.AssignmentVersion - 1, To: seen.AssignmentVersion + 1_000_000}
			}},
			{"by nothing", func(_ worktask.Ref, seen worktask.Task) worktask.Transition { return worktask.RaiseOf(seen, 0) }},
		},
		"bump": {
			{"of the due time that stands", func(_ worktask.Ref, seen worktask.Task) worktask.Transition {
				return worktask.Bump{Seen: due(seen), Due: now().Add(time.Minute)}
			}},
			{"of a due time that has moved", func(_ worktask.Ref, seen worktask.Task) worktask.Transition {
				return worktask.Bump{Seen: due(seen).Add(-time.Millisecond), Due: now().Add(time.Minute)}
			}},
		},
	}
}

// due is the due time to bump; an ended task has none, and a dispatcher that
// saw one before the end names it.
func due(seen worktask.Task) time.Time {
	if seen.HandoffDueAt.IsZero() {
		return now()
	}
	return seen.HandoffDueAt
}

func claim(id string) worktask.Claim {
	return worktask.Claim{AssignmentID: id, Now: now(), LeaseUntil: now().Add(lease), Margin: margin, Reserve: 5 * time.Second}
}

func lookupClaim(id string) worktask.LookupClaim {
	return worktask.LookupClaim{AssignmentID: id, Now: now(), LeaseUntil: now().Add(lease), Margin: margin, Reserve: 5 * time.Second}
}

// worker tries a write with the right of the worker's own version. The states
// have that version and a later one.
func worker(write func(a worktask.Assignment) worktask.Transition) []variant {
	return []variant{current("with version mine", write)}
}

// current tries a write with the right of the worker's own version.
func current(name string, write func(a worktask.Assignment) worktask.Transition) variant {
	return ofVersion(name, mine, write)
}

// ofVersion tries a write with the right of some version.
func ofVersion(name string, version int64, write func(a worktask.Assignment) worktask.Transition) variant {
	return variant{name, func(ref worktask.Ref, seen worktask.Task) worktask.Transition {
		return write(claimedWith(seen.Money, ref, mineID, version))
	}}
}

func renewals() []variant {
	return append(worker(func(a worktask.Assignment) worktask.Transition { return a.Renew(now(), now().Add(lease)) }),
		current("to the end that is stored", func(a worktask.Assignment) worktask.Transition {
			return a.Renew(now(), now().Add(time.Millisecond))
		}),
		current("to 1 ms after the end that is stored", func(a worktask.Assignment) worktask.Transition {
			return a.Renew(now(), now().Add(2*time.Millisecond))
		}),
		current("to now", func(a worktask.Assignment) worktask.Transition { return a.Renew(now(), now()) }),
	)
}

func completions() []variant {
	text := worktask.Result{Body: "The answer: 漢字 👍🏽"}
	object := worktask.Result{ObjectKey: "results/t/a", Bytes: 400_000, SHA256: "c0ffee"}
	withText := func(a worktask.Assignment) worktask.Transition { return a.Complete(now(), text, report) }
	return append(worker(withText),
		ofVersion("with an older version", mine-1, withText),
		ofVersion("with a newer version", mine+1, withText),
		current("with an object", func(a worktask.Assignment) worktask.Transition { return a.Complete(now(), object, report) }),
		current("that cost more than was taken for it", func(a worktask.Assignment) worktask.Transition {
			return a.Complete(now(), text, worktask.Report{Cost: worktask.Cost{Known: true, Micros: callMoney + 1}})
		}),
		current("without a report", func(a worktask.Assignment) worktask.Transition {
			return a.Complete(now(), text, worktask.Report{})
		}),
	)
}

func failures() []variant {
	return append(worker(func(a worktask.Assignment) worktask.Transition {
		return a.Fail(now(), worktask.Declined, true, report)
	}),
		current("with an unknown outcome", func(a worktask.Assignment) worktask.Transition {
			return a.Fail(now(), worktask.OutcomeUnknown, false, worktask.Report{})
		}),
	)
}

func releases() []variant {
	release := func(a worktask.Assignment, mode worktask.ReleaseMode) worktask.Transition {
		return a.Release(now(), mode, now().Add(5*time.Second), now().Add(35*time.Second), report)
	}
	all := worker(func(a worktask.Assignment) worktask.Transition { return release(a, worktask.ReleaseRejected) })
	for _, mode := range []worktask.ReleaseMode{
		worktask.ReleaseUnknown, worktask.ReleaseLookup, worktask.ReleaseLookupLost, worktask.ReleaseFailed,
	} {
		all = append(all, current("as "+string(mode), func(a worktask.Assignment) worktask.Transition { return release(a, mode) }))
	}
	return append(all, variant{"of a look-up", func(ref worktask.Ref, seen worktask.Task) worktask.Transition {
		return release(claimedForLookup(seen.Money, ref, mineID, mine), worktask.ReleaseRejected)
	}})
}

func ends() []variant {
	var all []variant
	for _, reason := range []worktask.Reason{
		worktask.DeadlineOver, worktask.AttemptsExhausted, worktask.OutcomeUnknown, worktask.BudgetExhausted,
	} {
		all = append(all, variant{"for " + string(reason), func(worktask.Ref, worktask.Task) worktask.Transition {
			return worktask.End{Reason: reason, By: worktask.EndedByDispatcher, Now: now(), Margin: margin}
		}})
	}
	for name, thing := range map[string]string{"what is waited for": awaited, "something else": awaited + "0"} {
		all = append(all, variant{"for " + name + " that never comes", func(worktask.Ref, worktask.Task) worktask.Transition {
			return worktask.End{Reason: worktask.DocumentUnreadable, By: worktask.EndedByWorker, Now: now(), Margin: margin, WaitsFor: thing}
		}})
	}
	return all
}
