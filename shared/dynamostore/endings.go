package dynamostore

import (
	"fmt"

	"github.com/replyonce/replyonce/shared/dynamoschema"
	"github.com/replyonce/replyonce/shared/worktask"
)

// end names its reason in its own condition: what the dispatcher read in the
// index a moment ago decides nothing.
func end(t worktask.End) (*expression, error) {
	e := newExpression()
	e.where(anyOf(e.is(worktask.Pending), e.leaseOver(t.Now, t.Margin)))
	if err := e.over(t); err != nil {
		return nil, err
	}
	e.setText(dynamoschema.FailureReason, string(t.Reason))
	e.end(worktask.Failed, t.By, t.Now)
	return e, nil
}

// over is the condition that the reason holds. A saved operation suspends the
// budget's reasons: looking up is free and may bring the answer that was paid.
func (e *expression) over(t worktask.End) error {
	if t.WaitsFor != "" {
		e.where(e.is(worktask.Pending), e.compare(dynamoschema.WaitsFor, "=", ":waits", text(t.WaitsFor)))
		return nil
	}
	switch t.Reason { //nolint:exhaustive // only these end a task that nobody works on
	case worktask.DeadlineOver:
		e.where(e.compare(dynamoschema.DeadlineAt, "<=", ":now", millis(t.Now)))
	case worktask.AttemptsExhausted:
		e.where(e.absent(dynamoschema.OperationID), anyOf(
			e.compare(dynamoschema.AttemptsLeft, "<=", ":none", number(0)),
			e.compare(dynamoschema.CallsLeft, "<=", ":none", number(0)),
		))
	case worktask.BudgetExhausted:
		e.where(e.absent(dynamoschema.OperationID), e.compareStored(dynamoschema.MoneyLeft, "<", dynamoschema.CallMoney))
	case worktask.OutcomeUnknown:
		e.where(
			e.absent(dynamoschema.OperationID),
			e.compare(dynamoschema.OnUnknown, "=", ":stop", text(string(worktask.StopUnknown))),
			e.present(dynamoschema.CallOpen),
		)
	default:
		return fmt.Errorf("reason %q ends no task that nobody works on", t.Reason)
	}
	return nil
}

// cancel checks the state only, and moves the version on: whoever works on the
// task finds its answer refused, however fast it is.
func cancel(c worktask.Cancel) *expression {
	e := newExpression()
	e.where(e.open())
	e.add(dynamoschema.AssignmentVersion, 1)
	e.end(worktask.Cancelled, worktask.EndedByUser, c.Now)
	return e
}

// bump is conditional like everything else. UpdateItem creates what is not
// there: without the condition a late bump would give an ended task a new entry
// in the index, or make a task that never was.
func bump(b worktask.Bump) *expression {
	e := newExpression()
	e.where(e.open(), e.compare(dynamoschema.HandoffDueAt, "=", ":seen", millis(b.Seen)))
	e.set(dynamoschema.HandoffDueAt, millis(b.Due))
	return e
}
