package check

import (
	"slices"
	"time"

	"github.com/replyonce/replyonce/shared/history"
	"github.com/replyonce/replyonce/shared/worktask"
)

// endsInTime decides P5: once accepted, a task ends (completed, failed with a
// reason, or cancelled) within its deadline plus one recovery interval, whatever
// dies, as long as store and dispatcher come back.
//
// Accepted means that the creating transaction has landed, or that a caller was
// told so; telling so of a task that no transaction made is a loss. Whether
// store and dispatcher are back is judged by what they did: a sweep that was
// complete and had no failures, and that began after deadline, lease and margin,
// must leave no task open that was over, or that ends later than it may. Where the driver has stated that
// everything was brought back and given its time, every task must have ended
// then. A task that is open at the end of a record without that statement is
// undecided.
func endsInTime(r *record, j *judgement) {
	acknowledgedExist(r, j)
	sweeps := fullSweeps(r)
	for _, t := range r.tasks {
		if t.accepted == nil {
			continue
		}
		if end := endOf(t); end != nil {
			j.decided()
			endedProperly(t, *end, j)
			endedLate(r, t, *end, sweeps, j)
			continue
		}
		stillOpen(r, t, sweeps, j)
	}
}

// acknowledgedExist finds tasks that callers were promised and nobody made.
func acknowledgedExist(r *record, j *judgement) {
	if len(r.creating) == 0 && len(r.creations) == 0 {
		return // the record has no transactions to compare with
	}
	for _, x := range r.exchanges {
		if x.answered == nil || x.answered.Task == "" || x.sent.Request.Key == "" || !success(x) {
			continue
		}
		j.decided()
		if t := r.byRef[x.answered.Task]; t == nil || (t.accepted == nil && t.exact) {
			j.broken(x.answered.Task, at(x.sent.Seq, x.answered.Seq), "%s was told that the task is accepted, and nothing was stored", x.sent.Request.Caller)
		}
	}
}

// endOf is the sight that proves earliest that the task has ended.
func endOf(t *task) *sight {
	var first *sight
	for i, s := range t.sights {
		if s.item.Ended() && (first == nil || s.end < first.end) {
			first = &t.sights[i]
		}
	}
	return first
}

func endedProperly(t *task, end sight, j *judgement) {
	item := end.item
	known := slices.Contains(worktask.Reasons(), worktask.Reason(item.FailureReason))
	switch worktask.Status(item.Status) { //nolint:exhaustive // ends only
	case worktask.Failed:
		if !known {
			j.broken(t.ref, at(end.end), "the task failed for the reason %q, which is none of the list", item.FailureReason)
		}
	case worktask.Completed:
		if !item.Result.Present() {
			j.broken(t.ref, at(end.end), "the task is completed without a result")
		}
	}
}

// endedLate looks for a sweep that should have ended the task before it ended.
func endedLate(r *record, t *task, end sight, sweeps []operation, j *judgement) {
	if s := missed(r, t, end.item.Deadline, end.end, sweeps); s != nil {
		leftOpen(t, end.item.Deadline, *s, j)
	}
}

// missed is the first full sweep that began when nobody could hold the task any
// more, and that was done before the task ended at the place. A task that ended
// within its time was missed by nobody.
func missed(r *record, t *task, deadline history.Millis, ended int64, sweeps []operation) *operation {
	l := r.history.Header.Limits
	limit, free := deadline.Add(l.Recovery()).Time(), deadline.Add(time.Duration(l.LeaseMS+l.MarginMS)*time.Millisecond).Time()
	if last := min(ended, int64(len(r.history.Events))); !r.event(last).At.After(limit.Add(skew(r))) {
		return nil
	}
	for i, s := range sweeps {
		if s.sent.Seq > t.accepted.seq && s.sent.At.After(free.Add(skew(r))) && s.done.Seq < ended {
			return &sweeps[i]
		}
	}
	return nil
}

func leftOpen(t *task, deadline history.Millis, sweep operation, j *judgement) {
	j.broken(t.ref, at(t.accepted.seq, sweep.sent.Seq, sweep.done.Seq),
		"the task was over at %s and a full sweep by %s left it open", deadline, sweep.sent.Actor)
}

func stillOpen(r *record, t *task, sweeps []operation, j *judgement) {
	deadline := t.accepted.what.Item.Deadline
	switch s := missed(r, t, deadline, never, sweeps); {
	case s != nil:
		j.decided()
		leftOpen(t, deadline, *s, j)
	case r.drained > t.accepted.seq:
		j.decided()
		j.broken(t.ref, at(t.accepted.seq, r.drained), "everything was given its time and the task has not ended")
	default:
		j.undecided(t.ref, at(t.accepted.seq), "the task is open at the end of the record")
	}
}

// fullSweeps are those that read every shard from its beginning to its end and
// could handle everything: a sweep that ran out of time makes the next one of
// its process begin in the middle.
func fullSweeps(r *record) []operation {
	var full []operation
	resumes := map[string]bool{}
	for _, op := range r.sweeps {
		if op.done == nil {
			resumes[op.sent.Actor] = false // the process is gone, and its place with it
			continue
		}
		s := op.done.Sweep
		if s.Complete && s.Failed == 0 && !resumes[op.sent.Actor] {
			full = append(full, op)
		}
		resumes[op.sent.Actor] = !s.Complete
	}
	return full
}

// skew is how far clocks of processes were ever off.
func skew(r *record) time.Duration {
	return time.Duration(r.history.Header.Limits.SkewMS) * time.Millisecond
}
