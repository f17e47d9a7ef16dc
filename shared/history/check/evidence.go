package check

import (
	"github.com/replyonce/replyonce/shared/history"
	"github.com/replyonce/replyonce/shared/worktask"
)

// evidenceKept decides the part of P14 about refused answers.
//
// A worker whose completion was refused keeps evidence of the answer before it
// is done with the message, unless it was killed. Evidence has the size, the
// hash and the tokens of the answer that the worker tried to save, and there is
// none of an answer that nobody tried to save. Answers about an ended task show
// all the evidence that was there before they were asked for.
func evidenceKept(r *record, t *task, j *judgement) {
	last := map[string]operation{} // the last completion that each assignment tried
	for _, op := range t.writes {
		if op.sent.Write.Transition == history.Complete {
			last[op.sent.Write.AssignmentID] = op
		}
	}
	for _, op := range t.writes {
		if final, ok := last[op.sent.Write.AssignmentID]; ok && final == op {
			refusedIsKept(r, t, op, j)
		}
	}
	for _, op := range t.evidence {
		j.decided()
		truthful(r, t, op, last, j)
	}
	evidenceShown(t, j)
}

// refusedIsKept looks at the last completion that an assignment tried.
func refusedIsKept(r *record, t *task, op operation, j *judgement) {
	if op.outcome() != history.RefusedBy {
		return
	}
	id, actor := op.sent.Write.AssignmentID, op.sent.Actor
	done := handledAfter(t, actor, op.done.Seq)
	if done == nil || r.killedBetween(actor, op.done.Seq, done.Seq) {
		return
	}
	if toldOwn(t, actor, id, done.Seq) != nil {
		return // it was its own earlier write
	}
	j.decided()
	for _, e := range t.evidence {
		if e.sent.Evidence.AssignmentID == id {
			return
		}
	}
	j.broken(t.ref, at(op.sent.Seq, op.done.Seq, done.Seq), "the answer of %s was refused and no evidence of it was kept", actor)
}

// handledAfter is where the actor was done with the message of the task.
func handledAfter(t *task, actor string, seq int64) *history.Event {
	for _, e := range t.handled {
		if e.Actor == actor && e.Seq > seq {
			return e
		}
	}
	return nil
}

// truthful compares evidence with the answer.
func truthful(r *record, t *task, op operation, last map[string]operation, j *judgement) {
	e := op.sent.Evidence
	tried, ok := last[e.AssignmentID]
	if !ok && triedToStore(r, op.sent.Actor, *e) {
		return
	}
	if !ok {
		j.broken(t.ref, at(op.sent.Seq), "%s kept evidence of an answer that it never tried to save", op.sent.Actor)
		return
	}
	w := tried.sent.Write
	if e.SHA256 != w.Result.SHA256 || e.Bytes != w.Result.Bytes || e.InputTokens != w.InputTokens || e.OutputTokens != w.OutputTokens {
		j.broken(t.ref, at(tried.sent.Seq, op.sent.Seq), "the evidence that %s kept does not describe its answer", op.sent.Actor)
	}
}

// triedToStore reports whether the actor tried to store the answer as an object,
// which comes before the completion.
func triedToStore(r *record, actor string, e history.Evidence) bool {
	for _, op := range r.objects {
		if o := op.sent.Object; op.sent.Actor == actor && o.SHA256 == e.SHA256 && o.Bytes == e.Bytes {
			return true
		}
	}
	return false
}

func evidenceShown(t *task, j *judgement) {
	for _, v := range t.shownViews() {
		if !worktask.Status(v.view.Status).Ended() {
			continue
		}
		kept := map[int64]bool{} // by assignment version, of which only the first is kept
		for _, op := range t.evidence {
			if op.outcome() == history.Landed && op.done.Seq < v.begin && !completedIt(t, op.sent.Evidence.AssignmentID) {
				kept[op.sent.Evidence.AssignmentVersion] = true
			}
		}
		if v.view.RefusedAnswers < len(kept) {
			j.broken(t.ref, at(v.begin, v.end), "an answer shows %d refused answers, and evidence of %d was kept", v.view.RefusedAnswers, len(kept))
		}
	}
}

// completedIt reports whether the assignment's own answer was saved after all.
func completedIt(t *task, id string) bool {
	for _, s := range t.sights {
		if s.item.Status == string(worktask.Completed) && s.item.EndedBy == id {
			return true
		}
	}
	return false
}
