package mutants

import (
	"errors"

	"github.com/replyonce/replyonce/shared/history/check"
	"github.com/replyonce/replyonce/shared/simulation/rules"
	"github.com/replyonce/replyonce/shared/worktask"
)

// forgiving is a claim that lets one kind of refusal pass.
func forgiving(forgiven error, otherwise func(worktask.Claim, worktask.Task) bool) func(worktask.Claim, worktask.Task) error {
	return func(c worktask.Claim, t worktask.Task) error {
		err := c.Permitted(t)
		if errors.Is(err, forgiven) && otherwise(c, t) {
			return nil
		}
		return err
	}
}

func claims() []Mutant {
	return []Mutant{
		{
			Name: "claim under another's lease", Breaks: rules.LeaseRespected, Within: 600,
			Wrong: "a second delivery takes the task from a worker that is alive",
			Wire:  when(forgiving(worktask.ErrLeaseHeld, func(worktask.Claim, worktask.Task) bool { return true })),
		},
		{
			Name: "claim that knows not its own id", Breaks: rules.ClaimedOnce, Within: 600,
			Wrong: "a claim that the client library sends twice pays twice and puts its own worker out",
			Wire:  when(forgiving(worktask.ErrSameAssignment, func(_ worktask.Claim, t worktask.Task) bool { return t.Budget.CallsLeft > 0 })),
		},
		{
			Name: "policy stop guarded in BEGIN alone", Breaks: string(check.P6), Within: 600,
			Wrong: "the claim lets a task through whose call may have run, and its refused BEGIN looks like its own",
			Wire: when(forgiving(worktask.ErrOver, func(c worktask.Claim, t worktask.Task) bool {
				return t.CallOpen && c.Now.Before(t.Deadline) && t.Budget.AttemptsLeft > 0 && t.Budget.CallsLeft > 0 && t.OperationID == ""
			})),
		},
		{
			Name: "claim after the deadline", Breaks: string(check.P6), Within: 600,
			Wrong: "a task that is over is worked on",
			Wire: when(forgiving(worktask.ErrOver, func(c worktask.Claim, t worktask.Task) bool {
				return !c.Now.Before(t.Deadline) && t.Budget.CallsLeft > 0 && t.OperationID == "" && t.Status == worktask.Pending
			})),
		},
		{
			Name: "claim that keeps the version", Breaks: string(check.P3), Within: 600,
			Wrong: "a takeover does not put the former worker out",
			Wire: with(func(c worktask.Claim, t worktask.Task) worktask.Task {
				version := t.AssignmentVersion
				t = c.Apply(t)
				t.AssignmentVersion = max(version, 1)
				return t
			}),
		},
	}
}

func budgets() []Mutant {
	return []Mutant{
		{
			Name: "budget counted by receive count", Breaks: string(check.P6), Within: 600,
			Wrong: "the queue's counter bounds the attempts: a message that is published again starts anew",
			Wire:  countedByQueue,
		},
		{
			Name: "takeover that refills the budget", Breaks: string(check.P6), Within: 600,
			Wrong: "each worker that dies gives the next one a full budget",
			Wire: with(func(c worktask.Claim, t worktask.Task) worktask.Task {
				takeover := t.Status == worktask.Running
				t = c.Apply(t)
				if takeover {
					t.Budget.AttemptsLeft, t.Budget.CallsLeft = t.Budget.AttemptLimit, t.Budget.CallLimit
				}
				return t
			}),
		},
		{
			Name: "retry that forgets spend", Breaks: string(check.P14), Within: 600,
			Wrong: "a released task no longer shows what was called and used before",
			Wire: with(func(r worktask.Release, t worktask.Task) worktask.Task {
				t = r.Apply(t)
				t.Budget.CallsLeft, t.Budget.CallsKnown, t.Tokens = t.Budget.CallLimit, 0, worktask.Tokens{}
				return t
			}),
		},
		{
			Name: "retry that forgets money", Breaks: rules.BudgetKept, Within: 600,
			Wrong: "what a call with an unknown end may have cost is free for the next one",
			Wire: with(func(r worktask.Release, t worktask.Task) worktask.Task {
				t = r.Apply(t)
				t.Money.Left = t.Money.Limit
				return t
			}),
		},
		{
			Name: "takeover that refills the money", Breaks: rules.BudgetKept, Within: 600,
			Wrong: "a worker that died is taken for one that has spent nothing",
			Wire: when(func(c worktask.Claim, t worktask.Task) error {
				if t.Status == worktask.Running {
					t.Money.Left = t.Money.Limit
				}
				return c.Permitted(t)
			}),
		},
		{
			Name: "look-up that pays", Breaks: string(check.P6), Within: 600,
			Wrong: "each look at a saved operation takes the money of a call, until the answer that was paid cannot be had",
			Wire: with(func(c worktask.LookupClaim, t worktask.Task) worktask.Task {
				t = c.Apply(t)
				t.Money.Left -= t.Money.Call
				return t
			}),
		},
		{
			Name: "empty answer that is free", Breaks: rules.BudgetKept, Within: 600,
			Wrong: "an answer without a text gives its money back like a call that was never executed",
			Wire: with(func(r worktask.Release, t worktask.Task) worktask.Task {
				left := t.Money.Left
				t = r.Apply(t)
				if r.Mode() == worktask.ReleaseFailed && t.Money.Counted() {
					t.Money.Left = left + t.Money.Call
				}
				return t
			}),
		},
		{
			Name: "rejection that gives the call back", Breaks: string(check.P6), Within: 600,
			Wrong: "a provider that refuses is asked without a limit",
			Wire: with(func(r worktask.Release, t worktask.Task) worktask.Task {
				t = r.Apply(t)
				if r.GivesBackAttempt() {
					t.Budget.CallsLeft++
				}
				return t
			}),
		},
		{
			Name: "unknown end that gives the attempt back", Breaks: string(check.P6), Within: 600,
			Wrong: "a provider that is cut off is asked twice as often",
			Wire: with(func(r worktask.Release, t worktask.Task) worktask.Task {
				t = r.Apply(t)
				if r.Mode() == worktask.ReleaseUnknown {
					t.Budget.AttemptsLeft++
				}
				return t
			}),
		},
		{
			Name: "unknown outcome counted as known", Breaks: string(check.P14), Within: 600,
			Wrong: "a call whose end nobody saw is repeated without the limit for such repeats",
			Wire: with(func(r worktask.Release, t worktask.Task) worktask.Task {
				t = r.Apply(t)
				if r.Mode() == worktask.ReleaseUnknown {
					t.Budget.CallsKnown++
				}
				return t
			}),
		},
	}
}
