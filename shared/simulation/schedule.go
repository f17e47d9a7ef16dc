package simulation

import (
	"github.com/replyonce/replyonce/shared/simulation/coverage"
	"github.com/replyonce/replyonce/shared/simulation/world"
	"github.com/replyonce/replyonce/shared/worktask"
)

// weights say how often an operation is drawn.
var weights = map[world.Op]int{
	world.Serve: 40, world.Flow: 10, world.Advance: 14, world.Send: 5, world.Regenerate: 1, world.CancelTask: 2, world.Read: 1,
	world.Deliver: 9, world.Dispatch: 5, world.Crash: 3, world.Freeze: 3, world.Thaw: 2, world.StepClock: 1, world.Land: 4,
	world.Duplicate: 2, world.DeadLetter: 1, world.Redrive: 1, world.Garbage: 1,
}

// drawn lists each operation as often as its weight says.
var drawn = func() []world.Op {
	var list []world.Op
	for _, op := range world.Ops() {
		for range weights[op] {
			list = append(list, op)
		}
	}
	return list
}()

// source gives numbers from 0 to n-1.
type source func(n int) int

// drawSteps draws one step, or a few that bring about a situation which single
// steps seldom do: an event of the decision table in one of its states, with
// something else mixed in or left out.
func drawSteps(draw source) []world.Step {
	switch draw(12) {
	case 0, 1:
		return boundary(draw)
	case 2, 3, 4:
		return situation(draw)
	case 5:
		return race(draw)
	}
	return []world.Step{drawStep(draw)}
}

// drawStep draws a step. Calls are mostly served without a fault.
func drawStep(draw source) world.Step {
	s := world.Step{Op: drawn[draw(len(drawn))]}
	switch s.Op { //nolint:exhaustive // the others are drawn alike
	case world.Serve:
		s.A = draw(4)
		if draw(10) < 4 {
			s.B = draw(12)
		}
		s.C = draw(4)
	case world.Advance:
		s = advance(draw)
	default:
		s.A, s.B = draw(8), draw(12)
	}
	return s
}

// advance draws how far time goes: mostly to one of the next turning points.
func advance(draw source) world.Step {
	s := world.Step{Op: world.Advance, A: draw(12), B: draw(2), C: draw(3)}
	if draw(12) == 0 {
		s.A = 7 + draw(12)
	}
	return s
}

// boundaries are the calls at whose boundaries things go wrong.
var boundaries = []string{
	"accept", "publish", "claim", "begin", "send", "await", "renew", "save_operation", "complete", "release", "fail", "end", "bump",
	"cancel", "get", "record", "claim_lookup", "look_up", "evidence", "object", "prepare", "return", "answer",
}

// boundary brings a worker to a certain call and makes something go wrong there.
func boundary(draw source) []world.Step {
	at := boundaries[draw(len(boundaries))]
	return []world.Step{
		{Op: world.Deliver, A: draw(3)},
		{Op: world.Flow, A: draw(2), Call: at},
		{Op: world.Serve, Call: at, B: draw(12), C: draw(4)},
	}
}

// situation is an event of the decision table in one of its states.
func situation(draw source) []world.Step {
	e := events[draw(len(events))]
	column := coverage.Columns()[draw(len(coverage.Columns()))]
	if _, no := (coverage.Cell{Row: e.row, Column: column}).Unreachable(); no {
		column = coverage.OtherValid
	}
	return mixed(draw, e.steps(column, draw(2) == 1))
}

// race is one of the situations in which each of two has read before the other
// wrote.
func race(draw source) []world.Step {
	return mixed(draw, extras[draw(len(extras))].Steps[len(asked(world.Setup{}).Steps):])
}

// mixed leaves steps out and mixes others in.
func mixed(draw source, situation []world.Step) []world.Step {
	var steps []world.Step
	if draw(2) == 0 {
		steps = append(steps, world.Step{Op: world.Send, A: draw(4)}, step(world.Flow))
	}
	for _, s := range situation {
		switch draw(16) {
		case 0: // left out
		case 1:
			steps = append(steps, drawStep(draw), s)
		case 2:
			s.B, s.Fault = draw(12), world.None
			steps = append(steps, s)
		default:
			steps = append(steps, s)
		}
	}
	return steps
}

// schedule draws a schedule of about n steps. It always begins with somebody who
// asks something.
func schedule(draw source, n int) world.Schedule {
	s := world.Schedule{Setup: setup(draw), Steps: []world.Step{{Op: world.Send}, {Op: world.Flow}}}
	for len(s.Steps) < n {
		s.Steps = append(s.Steps, drawSteps(draw)...)
	}
	return s
}

// What a task may cost, where that is limited, and a call at most: one call whose
// end nobody saw is as much as the limit lets through, of those that end with a
// price there may be three.
const (
	callMoney  = 1000
	moneyLimit = 1850
)

func setup(draw source) world.Setup {
	s := world.Setup{Policy: worktask.RetryUnknown, HideOldItem: draw(2) == 1, StaleIndex: draw(4) == 1}
	if draw(2) == 1 {
		s.Policy = worktask.StopUnknown
	}
	if draw(3) == 0 {
		s.MoneyLimit, s.CallMoney = moneyLimit, callMoney
	}
	return s
}
