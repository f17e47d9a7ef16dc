package rules

import (
	"github.com/replyonce/replyonce/shared/history"
)

// budget is what accept has granted a task and what its calls may have cost.
type budget struct {
	granted    history.Item
	sent       int
	charges    map[string]int64  // by assignment: of its call, the worst case while nobody knows better
	operations map[string]string // by operation id: the assignment whose call it is
}

func (c *checker) granted(e *history.Event) {
	if item := e.Creation.Item; item != nil {
		c.budgets[e.Task] = &budget{granted: *item, charges: map[string]int64{}, operations: map[string]string{}}
	}
}

// called counts requests when they are about to be sent, as their workers say,
// and what they are known to have cost when somebody learns it. It looks at no
// count of the task.
func (c *checker) called(e *history.Event) {
	b := c.budgets[e.Task]
	if b == nil {
		return
	}
	if e.Kind != history.CallSent {
		b.learn(e)
		return
	}
	b.sent++
	b.charges[e.Call.AssignmentID] += b.granted.CallMoney
	total := int64(0)
	for _, charge := range b.charges {
		total += charge
	}
	if b.sent > b.granted.CallLimit {
		c.broken(BudgetKept, e, "request %d, and %d were granted", b.sent, b.granted.CallLimit)
	}
	if b.granted.MoneyLimit > 0 && total > b.granted.MoneyLimit {
		c.broken(BudgetKept, e, "its calls may cost %d, and %d were granted", total, b.granted.MoneyLimit)
	}
}

// learn is the end of a call as a worker sees it, of its own or of the one whose
// operation it has looked up.
func (b *budget) learn(e *history.Event) {
	id := e.Call.AssignmentID
	if e.Kind == history.LookupEnded {
		id = b.operations[e.Call.OperationID]
	}
	if _, made := b.charges[id]; !made {
		return
	}
	switch {
	case e.Call.Outcome == history.CallRejected:
		b.charges[id] = 0
	case e.Call.CostKnown:
		b.charges[id] = e.Call.Cost
	}
}
