package dynamostore

import (
	"github.com/replyonce/replyonce/shared/dynamoschema"
	"github.com/replyonce/replyonce/shared/worktask"
)

// raise is the operator's write on a restored table. An item does not have a version
// of zero: numbers that are zero are left out.
func raise(r worktask.Raise) *expression {
	e := newExpression()
	seen := e.absent(dynamoschema.AssignmentVersion)
	if r.Seen != 0 {
		seen = e.compare(dynamoschema.AssignmentVersion, "=", ":version", number(r.Seen))
	}
	e.where(e.open(), seen)
	if r.To <= r.Seen {
		// Nothing may be written; a condition that cannot hold says so to the caller.
		e.where(e.compare(dynamoschema.AssignmentVersion, "<", ":none", number(0)))
	}
	e.set(dynamoschema.AssignmentVersion, number(r.To))
	if r.Released {
		e.set(dynamoschema.ReleaseVersion, number(r.To))
	}
	return e
}
