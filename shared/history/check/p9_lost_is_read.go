package check

import (
	"cmp"
	"slices"

	"github.com/replyonce/replyonce/shared/history"
	"github.com/replyonce/replyonce/shared/worktask"
)

// lostIsRead decides P9: a lost acknowledgement (of accept, claim, begin, renew,
// complete, release) is resolved by reading, never by working again.
//
// After a claim or a begin whose acknowledgement was lost, its sender makes the
// request only if it was told, after the loss, that it holds the task. After a lost end of an attempt it writes no other end
// unless it was told something of the task. A completion that its sender was
// told to be its own is never taken for a refusal, which would leave evidence of
// a refused answer. And nobody is told that a task is accepted whose transaction
// was not acknowledged and whose record nobody read.
func lostIsRead(r *record, j *judgement) {
	for _, t := range r.tasks {
		for _, op := range t.writes {
			if op.done == nil || op.outcome() != history.Lost {
				continue
			}
			j.decided()
			lostBeforeCall(t, op, j)
			lostEnd(t, op, j)
		}
		for _, op := range t.evidence {
			ownTakenForRefused(t, op, j)
		}
	}
	for _, x := range r.exchanges {
		acceptedBlindly(r, x, j)
	}
}

// told are the ends of operations in which the actor was told the item, between
// two places, in their order.
func told(t *task, actor string, from, to int64) []*history.Event {
	var list []*history.Event
	for _, op := range slices.Concat(t.writes, t.reads) {
		if d := op.done; d != nil && d.Item != nil && d.Actor == actor && from < d.Seq && d.Seq < to {
			list = append(list, d)
		}
	}
	slices.SortFunc(list, func(a, b *history.Event) int { return cmp.Compare(a.Seq, b.Seq) })
	return list
}

// lostBeforeCall: claim and begin.
func lostBeforeCall(t *task, op operation, j *judgement) {
	w := op.sent.Write
	if !w.Claims() && w.Transition != history.Begin {
		return
	}
	for _, call := range t.sent {
		if call.Seq < op.done.Seq || call.Actor != op.sent.Actor || call.Call.AssignmentID != w.AssignmentID {
			continue
		}
		seen := told(t, op.sent.Actor, op.done.Seq, call.Seq)
		switch {
		case len(seen) == 0:
			j.broken(t.ref, at(op.sent.Seq, op.done.Seq, call.Seq), "%s lost the acknowledgement of its %s and made the request without reading", call.Actor, w.Transition)
		case !slices.ContainsFunc(seen, func(e *history.Event) bool { return holds(*e.Item, w.AssignmentID) }):
			last := seen[len(seen)-1]
			j.broken(t.ref, at(op.done.Seq, last.Seq, call.Seq), "%s read that the task is %s and not its own, and made the request", call.Actor, last.Item.Status)
		}
	}
}

// holds reports whether the item is being worked on under the assignment.
func holds(item history.Item, id string) bool {
	return item.Status == string(worktask.Running) && item.AssignmentID == id
}

// finishing are the writes that end an attempt.
func finishing(w history.Write) bool {
	return w.Transition == history.Complete || w.Transition == history.Fail || w.Transition == history.Release
}

// lostEnd: complete, fail and release.
func lostEnd(t *task, op operation, j *judgement) {
	if !finishing(*op.sent.Write) {
		return
	}
	for _, next := range t.writes {
		w := next.sent.Write
		if next.sent.Seq < op.done.Seq || next.sent.Actor != op.sent.Actor || !finishing(*w) ||
			w.AssignmentID != op.sent.Write.AssignmentID || w.Transition == op.sent.Write.Transition {
			continue
		}
		if len(told(t, op.sent.Actor, op.done.Seq, next.sent.Seq)) == 0 {
			j.broken(t.ref, at(op.sent.Seq, op.done.Seq, next.sent.Seq), "%s lost the acknowledgement of its %s and wrote %s without reading",
				op.sent.Actor, op.sent.Write.Transition, w.Transition)
		}
	}
}

// ownTakenForRefused: evidence of one's own saved answer.
func ownTakenForRefused(t *task, op operation, j *judgement) {
	id := op.sent.Evidence.AssignmentID
	j.decided()
	if seen := toldOwn(t, op.sent.Actor, id, op.sent.Seq); seen != nil {
		j.broken(t.ref, at(seen.Seq, op.sent.Seq), "%s had saved its answer, was told so, and took it for refused", op.sent.Actor)
	}
}

// toldOwn is where the actor was told that the assignment has completed the
// task.
func toldOwn(t *task, actor, id string, to int64) *history.Event {
	for _, e := range told(t, actor, 0, to) {
		if e.Item.Status == string(worktask.Completed) && e.Item.EndedBy == id {
			return e
		}
	}
	return nil
}

// acceptedBlindly: an answer that shows a new task which nobody knew to be there.
func acceptedBlindly(r *record, x exchange, j *judgement) {
	if x.answered == nil || x.answered.Task == "" || x.sent.Request.Key == "" || !success(x) {
		return
	}
	lost, known := (*history.Event)(nil), false
	for _, op := range r.task(x.answered.Task).creating {
		if op.sent.Seq > x.answered.Seq {
			continue
		}
		known = known || op.outcome() == history.Landed
		if op.done != nil && op.outcome() == history.Lost && op.done.Seq < x.answered.Seq {
			lost = op.done
		}
	}
	if lost == nil || known {
		return
	}
	j.decided()
	for _, op := range r.recordReads {
		if op.done != nil && op.done.Record != nil && op.done.Seq < x.answered.Seq && op.done.Seq > lost.Seq &&
			op.sent.Request.Address() == x.sent.Request.Address() {
			return
		}
	}
	j.broken(x.answered.Task, at(lost.Seq, x.answered.Seq), "the acknowledgement of accept was lost, nobody read the record, and %s was told that the task is accepted", x.sent.Request.Caller)
}
