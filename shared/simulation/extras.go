package simulation

import (
	"slices"

	"github.com/replyonce/replyonce/shared/simulation/world"
	"github.com/replyonce/replyonce/shared/worktask"
)

// extras are situations that are none of an event in a state: races of two
// writers in which each has read before the other wrote, and budgets that are
// used up.
var extras = []world.Schedule{
	asked(world.Setup{}, // two dispatchers read one due time
		advanceTo(world.AtDue),
		step(world.Dispatch), serve("get", world.None), step(world.Dispatch), serve("get", world.None), step(world.Flow)),
	asked(world.Setup{}, // a dispatcher reads, the task ends, the dispatcher moves the due time
		advanceTo(world.AtDue),
		step(world.Dispatch), serve("get", world.None), step(world.CancelTask), serve("get", world.None), serve("cancel", world.None), step(world.Flow)),
	asked(world.Setup{}, // a fast dispatcher ends while a worker, whose clock is right, takes
		world.Step{Op: world.StepClock, A: 3, B: 1}, // the first dispatcher, one second fast
		world.Step{Op: world.Advance, Call: world.AtDeadline, C: 1, B: 1},
		step(world.Dispatch), serve("get", world.None), deliver, serve("claim", world.None), serve("end", world.None), step(world.Flow)),
	asked(world.Setup{}, // a claim is lost, the task cancelled, and then the claimer reads
		deliver, step(world.CancelTask), serve("get", world.None),
		serve("claim", world.LostAfter), serve("cancel", world.None), serve("get", world.None), step(world.Flow)),
	asked(world.Setup{}, // two renewals of one worker land in the wrong order
		slices.Concat(calling, acts(
			world.Step{Op: world.Advance, A: 3, B: 1}, serve("renew", world.Late), world.Step{Op: world.Flow},
			world.Step{Op: world.Advance, A: 3, B: 1}, serve("renew", world.None), step(world.Land), step(world.Flow)))...),
	asked(world.Setup{}, // a renewal lands, its acknowledgement is lost, and the next one follows
		slices.Concat(calling, acts(
			world.Step{Op: world.Advance, A: 3, B: 1}, serve("renew", world.LostAfter), step(world.Flow),
			world.Step{Op: world.Advance, A: 3, B: 1}, serve("renew", world.None), step(world.Flow)))...),
	asked(world.Setup{}, // a large answer comes after another one was saved
		slices.Concat(calling, acts(step(world.Freeze), serve("await", world.Large), advanceTo(world.AtMargin),
			step(world.Duplicate), deliver, flowTo("await"), serve("await", world.Large), step(world.Flow), step(world.Thaw), step(world.Flow)))...),
	asked(world.Setup{}, // two users have one key
		world.Step{Op: world.Send, B: 3}, step(world.Flow)),
	asked(world.Setup{}, // somebody else reads and stops the task
		world.Step{Op: world.Read, B: 7}, step(world.Flow), world.Step{Op: world.CancelTask, B: 7}, step(world.Flow)),
	asked(world.Setup{}, // one key, other inputs
		world.Step{Op: world.Send, B: 2}, step(world.Flow)),
	asked(world.Setup{}, // repeats at each limit of the record
		advanceTo(world.AtReplayEnd), step(world.Send), step(world.Flow), advanceTo(world.AtPurge), step(world.Send), step(world.Flow)),
	asked(world.Setup{}, // repeats a millisecond before each limit
		justBefore(world.AtReplayEnd), step(world.Send), step(world.Flow), justBefore(world.AtPurge), step(world.Send), step(world.Flow)),
	asked(world.Setup{}, // a message comes when its task is over
		advanceTo(world.AtDeadline), deliver, step(world.Flow)),
	asked(world.Setup{}, // a repeat after the purge time
		advanceTo(world.AtPurge), step(world.Send), step(world.Flow)),
	asked(world.Setup{}, // a dispatcher dies between moving the due time and publishing
		step(world.DeadLetter), advanceTo(world.AtDue), step(world.Dispatch), serve("get", world.None), serve("bump", world.DieAfter)),
	asked(world.Setup{}, // a completion is sent twice by the client library
		slices.Concat(calling, acts(serve("await", world.None), serve("complete", world.SecondTry)))...),
	asked(world.Setup{}, // a task fails, and its press is repeated
		slices.Concat(calling, acts(serve("await", world.Permanent), step(world.Flow), step(world.Send), step(world.Flow)))...),
	asked(world.Setup{}, // a press is repeated a minute later
		world.Step{Op: world.Advance, A: 6}, step(world.Send), step(world.Flow)),
	asked(world.Setup{}, // one question twice, and one more answer to it
		world.Step{Op: world.Send, A: 1}, step(world.Flow), step(world.Regenerate), step(world.Flow)),
	asked(world.Setup{}, // every attempt is spent, the last worker dies
		slices.Concat(spent(3), calling, acts(step(world.Crash), advanceTo(world.AtMargin), step(world.Dispatch), step(world.Flow)))...),
	asked(world.Setup{}, // the last attempt leaves an operation, which was not executed
		slices.Concat(spent(3), calling, acts(serve("await", world.Operation), flowTo("await"), step(world.Crash), advanceTo(world.AtMargin),
			step(world.Duplicate), deliver, flowTo("look_up"), serve("look_up", world.NotExecuted), step(world.Flow),
			advanceTo(world.AtNext), step(world.Duplicate), deliver, step(world.Flow)))...),
	asked(world.Setup{}, // the provider does not know the operation any more
		slices.Concat(calling, acts(serve("await", world.Operation), flowTo("await"), step(world.Crash), advanceTo(world.AtMargin),
			step(world.Duplicate), deliver, flowTo("look_up"), serve("look_up", world.Forgotten), step(world.Flow)))...),
	asked(world.Setup{}, // the operation has ended and cannot be read
		slices.Concat(calling, acts(serve("await", world.Operation), flowTo("await"), step(world.Crash), advanceTo(world.AtMargin),
			step(world.Duplicate), deliver, flowTo("look_up"), serve("look_up", world.Unreadable), step(world.Flow)))...),
	asked(world.Setup{Policy: worktask.StopUnknown}, // a worker dies after its request under the policy stop
		slices.Concat(calling, acts(step(world.Crash), advanceTo(world.AtMargin), step(world.Duplicate), deliver, step(world.Flow)))...),
	asked(world.Setup{}, // two workers die one after the other
		slices.Concat(died(), died(), died())...),
	asked(money, // a worker dies with the last money in its hands
		slices.Concat(died(), acts(step(world.Dispatch), step(world.Flow)))...),
	asked(money, // the money for a repeat is not there
		slices.Concat(calling, acts(serve("await", world.Cut), step(world.Flow)))...),
	asked(money, // answers that are empty use little of it, until the rest is too little
		spent(3)...),
	asked(money, // a look-up is free, and its answer settles the price
		slices.Concat(calling, acts(serve("await", world.Operation), flowTo("await"), step(world.Crash), advanceTo(world.AtMargin),
			step(world.Duplicate), deliver, flowTo("look_up"), serve("look_up", world.Empty), step(world.Flow),
			advanceTo(world.AtNext), step(world.Duplicate), deliver, step(world.Flow)))...),
	asked(money, // the provider has not executed what was paid for
		slices.Concat(calling, acts(serve("await", world.Operation), flowTo("await"), step(world.Crash), advanceTo(world.AtMargin),
			step(world.Duplicate), deliver, flowTo("look_up"), serve("look_up", world.NotExecuted), step(world.Flow),
			advanceTo(world.AtNext), step(world.Duplicate), deliver, step(world.Flow)))...),
	asked(world.Setup{}, // a message goes to the dead-letter queue while its worker is dead
		slices.Concat(calling, acts(step(world.Crash), step(world.DeadLetter)))...),
}

// money limits what a task may cost.
var money = world.Setup{MoneyLimit: moneyLimit, CallMoney: callMoney}

// asked is a schedule in which somebody has asked something.
func asked(setup world.Setup, steps ...world.Step) world.Schedule {
	if setup.Policy == "" {
		setup.Policy = worktask.RetryUnknown
	}
	return world.Schedule{Setup: setup, Steps: slices.Concat(acts(step(world.Send), step(world.Flow)), steps)}
}

// justBefore lets time go to the last millisecond before an instant.
func justBefore(instant string) world.Step {
	return world.Step{Op: world.Advance, Call: instant, C: 1}
}

// spent uses up attempts whose end is known.
func spent(attempts int) []world.Step {
	var steps []world.Step
	for range attempts {
		steps = slices.Concat(steps, acts(step(world.Duplicate)), calling, acts(serve("await", world.Empty), step(world.Flow), advanceTo(world.AtNext)))
	}
	return steps
}

// died is a worker that dies after its request, and the end of its lease.
func died() []world.Step {
	return slices.Concat(acts(step(world.Duplicate)), calling, acts(step(world.Crash), advanceTo(world.AtMargin)))
}
