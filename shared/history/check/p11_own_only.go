package check

import (
	"net/http"

	"github.com/replyonce/replyonce/shared/history"
)

// ownOnly decides P11: nobody reads or changes another workspace's data;
// conversations, and with them reply tasks, belong to their caller; foreign ids
// answer 404.
//
// Whose a task is was said when it was made, in the record of its key. A
// creating transaction stays within one workspace and one caller. A request for
// a task that is not the caller's own is answered 404, or by something that says
// nothing of any task (400, 401, 429, 5xx, no answer); an answer shows no task
// that is not the caller's own. What keyed requests show is decided by P4.
func ownOnly(r *record, j *judgement) {
	for _, c := range r.creations {
		j.decided()
		madeAcross(c, j)
	}
	for _, x := range r.exchanges {
		if x.answered == nil || x.sent.Request.Key != "" {
			continue
		}
		foreign(r, x, x.sent.Task, j)
		if x.answered.Task != x.sent.Task {
			foreign(r, x, x.answered.Task, j)
		}
	}
}

func madeAcross(c creation, j *judgement) {
	if c.task == "" || c.what.Item == nil {
		return
	}
	record := c.what.Record
	if w := c.task.Parts().Workspace; w != record.Workspace {
		j.broken(c.task, at(c.seq), "a request of workspace %s made a task in workspace %s", record.Workspace, w)
	}
	if c.what.Item.Caller != record.Caller {
		j.broken(c.task, at(c.seq), "a request of %s made a task of %s", record.Caller, c.what.Item.Caller)
	}
}

func foreign(r *record, x exchange, task history.Ref, j *judgement) {
	owner, known := r.owners[task]
	asks := ownership{x.sent.Request.Workspace, x.sent.Request.Caller}
	if !known {
		return
	}
	j.decided()
	if owner != asks && !silent(x.answered.Answer.Status) {
		j.broken(task, at(x.sent.Seq, x.answered.Seq), "%s of workspace %s got status %d for a task of %s of workspace %s",
			asks.caller, asks.workspace, x.answered.Answer.Status, owner.caller, owner.workspace)
	}
}

// silent reports whether a status says nothing of any task.
func silent(status int) bool {
	switch status {
	case 0, http.StatusNotFound, http.StatusBadRequest, http.StatusUnauthorized, http.StatusTooManyRequests:
		return true
	}
	return status >= http.StatusInternalServerError
}
