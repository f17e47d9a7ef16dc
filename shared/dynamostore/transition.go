package dynamostore

import (
	"errors"
	"fmt"
	"time"

	"github.com/replyonce/replyonce/shared/dynamoschema"
	"github.com/replyonce/replyonce/shared/worktask"
)

// expressionOf turns a transition into its conditional update. Each function
// below says in DynamoDB's language what the transition's Permitted and Apply
// say in Go; the conformance suite holds them together.
func expressionOf(tr worktask.Transition) (*expression, error) {
	switch tr := tr.(type) {
	case worktask.Claim:
		return claim(tr)
	case worktask.LookupClaim:
		return lookupClaim(tr)
	case worktask.Beginning:
		return begin(tr), nil
	case worktask.Renewal:
		return renew(tr), nil
	case worktask.OperationSave:
		return saveOperation(tr), nil
	case worktask.Completion:
		return complete(tr)
	case worktask.Failure:
		return fail(tr), nil
	case worktask.Release:
		return release(tr), nil
	case worktask.End:
		return end(tr)
	case worktask.Cancel:
		return cancel(tr), nil
	case worktask.Bump:
		return bump(tr), nil
	case worktask.Raise:
		return raise(tr), nil
	default:
		return nil, fmt.Errorf("no write for transition %T", tr)
	}
}

// checkAssignment catches a worker that writes one task with the right to
// another: the condition of the write names a version and not a task.
func checkAssignment(ref worktask.Ref, tr worktask.Transition) error {
	fenced, ok := tr.(interface{ Assignment() worktask.Assignment })
	if ok && fenced.Assignment().Ref() != ref {
		return fmt.Errorf("the assignment is for task %s", fenced.Assignment().Ref())
	}
	return nil
}

// is compares the status; the placeholder is the status itself.
func (e *expression) is(status worktask.Status) condition {
	return e.compare(dynamoschema.Status, "=", ":"+string(status), text(string(status)))
}

// open is the condition "pending or running".
func (e *expression) open() condition { return anyOf(e.is(worktask.Pending), e.is(worktask.Running)) }

// leaseOver is the condition "running, and the lease ended at least margin ago".
func (e *expression) leaseOver(now time.Time, margin time.Duration) condition {
	limit := number(now.UnixMilli() - margin.Milliseconds())
	return allOf(e.is(worktask.Running), e.compare(dynamoschema.LeaseExpiresAt, "<=", ":lease_over", limit))
}

// fence is what every write of a worker requires: the task runs, the version is
// the worker's, the lease holds. Status alone would let a worker through that
// was replaced, and version alone one whose lease is over.
func (e *expression) fence(a worktask.Assignment, now time.Time) {
	e.where(
		e.is(worktask.Running),
		e.compare(dynamoschema.AssignmentVersion, "=", ":version", number(a.Version())),
		e.compare(dynamoschema.LeaseExpiresAt, ">", ":now", millis(now)),
	)
}

// end sets an end state. The due time goes in the same write: an index entry
// that outlived its task would be published for ever, one that went before it
// would leave the task without anybody who looks.
func (e *expression) end(status worktask.Status, by string, at time.Time) {
	e.set(dynamoschema.Status, text(string(status)))
	e.setText(dynamoschema.EndedBy, by)
	e.set(dynamoschema.EndedAt, millis(at))
	e.remove(dynamoschema.HandoffShard, dynamoschema.HandoffDueAt)
}

// report stores what was seen of a call.
func (e *expression) report(r worktask.Report) {
	e.add(dynamoschema.InputTokens, r.Tokens.Input)
	e.add(dynamoschema.OutputTokens, r.Tokens.Output)
	e.setIfAny(dynamoschema.ProviderRequestID, r.ProviderRequestID)
}

var errNoAssignmentID = errors.New("a claim needs an assignment id")
