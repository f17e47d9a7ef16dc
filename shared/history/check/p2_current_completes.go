package check

import (
	"github.com/replyonce/replyonce/shared/history"
	"github.com/replyonce/replyonce/shared/worktask"
)

// currentCompletes decides P2: only the current assignment completes a task,
// with its own version, while the task runs, its lease holds and no result is
// there; a refusal is explained.
//
// Each completion that has landed is held against the item that it landed on,
// by the clock of the worker that wrote it. Each refused completion is held
// against the item that its sender was told: one of the explanations must hold,
// which are its own earlier write, another end, another assignment, and its own
// lease being over.
func currentCompletes(r *record, j *judgement) {
	for _, t := range r.tasks {
		for _, s := range t.steps {
			if s.write.Transition != history.Complete || s.before == nil {
				continue
			}
			j.decided()
			if why := notCurrent(s.write, *s.before); why != "" {
				j.broken(t.ref, at(s.seq), "%s completed with version %d although %s", s.actor, s.write.AssignmentVersion, why)
			}
		}
		for _, op := range t.writes {
			refusedCompletion(t, op, j)
		}
	}
}

// notCurrent says in plain words why a worker may not complete the item; ""
// when it may.
func notCurrent(w history.Write, item history.Item) string {
	if why := notHolding(w, item); why != "" {
		return why
	}
	if item.Result.Present() {
		return "a result was there already"
	}
	return ""
}

// notHolding is the fence that every write of a worker has.
func notHolding(w history.Write, item history.Item) string {
	switch {
	case item.Status != string(worktask.Running):
		return "the task was " + item.Status
	case item.AssignmentVersion != w.AssignmentVersion:
		return "another assignment had the task"
	case item.LeaseExpiresAt <= w.Now:
		return "its lease was over"
	}
	return ""
}

func refusedCompletion(t *task, op operation, j *judgement) {
	if op.sent.Write.Transition != history.Complete || op.outcome() != history.RefusedBy || op.done.Item == nil {
		return
	}
	j.decided()
	if notCurrent(*op.sent.Write, *op.done.Item) == "" {
		j.broken(t.ref, at(op.sent.Seq, op.done.Seq),
			"%s was refused its completion although it held the task, its lease was valid and no result was there", op.sent.Actor)
	}
}
