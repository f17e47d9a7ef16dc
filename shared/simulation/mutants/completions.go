package mutants

import (
	"github.com/replyonce/replyonce/shared/history/check"
	"github.com/replyonce/replyonce/shared/simulation/rules"
	"github.com/replyonce/replyonce/shared/simulation/world"
	"github.com/replyonce/replyonce/shared/worktask"
)

func running(t worktask.Task) bool { return t.Status == worktask.Running }

func completions() []Mutant {
	return []Mutant{
		{
			Name: "completion without version", Breaks: string(check.P2), Within: 600,
			Wrong: "status and lease are compared, the version is not: a worker that was replaced completes under its successor's lease",
			Wire: when(func(c worktask.Completion, t worktask.Task) error {
				return only(running(t) && t.LeaseValid(c.Now()) && !t.Result.Present())
			}),
		},
		{
			Name: "completion without lease check", Breaks: string(check.P2), Within: 600,
			Wrong: "a worker whose lease is over, and whom nobody has replaced yet, still completes",
			Wire: when(func(c worktask.Completion, t worktask.Task) error {
				return only(running(t) && t.AssignmentVersion == c.Assignment().Version() && !t.Result.Present())
			}),
		},
		{
			Name: "completion without response absent", Breaks: string(check.EndFinal), Within: 600,
			Wrong: "version and lease are compared, neither status nor response: a second try of a completion changes the ended task",
			Wire: when(func(c worktask.Completion, t worktask.Task) error {
				return only(t.AssignmentVersion == c.Assignment().Version() && c.Now().Before(t.LeaseExpiresAt))
			}),
		},
		{
			Name: "any attempt may complete", Breaks: string(check.P2), Within: 600,
			Wrong: "whoever has an answer saves it while the task has not ended, as a job queue does that guards by state alone",
			Wire: when(func(_ worktask.Completion, t worktask.Task) error {
				return only(!t.Status.Ended() && !t.Result.Present())
			}),
		},
		{
			Name: "completion without any condition", Breaks: string(check.P1), Within: 600,
			Wrong: "the answer is written by key alone, and the one that comes last stays",
			Wire:  when(func(worktask.Completion, worktask.Task) error { return nil }),
		},
		{
			Name: "takeover without margin, status-only completion", Breaks: string(check.P2), Within: 600,
			Wrong: "a task is taken over in the instant in which its lease ends, and both workers pass the check of the status",
			Wire: both(
				imitate(func(c worktask.Claim) imitation {
					early := c
					early.Margin = 0
					return imitation{Transition: c, permitted: early.Permitted}
				}),
				when(func(_ worktask.Completion, t worktask.Task) error { return only(running(t) && !t.Result.Present()) }),
			),
		},
		{
			Name: "completion that keeps the due time", Breaks: string(check.DueTime), Within: 600,
			Wrong: "the completed task stays in the index and is published for ever",
			Wire: with(func(c worktask.Completion, t worktask.Task) worktask.Task {
				due := t.HandoffDueAt
				t = c.Apply(t)
				t.HandoffDueAt = due
				return t
			}),
		},
		{
			Name: "object key without assignment id", Breaks: rules.ResultReadable, Within: 600,
			Wrong: "a late loser overwrites the saved large reply, although its completion is refused",
			Wire:  func() world.Wiring { return world.Wiring{Memory: sharedObjects()} },
		},
	}
}

func fences() []Mutant {
	return []Mutant{
		{
			Name: "failure clean-up without fence", Breaks: string(check.P10), Within: 600,
			Wrong: "a worker that fails late erases what its successor saved",
			Wire: imitate(func(f worktask.Failure) imitation {
				return imitation{
					Transition: f,
					permitted:  func(worktask.Task) error { return nil },
					apply: func(t worktask.Task) worktask.Task {
						t = f.Apply(t)
						t.Result = worktask.Result{}
						return t
					},
				}
			}),
		},
		{
			Name: "release without fence", Breaks: string(check.P10), Within: 600,
			Wrong: "a worker that was replaced gives back the task on which its successor works",
			Wire:  when(func(_ worktask.Release, t worktask.Task) error { return only(!t.Status.Ended()) }),
		},
		{
			Name: "renewal without fence", Breaks: string(check.P10), Within: 600,
			Wrong: "a heartbeat that wakes up revives a lease that is over, or extends another worker's",
			Wire:  when(func(_ worktask.Renewal, t worktask.Task) error { return only(running(t)) }),
		},
		{
			Name: "renewal that may shorten the lease", Breaks: rules.LeaseOrder, Within: 600,
			Wrong: "a renewal that is delivered late takes back time that a later one has given",
			Wire: when(func(r worktask.Renewal, t worktask.Task) error {
				return only(running(t) && t.AssignmentVersion == r.Assignment().Version() && t.LeaseValid(r.Now()))
			}),
		},
		{
			Name: "renewal conditioned on its own last value", Breaks: rules.RefusedRightly, Within: 600,
			Wrong: "after one lost acknowledgement no renewal passes any more, and a healthy call is cancelled",
			Wire:  func() world.Wiring { return world.Wiring{Conclude: lastKnownLease} },
		},
		{
			Name: "cancel that does not move the version", Breaks: string(check.P3), Within: 600,
			Wrong: "the version no longer tells a worker that its task is not its own any more",
			Wire: with(func(c worktask.Cancel, t worktask.Task) worktask.Task {
				version := t.AssignmentVersion
				t = c.Apply(t)
				t.AssignmentVersion = version
				return t
			}),
		},
		{
			Name: "cancel of an ended task", Breaks: string(check.EndFinal), Within: 600,
			Wrong: "a click on Stop that comes too late takes the saved reply away",
			Wire:  when(func(worktask.Cancel, worktask.Task) error { return nil }),
		},
	}
}
