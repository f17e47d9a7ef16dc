package check

import (
	"github.com/replyonce/replyonce/shared/history"
	"github.com/replyonce/replyonce/shared/worktask"
)

// requestsRecorded decides P8: every physical request has its own record,
// written before it by a conditional write that succeeded while the task was
// running; a record stands for at most one request; no request is made while a
// transaction is open.
//
// The record of a request is the claim of its assignment, and under the policy
// "stop" also its begin. Each request that a worker sends must find them among
// the writes that landed before it, and be the only one of its assignment. The
// provider's own log knows no assignments: there, the n-th request must find at
// least n claims. What happens to the task between the record and the request
// is of no account.
func requestsRecorded(r *record, j *judgement) {
	for _, t := range r.tasks {
		claims := t.claims()
		byAssignment := map[string]int64{}
		for _, call := range t.sent {
			j.decided()
			ownRecord(t, claims, call, byAssignment, j)
			noOpenTransaction(r, t, call, j)
		}
		for i, call := range t.received {
			j.decided()
			if n := landedBy(claims, call.Seq); n <= i {
				j.broken(t.ref, at(call.Seq), "the provider received request %d when %d claims had landed", i+1, n)
			}
		}
	}
}

func ownRecord(t *task, claims []step, call *history.Event, byAssignment map[string]int64, j *judgement) {
	id := call.Call.AssignmentID
	if earlier, used := byAssignment[id]; used {
		j.broken(t.ref, at(earlier, call.Seq), "%s made a second request under one claim", call.Actor)
		return
	}
	byAssignment[id] = call.Seq
	if !recorded(claims, id, call.Seq) {
		j.broken(t.ref, at(call.Seq), "%s made a request that no claim had recorded", call.Actor)
		return
	}
	if t.exact && t.policy() == worktask.StopUnknown && !begun(t, id, call.Seq) {
		j.broken(t.ref, at(call.Seq), "%s made a request without having begun it, under the policy \"stop\"", call.Actor)
	}
}

func recorded(claims []step, id string, seq int64) bool {
	for _, c := range claims {
		if c.write.AssignmentID == id && c.seq < seq {
			return true
		}
	}
	return false
}

func landedBy(claims []step, seq int64) int {
	n := 0
	for _, c := range claims {
		if c.seq < seq {
			n++
		}
	}
	return n
}

func begun(t *task, id string, seq int64) bool {
	for _, s := range t.steps {
		if s.write.Transition == history.Begin && s.write.AssignmentID == id && s.seq < seq {
			return true
		}
	}
	return false
}

// policy is the task's policy for unknown outcomes, "" when nobody saw it.
func (t *task) policy() worktask.UnknownPolicy {
	if len(t.sights) == 0 {
		return ""
	}
	return worktask.UnknownPolicy(t.sights[0].item.OnUnknown)
}

func noOpenTransaction(r *record, t *task, call *history.Event, j *judgement) {
	for _, op := range r.creating[call.Actor] {
		if op.sent.Seq < call.Seq && call.Seq < op.end() && op.done != nil {
			j.broken(t.ref, at(op.sent.Seq, call.Seq), "%s made a request while its transaction was open", call.Actor)
		}
	}
}
