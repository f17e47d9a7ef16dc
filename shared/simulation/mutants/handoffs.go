package mutants

import (
	"time"

	"github.com/replyonce/replyonce/shared/simulation/world"
	"github.com/replyonce/replyonce/shared/worktask"
)

func handoffs() []Mutant {
	return []Mutant{
		{
			Name: "handoff index without conditional bump", Within: 400,
			Wrong: "two dispatchers that see one due time both move it and both publish, and the slower one undoes what happened since",
			Wire:  when(func(_ worktask.Bump, t worktask.Task) error { return only(!t.Status.Ended()) }),
		},
		{
			Name: "unconditional bump", Within: 400,
			Wrong: "a dispatcher that read before the end puts the ended task back into the index",
			Wire:  when(func(worktask.Bump, worktask.Task) error { return nil }),
		},
		{
			Name: "due time removed at claim", Within: 400,
			Wrong: "the worker dies, its message goes to the dead-letter queue, and the task runs for ever",
			Wire:  with(func(c worktask.Claim, t worktask.Task) worktask.Task { return undue(c.Apply(t)) }),
		},
		{
			Name: "due time removed at publish", Within: 400,
			Wrong: "the write lands, its acknowledgement is lost, nothing is published, and the task waits for ever",
			Wire:  with(func(b worktask.Bump, t worktask.Task) worktask.Task { return undue(b.Apply(t)) }),
		},
		{
			Name: "due time left in place by cancel", Within: 400,
			Wrong: "a cancelled task is published for ever",
			Wire: with(func(c worktask.Cancel, t worktask.Task) worktask.Task {
				due := t.HandoffDueAt
				t = c.Apply(t)
				t.HandoffDueAt = due
				return t
			}),
		},
		{
			Name: "deletion before the durable outcome", Within: 400,
			Wrong: "the message is deleted when it is received, and the claim relies on it to come back",
			Wire: func() world.Wiring {
				w := with(func(c worktask.Claim, t worktask.Task) worktask.Task { return undue(c.Apply(t)) })()
				w.DeleteFirst = true
				return w
			},
		},
		{
			Name: "release without a due time", Within: 400,
			Wrong: "the message that is to bring the retry is lost, and nobody looks again",
			Wire:  with(func(r worktask.Release, t worktask.Task) worktask.Task { return undue(r.Apply(t)) }),
		},
	}
}

func undue(t worktask.Task) worktask.Task {
	t.HandoffDueAt = time.Time{}
	return t
}

func ends() []Mutant {
	return []Mutant{
		{
			Name: "nobody ends what is over", Within: 400,
			Wrong: "the claim refuses, the message is deleted, and the task is published again for ever",
			Wire:  when(func(worktask.End, worktask.Task) error { return worktask.ErrNotOver }),
		},
		{
			Name: "end under a valid lease", Within: 400,
			Wrong: "the dispatcher ends a task while its worker's answer is on the way",
			Wire: when(func(e worktask.End, t worktask.Task) error {
				t.LeaseExpiresAt = time.Time{}
				return e.Permitted(t)
			}),
		},
	}
}
