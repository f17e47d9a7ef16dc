package dynamostore

import (
	"errors"

	"github.com/replyonce/replyonce/shared/dynamoschema"
	"github.com/replyonce/replyonce/shared/worktask"
)

func begin(b worktask.Beginning) *expression {
	e := newExpression()
	e.fence(b.Assignment(), b.Now())
	e.where(e.absent(dynamoschema.CallOpen))
	e.set(dynamoschema.CallOpen, yes())
	return e
}

// renew only ever moves the end of the lease forward: a renewal that was
// delayed on its way must not shorten what a later one has set.
func renew(r worktask.Renewal) *expression {
	e := newExpression()
	e.fence(r.Assignment(), r.Now())
	e.where(e.compare(dynamoschema.LeaseExpiresAt, "<", ":"+dynamoschema.LeaseExpiresAt, millis(r.Until())))
	e.set(dynamoschema.LeaseExpiresAt, millis(r.Until()))
	return e
}

func saveOperation(s worktask.OperationSave) *expression {
	e := newExpression()
	e.fence(s.Assignment(), s.Now())
	e.setText(dynamoschema.OperationID, s.OperationID())
	return e
}

var errNoResult = errors.New("an empty result cannot be saved")

// complete asks for an empty slot on top of the fence: belt and braces for the
// one thing that must never be written twice.
func complete(c worktask.Completion) (*expression, error) {
	result := c.Result()
	if !result.Present() {
		return nil, errNoResult
	}
	e := newExpression()
	e.fence(c.Assignment(), c.Now())
	e.where(e.absent(dynamoschema.ResultBody), e.absent(dynamoschema.ResultObjectKey))
	e.setIfAny(dynamoschema.ResultBody, result.Body)
	e.setIfAny(dynamoschema.ResultObjectKey, result.ObjectKey)
	e.setIfAny(dynamoschema.ResultSHA256, result.SHA256)
	if result.Bytes != 0 {
		e.set(dynamoschema.ResultBytes, number(result.Bytes))
	}
	e.add(dynamoschema.CallsKnown, 1)
	e.add(dynamoschema.MoneyLeft, c.MoneyBack())
	e.remove(dynamoschema.CallOpen)
	e.report(c.Report())
	e.end(worktask.Completed, c.Assignment().ID(), c.Now())
	return e, nil
}

func fail(f worktask.Failure) *expression {
	e := newExpression()
	e.fence(f.Assignment(), f.Now())
	if f.Known() {
		e.add(dynamoschema.CallsKnown, 1)
	}
	e.add(dynamoschema.MoneyLeft, f.MoneyBack())
	e.setText(dynamoschema.FailureReason, string(f.Reason()))
	e.report(f.Report())
	e.end(worktask.Failed, f.Assignment().ID(), f.Now())
	return e
}

// release is fenced by the version, so it lands once: an attempt is given back
// at most once for each claim that took it.
func release(r worktask.Release) *expression {
	e := newExpression()
	e.fence(r.Assignment(), r.Now())
	e.set(dynamoschema.Status, text(string(worktask.Pending)))
	e.set(dynamoschema.NextAttemptAt, millis(r.NextAt()))
	e.set(dynamoschema.HandoffDueAt, millis(r.DueAt()))
	e.setText(dynamoschema.ReleaseMode, string(r.Mode()))
	e.set(dynamoschema.ReleaseVersion, number(r.Assignment().Version()))
	if r.GivesBackAttempt() {
		e.add(dynamoschema.AttemptsLeft, 1)
	}
	if r.CallKnown() {
		e.add(dynamoschema.CallsKnown, 1)
	}
	e.add(dynamoschema.MoneyLeft, r.MoneyBack())
	if r.ClosesCall() {
		e.remove(dynamoschema.CallOpen)
	}
	if r.ClearsOperation() {
		e.remove(dynamoschema.OperationID)
	}
	e.report(r.Report())
	return e
}
