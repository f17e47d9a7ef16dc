package dynamostore

import (
	"time"

	"github.com/replyonce/replyonce/shared/dynamoschema"
	"github.com/replyonce/replyonce/shared/worktask"
)

// claim leaves the index attributes alone: the due time stays on a task that a
// worker takes, so that the dispatcher finds it when the worker dies, and an
// untouched index costs nothing.
func claim(c worktask.Claim) (*expression, error) {
	if c.AssignmentID == "" {
		return nil, errNoAssignmentID
	}
	e := newExpression()
	e.claimable(c.AssignmentID, c.Now, c.Margin)
	e.where(
		e.compare(dynamoschema.AttemptsLeft, ">", ":none", number(0)),
		e.compare(dynamoschema.CallsLeft, ">", ":none", number(0)),
		anyOf(
			e.compare(dynamoschema.OnUnknown, "<>", ":stop", text(string(worktask.StopUnknown))),
			e.absent(dynamoschema.CallOpen),
		),
		e.absent(dynamoschema.OperationID),
	)
	e.assign(c.AssignmentID, c.LeaseUntil)
	e.add(dynamoschema.AttemptsLeft, -1)
	e.add(dynamoschema.CallsLeft, -1)
	e.takeMoney(c.Money)
	e.waitsForNothingBut(c.Ready)
	return e, nil
}

// waitsForNothingBut leaves a task alone that waits for something which the claimer
// has not seen ready.
func (e *expression) waitsForNothingBut(ready string) {
	if ready == "" {
		e.where(e.absent(dynamoschema.WaitsFor))
		return
	}
	e.where(anyOf(e.absent(dynamoschema.WaitsFor), e.compare(dynamoschema.WaitsFor, "=", ":ready", text(ready))))
	e.remove(dynamoschema.WaitsFor)
}

// takeMoney takes what one call costs at most. The two stored numbers can be
// compared, and one can be taken from the other, but only where they are: an
// update that names what is not there is an error and no refusal.
func (e *expression) takeMoney(counted bool) {
	if !counted {
		e.where(e.absent(dynamoschema.MoneyLeft))
		return
	}
	e.where(e.compareStored(dynamoschema.MoneyLeft, ">=", dynamoschema.CallMoney))
	e.subtractStored(dynamoschema.MoneyLeft, dynamoschema.CallMoney)
}

func lookupClaim(c worktask.LookupClaim) (*expression, error) {
	if c.AssignmentID == "" {
		return nil, errNoAssignmentID
	}
	e := newExpression()
	e.claimable(c.AssignmentID, c.Now, c.Margin)
	e.where(e.present(dynamoschema.OperationID))
	e.assign(c.AssignmentID, c.LeaseUntil)
	return e, nil
}

// claimable is what both claims require. The last condition refuses the delayed
// first try of a claim that was sent again: it would pay twice.
func (e *expression) claimable(id string, now time.Time, margin time.Duration) {
	e.where(
		anyOf(
			allOf(e.is(worktask.Pending), e.compare(dynamoschema.NextAttemptAt, "<=", ":now", millis(now))),
			e.leaseOver(now, margin),
		),
		e.compare(dynamoschema.DeadlineAt, ">", ":now", millis(now)),
		anyOf(
			e.absent(dynamoschema.LeaseOwner),
			e.compare(dynamoschema.LeaseOwner, "<>", ":"+dynamoschema.LeaseOwner, text(id)),
		),
	)
}

// assign gives the task to a claim and moves the fencing token on.
func (e *expression) assign(id string, until time.Time) {
	e.set(dynamoschema.Status, text(string(worktask.Running)))
	e.set(dynamoschema.LeaseOwner, text(id))
	e.set(dynamoschema.LeaseExpiresAt, millis(until))
	e.add(dynamoschema.AssignmentVersion, 1)
}
