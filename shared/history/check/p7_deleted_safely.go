package check

import "github.com/replyonce/replyonce/shared/history"

// deletedSafely decides P7: a message is deleted only when its task has ended,
// or while a due time is stored on it.
//
// At the place of each deletion, and of each wish of a worker to have a message
// deleted, the task must be there and either ended or due at some time. A
// message that names no task, or one that was never made, is left to the
// dead-letter queue. Without the store's side only what was surely the task's
// state can be used.
func deletedSafely(r *record, j *judgement) {
	for _, t := range r.tasks {
		for _, e := range t.handled {
			if e.Message.Action == "delete" {
				deletion(t, e, j)
			}
		}
		for _, e := range t.deleted {
			deletion(t, e, j)
		}
	}
	for _, e := range r.messages {
		j.decided()
		j.broken("", at(e.Seq), "a message that names no task was deleted")
	}
}

func deletion(t *task, e *history.Event, j *judgement) {
	item := t.stateAt(e.Seq)
	if item == nil {
		if t.exact {
			j.decided()
			j.broken(t.ref, at(e.Seq), "%s had the message deleted and there is no such task", e.Actor)
		}
		return
	}
	j.decided()
	if !item.Ended() && item.HandoffDueAt == 0 {
		j.broken(t.ref, at(e.Seq), "%s had the message deleted while the task was %s and had no due time", e.Actor, item.Status)
	}
}
