package worktask

import "time"

// Raise moves the assignment version of an open task far beyond any that was given
// out. It is no write of the protocol: no worker, dispatcher or caller makes it,
// and it is the one write but claim, takeover and cancel that moves a version. An
// operator makes it once, on a table that was restored to an earlier time, while
// nothing else runs.
//
// A restore takes back what happened after its time, claims among it, and so the
// next claim gives out a version that somebody has already:
//
//	before:  A claims version 3 and works.
//	restore: to a time at which the version was 2.
//	after:   B claims version 3 and works. A comes back with its answer.
//
// A's version is 3, the task runs and B's lease holds: without a raise A's write
// would be taken for the current assignment's. After a raise by more than any task
// is ever claimed, no version from before the restore is given out again, and
// whoever holds one is refused as stale, as after any takeover.
type Raise struct {
	Seen     int64 // the version that was read
	To       int64 // the new one, larger
	Released bool  // the task was given back by the assignment Seen, which To then stands for
}

// RaiseOf is the raise of a task as it was read.
func RaiseOf(t Task, by int64) Raise {
	return Raise{Seen: t.AssignmentVersion, To: t.AssignmentVersion + by, Released: t.ReleasedVersion == t.AssignmentVersion && t.ReleasedVersion > 0}
}

// Name implements Transition.
func (r Raise) Name() string { return "raise" }

// Permitted implements Transition.
func (r Raise) Permitted(t Task) error {
	if err := endedError(t); err != nil {
		return err
	}
	if t.AssignmentVersion != r.Seen || r.To <= r.Seen {
		return ErrStaleAssignment
	}
	return nil
}

// Apply implements Transition. Lease, budget and due time stay: after its lease
// the task is taken over like any other whose worker is gone.
func (r Raise) Apply(t Task) Task {
	t.AssignmentVersion = r.To
	if r.Released {
		t.ReleasedVersion = r.To
	}
	return t
}

// Mine implements Transition: any version from To on serves, and so a repeat after
// a lost acknowledgement raises nothing twice.
func (r Raise) Mine(t Task, _ time.Time) bool { return t.AssignmentVersion >= r.To }
