package explore

import (
	"math/bits"

	"github.com/replyonce/replyonce/shared/worktask"
)

// What a call costs at most, and what it costs when its end is seen.
const (
	CallMoney = 5
	CallPrice = 2
)

// provider is what the provider knows of the task. It is honest: a request that
// somebody was told to be executed is never called refused later, nor the other
// way round.
type provider struct {
	sent      int    // requests that were received, numbered from 1
	executed  uint64 // by number: those whose end a worker saw
	refused   uint64 // likewise, those that were not executed
	operation int    // the request that the operation id stands for
}

func (p *provider) encode(e *encoder) {
	e.numbers(p.sent, int(p.executed), int(p.refused), p.operation) //nolint:gosec // a few bits
}

func (p *provider) receive() int {
	p.sent++
	return p.sent
}

// unseen is of how many requests no worker saw the end.
func (p *provider) unseen() int { return p.sent - bits.OnesCount64(p.executed|p.refused) }

// charged is what the provider asks for, at most.
func (p *provider) charged() int {
	return p.unseen()*CallMoney + bits.OnesCount64(p.executed)*CallPrice
}

// may reports whether an honest provider can end the request so.
func (p *provider) may(request int, o worktask.Outcome) bool {
	switch {
	case !seen(o):
		return true
	case o.Kind == worktask.Rejected:
		return p.executed&(1<<request) == 0
	}
	return p.refused&(1<<request) == 0
}

// tell is the end of a request that a worker sees.
func (p *provider) tell(request int, o worktask.Outcome) {
	switch {
	case !seen(o):
	case o.Kind == worktask.Rejected:
		p.refused |= 1 << request
	default:
		p.executed |= 1 << request
	}
}

// seen reports whether the outcome tells how the request ended.
func seen(o worktask.Outcome) bool {
	switch o.Kind { //nolint:exhaustive // the others tell it
	case worktask.Ambiguous, worktask.OperationRuns, worktask.OperationLost:
		return false
	}
	return true
}

// costs has the money on the outcomes that report it: not all do.
func costs(list []worktask.Outcome) []worktask.Outcome {
	for i := range list {
		switch list[i].Kind { //nolint:exhaustive // the others tell no price
		case worktask.Answered, worktask.Retryable:
			list[i].Report.Cost = worktask.Cost{Known: true, Micros: CallPrice}
		}
	}
	return list
}
