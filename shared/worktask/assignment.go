package worktask

import "time"

// Assignment is the current right to work on a task. Only a claim makes one,
// and only an Assignment makes the transitions that a worker may write, so a
// completion that names no version cannot be written down.
type Assignment struct {
	ref     Ref
	id      string
	version int64
	lookup  bool
	// callMoney is what the call that the assignment is about has taken: its own,
	// or the one whose operation it looks up.
	callMoney int64
}

// AssignmentOf adopts the assignment that a claim with the given id has put on
// the task. The version is the stored one, never one that a message carried.
func AssignmentOf(t Task, id string) (Assignment, bool) {
	if id == "" || t.Status != Running || t.AssignmentID != id {
		return Assignment{}, false
	}
	return Assignment{ref: t.Ref, id: id, version: t.AssignmentVersion, lookup: t.OperationID != "", callMoney: t.Money.Call}, true
}

// Ref is the task that the assignment is for.
func (a Assignment) Ref() Ref { return a.ref }

// ID is unique per claim.
func (a Assignment) ID() string { return a.id }

// Version is the fencing token.
func (a Assignment) Version() int64 { return a.version }

// LookupOnly reports whether the claim may only look up a saved operation: it
// took neither an attempt nor a call.
func (a Assignment) LookupOnly() bool { return a.lookup }

// CallMoney is what one call of the task costs at most; 0: money is not counted.
func (a Assignment) CallMoney() int64 { return a.callMoney }

// fence is the condition of every write that a worker makes: the task runs, the
// version is the worker's, the lease holds.
type fence struct {
	assignment Assignment
	now        time.Time
}

// Assignment is the writer's right.
func (f fence) Assignment() Assignment { return f.assignment }

// Now is the writer's clock.
func (f fence) Now() time.Time { return f.now }

// check explains a refusal in the order that helps the worker most: an end
// first, then a newer assignment, then its own lease.
func (f fence) check(t Task) error {
	switch {
	case t.Status == Completed:
		return ErrAlreadyCompleted
	case t.Status == Cancelled:
		return ErrCancelled
	case t.Status == Failed:
		return ErrAlreadyFailed
	case t.AssignmentVersion != f.assignment.version, t.Status != Running:
		return ErrStaleAssignment
	case !t.LeaseValid(f.now):
		return ErrLeaseExpired
	}
	return nil
}

// holds reports whether the task still runs under the writer's version, be the
// lease over or not: the state in which an own write can have landed.
func (f fence) holds(t Task) bool {
	return t.Status == Running && t.AssignmentVersion == f.assignment.version
}
