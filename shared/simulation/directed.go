package simulation

import (
	"slices"

	"github.com/replyonce/replyonce/shared/simulation/coverage"
	"github.com/replyonce/replyonce/shared/simulation/world"
	"github.com/replyonce/replyonce/shared/worktask"
)

// Directed is a schedule that brings one event into one state.
type Directed struct {
	Cell     coverage.Cell
	Schedule world.Schedule
}

// AllDirected has a schedule for each cell of the decision table that can be
// reached, and one more for each worker's event: once the worker is held up
// after it has sent its write, once before. Random schedules meet most of the
// cells too; these meet each one every time.
func AllDirected() []Directed {
	var all []Directed
	for _, e := range events {
		for _, column := range coverage.Columns() {
			cell := coverage.Cell{Row: e.row, Column: column}
			if _, no := cell.Unreachable(); !no {
				all = append(all, Directed{cell, e.into(column, false)})
			}
		}
	}
	for _, e := range events {
		if !e.holds {
			continue
		}
		for _, column := range coverage.Columns() {
			if column != coverage.Absent {
				all = append(all, Directed{coverage.Cell{}, e.into(column, true)})
			}
		}
	}
	for _, s := range extras {
		all = append(all, Directed{coverage.Cell{}, s})
	}
	return all
}

// event says how an event of the table is brought about.
type event struct {
	row    coverage.Row
	policy worktask.UnknownPolicy
	// prelude brings a worker to the last thing before the call that is the
	// event, and then lets that happen. Events that need no worker have none.
	prelude []world.Step
	then    []world.Step
	// act is the event.
	act []world.Step
	// holds: the worker of the prelude has an assignment.
	holds bool
	// release makes another worker give the task back; none: the provider
	// refuses its request.
	release []world.Step
}

func step(op world.Op) world.Step       { return world.Step{Op: op} }
func flowTo(call string) world.Step     { return world.Step{Op: world.Flow, Call: call} }
func answeredTo(call string) world.Step { return world.Step{Op: world.Flow, A: 1, Call: call} }
func serve(call string, f world.Fault) world.Step {
	return world.Step{Op: world.Serve, Call: call, Fault: f}
}

// advanceTo lets time go to an instant; nobody is served meanwhile.
func advanceTo(instant string) world.Step {
	return world.Step{Op: world.Advance, Call: instant, B: 1}
}

// overloaded has the provider refuse a request: retryAfter chooses the wait that
// it asks for.
func overloaded(retryAfter int) world.Step {
	return world.Step{Op: world.Serve, Call: "send", Fault: world.Overloaded, C: retryAfter}
}

const (
	soon   = 1 // 5 s
	later  = 2 // 90 s
	absurd = 3 // beyond every deadline
)

var deliver = step(world.Deliver)

// calling brings a worker to the provider's answer.
var calling = []world.Step{deliver, flowTo("await")}

func acts(s ...world.Step) []world.Step { return s }

// events are the rows of the table.
var events = []event{
	{row: coverage.Delivered, prelude: acts(deliver), act: acts(serve("claim", world.None))},
	{
		row: coverage.BeforeRequest, policy: worktask.StopUnknown, holds: true,
		prelude: acts(deliver, flowTo("prepare")), then: acts(serve("prepare", world.None)), act: acts(serve("begin", world.None)),
	},
	{
		row: coverage.Heartbeat, holds: true,
		prelude: calling, then: acts(world.Step{Op: world.Advance, A: 3, B: 1}), act: acts(serve("renew", world.None)),
	},
	{
		row: coverage.Answer, holds: true,
		prelude: calling, then: acts(serve("await", world.None)), act: acts(serve("complete", world.None)),
	},
	{
		row: coverage.RejectedRetry, holds: true,
		prelude: acts(deliver, flowTo("send")), then: acts(overloaded(soon)), act: acts(serve("release", world.None)),
	},
	{
		row: coverage.RejectedLast, holds: true,
		prelude: acts(deliver, flowTo("send")), then: acts(overloaded(absurd)), act: acts(serve("fail", world.None)),
	},
	{
		row: coverage.FailedRetry, holds: true,
		prelude: calling, then: acts(serve("await", world.Empty)), act: acts(serve("release", world.None)),
	},
	{
		row: coverage.AmbiguousRetry, holds: true,
		prelude: calling, then: acts(serve("await", world.Cut)), act: acts(serve("release", world.None)),
	},
	{
		row: coverage.AmbiguousLast, holds: true,
		prelude: calling, then: acts(world.Step{Op: world.Serve, Call: "await", Fault: world.Cut, C: absurd}),
		act: acts(serve("fail", world.None)),
	},
	{
		row: coverage.PermanentFailure, holds: true,
		prelude: calling, then: acts(serve("await", world.Permanent)), act: acts(serve("fail", world.None)),
	},
	{
		row: coverage.LookupAgain, holds: true,
		prelude: append(slices.Clone(calling), serve("await", world.Operation), flowTo("await")),
		then:    acts(serve("await", world.Cut)), act: acts(serve("release", world.None)),
		release: acts(flowTo("look_up"), serve("look_up", world.Runs)),
	},
	{
		row: coverage.SaveID, holds: true,
		prelude: calling, then: acts(serve("await", world.Operation)), act: acts(serve("save_operation", world.None)),
	},
	{
		row: coverage.Watchdog, holds: true,
		prelude: calling, then: acts(world.Step{Op: world.Advance, A: 4, B: 1}), act: acts(serve("release", world.None)),
	},
	{
		row: coverage.OwnUnknown, holds: true,
		prelude: acts(deliver, answeredTo("complete")), then: acts(serve("complete", world.LostBefore)),
		act: acts(serve("get", world.None)),
	},
	{
		row: coverage.LateWrite, holds: true,
		prelude: acts(deliver, answeredTo("complete")), then: acts(serve("complete", world.Late)), act: acts(step(world.Land)),
	},
	{row: coverage.DispatcherHit, act: acts(step(world.Dispatch), step(world.Flow))},
	{row: coverage.CancelRequest, act: acts(step(world.CancelTask), step(world.Flow))},
	{row: coverage.RepeatSubmit, act: acts(step(world.Send), step(world.Flow))},
	{row: coverage.WorkerDies, holds: true, prelude: calling, act: acts(step(world.Crash))},
}

// into is the schedule that brings the event into the state.
func (e event) into(column coverage.Column, early bool) world.Schedule {
	policy := e.policy
	if policy == "" {
		policy = worktask.RetryUnknown
	}
	s := world.Schedule{Setup: world.Setup{Policy: policy, StaleIndex: e.row == coverage.DispatcherHit}}
	s.Steps = append([]world.Step{step(world.Send), step(world.Flow)}, e.steps(column, early)...)
	return s
}

// steps bring the event into the state, once there is a task. early: the worker
// stands still before the last thing ahead of the event, so that it sees the
// clock only after it has woken up.
func (e event) steps(column coverage.Column, early bool) []world.Step {
	if column == coverage.Absent {
		return e.absent()
	}
	if column == coverage.MineValid && e.row == coverage.Delivered {
		e.act = acts(serve("claim", world.SecondTry))
	}
	freeze := step(world.Freeze)
	switch {
	case e.prelude == nil:
		return slices.Concat(e.state(column), e.act)
	case early:
		return slices.Concat(e.prelude, acts(freeze), e.then, e.state(column), acts(step(world.Thaw)), e.act, acts(step(world.Flow)))
	}
	return slices.Concat(e.prelude, e.then, acts(freeze), e.state(column), e.act, acts(step(world.Thaw), step(world.Flow)))
}

// absent is the event about a task that was never made.
func (e event) absent() []world.Step {
	switch e.row { //nolint:exhaustive // the others cannot be about such a task
	case coverage.Delivered:
		return []world.Step{step(world.Garbage), {Op: world.Deliver, A: 1}, flowTo("")}
	case coverage.CancelRequest:
		return []world.Step{{Op: world.CancelTask, A: 1}, step(world.Flow)}
	case coverage.WorkerDies:
		return []world.Step{step(world.Garbage), {Op: world.Deliver, A: 1}, step(world.Crash)}
	case coverage.OwnUnknown:
		return []world.Step{step(world.Garbage), {Op: world.Deliver, A: 1}, serve("claim", world.LostBefore), serve("get", world.None)}
	case coverage.LateWrite:
		return []world.Step{step(world.Garbage), {Op: world.Deliver, A: 1}, serve("claim", world.Late), step(world.Land)}
	}
	return e.act
}

// state brings the task into the state of the column, while the worker of the
// prelude stands still.
func (e event) state(column coverage.Column) []world.Step {
	// A second message lets another worker come.
	another := []world.Step{step(world.Duplicate), deliver, flowTo("prepare")}
	release := e.release
	if release == nil {
		release = []world.Step{flowTo("send"), overloaded(later)}
	}
	waiting := slices.Concat(another, release, []world.Step{step(world.Flow)})
	if e.holds {
		overtaken := []world.Step{advanceTo(world.AtMargin)}
		another = slices.Concat(overtaken, another)
		waiting = slices.Concat(overtaken, waiting)
	}
	switch column {
	case coverage.PendingReady:
		if e.holds {
			return append(waiting, advanceTo(world.AtNext))
		}
		return nil
	case coverage.PendingEarly:
		return waiting
	case coverage.OtherValid:
		return another
	case coverage.InMargin:
		return append(e.left(another), advanceTo(world.AtLeaseEnd))
	case coverage.Expired:
		return append(e.left(another), advanceTo(world.AtMargin))
	case coverage.Over:
		return []world.Step{advanceTo(world.AtDeadline)}
	case coverage.Ended:
		return []world.Step{step(world.CancelTask), step(world.Flow)}
	case coverage.MineValid, coverage.Absent:
	}
	return nil
}

// left is a lease that nobody renews: that of the worker of the prelude, or of
// another one that dies.
func (e event) left(another []world.Step) []world.Step {
	if e.holds {
		return nil
	}
	crash := step(world.Crash)
	if e.prelude != nil {
		crash.A = 1 // the second worker
	}
	return append(slices.Clone(another), crash)
}
