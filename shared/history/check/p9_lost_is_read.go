package check

import (
	"github.com/replyonce/replyonce/shared/history"
	"github.com/replyonce/replyonce/shared/worktask"
)

// lostIsRead decides P9: a lost acknowledgement (of accept, claim, begin, renew,
// complete, release) is resolved by reading, never by working again.
//
// After a claim or a begin whose acknowledgement was lost, its sender makes the
// request only if the last thing that it was told of the task, after the loss,
// is that it holds it. After a lost end of an attempt it writes no other end
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

// told is the item that the actor was told last between two places.
func told(t *task, actor string, from, to int64) *history.Event {
	var last *history.Event
	for _, list := range [][]operation{t.writes, t.reads} {
		for _, op := range list {
			d := op.done
			if d == nil || d.Item == nil || d.Actor != actor || d.Seq <= from || d.Seq >= to {
				continue
			}
			if last == nil || d.Seq > last.Seq {
				last = d
			}
		}
	}
	return last
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
		switch seen := told(t, op.sent.Actor, op.done.Seq, call.Seq); {
		case seen == nil:
			j.broken(t.ref, at(op.sent.Seq, op.done.Seq, call.Seq), "%s lost the acknowledgement of its %s and made the request without reading", call.Actor, w.Transition)
		case seen.Item.Status != string(worktask.Running) || seen.Item.AssignmentID != w.AssignmentID:
			j.broken(t.ref, at(op.done.Seq, seen.Seq, call.Seq), "%s read that the task is %s and not its own, and made the request", call.Actor, seen.Item.Status)
		}
	}
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
		if told(t, op.sent.Actor, op.done.Seq, next.sent.Seq) == nil {
			j.broken(t.ref, at(op.sent.Seq, op.done.Seq, next.sent.Seq), "%s lost the acknowledgement of its %s and wrote %s without reading",
				op.sent.Actor, op.sent.Write.Transition, w.Transition)
		}
	}
}

// ownTakenForRefused: evidence of one's own saved answer.
func ownTakenForRefused(t *task, op operation, j *judgement) {
	id := op.sent.Evidence.AssignmentID
	seen := told(t, op.sent.Actor, 0, op.sent.Seq)
	if seen == nil {
		return
	}
	j.decided()
	if seen.Item.Status == string(worktask.Completed) && seen.Item.EndedBy == id {
		j.broken(t.ref, at(seen.Seq, op.sent.Seq), "%s had saved its answer, was told so, and took it for refused", op.sent.Actor)
	}
}

// acceptedBlindly: an answer that shows a new task which nobody knew to be there.
func acceptedBlindly(r *record, x exchange, j *judgement) {
	if x.answered == nil || x.answered.Task == "" || x.sent.Request.Key == "" || !success(x) {
		return
	}
	lost, known := (*history.Event)(nil), false
	for _, op := range r.creating {
		if op.sent.Task != x.answered.Task || op.sent.Seq > x.answered.Seq {
			continue
		}
		known = known || op.outcome() == history.Landed
		if op.done != nil && op.outcome() == history.Lost {
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
