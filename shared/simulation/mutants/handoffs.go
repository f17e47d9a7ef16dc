package mutants

import (
	"context"
	"time"

	"github.com/replyonce/replyonce/shared/history"
	"github.com/replyonce/replyonce/shared/history/check"
	"github.com/replyonce/replyonce/shared/simulation/rules"
	"github.com/replyonce/replyonce/shared/simulation/world"
	"github.com/replyonce/replyonce/shared/taskflow"
	"github.com/replyonce/replyonce/shared/worktask"
)

func handoffs() []Mutant {
	return []Mutant{
		{
			Name: "handoff index without conditional bump", Breaks: rules.PublishedOnce, Within: 600,
			Wrong: "two dispatchers that see one due time both move it and both publish, and the slower one undoes what happened since",
			Wire:  when(func(_ worktask.Bump, t worktask.Task) error { return only(!t.Status.Ended()) }),
		},
		{
			Name: "unconditional bump", Breaks: string(check.EndFinal), Within: 600,
			Wrong: "a dispatcher that read before the end puts the ended task back into the index",
			Wire:  when(func(worktask.Bump, worktask.Task) error { return nil }),
		},
		{
			Name: "due time removed at claim", Breaks: string(check.DueTime), Within: 600,
			Wrong: "the worker dies, its message goes to the dead-letter queue, and the task runs for ever",
			Wire:  with(func(c worktask.Claim, t worktask.Task) worktask.Task { return undue(c.Apply(t)) }),
		},
		{
			Name: "due time removed at publish", Breaks: string(check.P5), Within: 600,
			Wrong: "the write lands, its acknowledgement is lost, nothing is published, and the task waits for ever",
			Wire:  with(func(b worktask.Bump, t worktask.Task) worktask.Task { return undue(b.Apply(t)) }),
		},
		{
			Name: "due time left in place by cancel", Breaks: string(check.DueTime), Within: 600,
			Wrong: "a cancelled task is published for ever",
			Wire: with(func(c worktask.Cancel, t worktask.Task) worktask.Task {
				due := t.HandoffDueAt
				t = c.Apply(t)
				t.HandoffDueAt = due
				return t
			}),
		},
		{
			Name: "deletion before the durable outcome", Breaks: string(check.P5), Within: 600,
			Wrong: "the message is deleted when it is received, and the claim relies on it to come back",
			Wire: func() world.Wiring {
				w := with(func(c worktask.Claim, t worktask.Task) worktask.Task { return undue(c.Apply(t)) })()
				w.DeleteFirst = true
				return w
			},
		},
		{
			Name: "message of a retry deleted", Breaks: string(check.P7), Within: 600,
			Wrong: "the worker lets the message go and trusts that it comes back by itself",
			Wire: func() world.Wiring {
				w := with(func(r worktask.Release, t worktask.Task) worktask.Task { return undue(r.Apply(t)) })()
				w.Runner = func(p world.RunnerParts) history.Runner { return deletes{p.Runner} }
				return w
			},
		},
		{
			Name: "release without a due time", Breaks: string(check.DueTime), Within: 600,
			Wrong: "the message that is to bring the retry is lost, and nobody looks again",
			Wire:  with(func(r worktask.Release, t worktask.Task) worktask.Task { return undue(r.Apply(t)) }),
		},
	}
}

// deletes lets every message go.
type deletes struct{ taskflow.Runner }

func (d deletes) Run(ctx context.Context, delivery taskflow.Delivery) taskflow.Action {
	d.Runner.Run(ctx, delivery)
	return taskflow.Action{Kind: taskflow.Delete}
}

func undue(t worktask.Task) worktask.Task {
	t.HandoffDueAt = time.Time{}
	return t
}

func ends() []Mutant {
	return []Mutant{
		{
			Name: "nobody ends what is over", Breaks: string(check.P5), Within: 600,
			Wrong: "the claim refuses, the message is deleted, and the task is published again for ever",
			Wire:  when(func(worktask.End, worktask.Task) error { return worktask.ErrNotOver }),
		},
		{
			Name: "end under a valid lease", Breaks: rules.LeaseRespected, Within: 600,
			Wrong: "the dispatcher ends a task while its worker's answer is on the way",
			Wire: when(func(e worktask.End, t worktask.Task) error {
				t.LeaseExpiresAt = time.Time{}
				return e.Permitted(t)
			}),
		},
	}
}
