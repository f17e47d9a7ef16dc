package check

import (
	"net/http"

	"github.com/replyonce/replyonce/shared/history"
	"github.com/replyonce/replyonce/shared/worktask"
)

// writesFenced decides P10: failure, cancel and release are fenced like success.
// A late failure erases nothing, and an answer that arrives after a cancel is
// refused.
//
// Each landed write of a worker besides its completion (begin, renew, an
// operation id, release, fail) is held against the item that it landed on: the
// task runs, the version is the writer's, the lease holds by the writer's clock.
// An end by anybody else needs a task that nobody may hold, and a reason that
// holds at that moment. A cancel needs a task that has not ended, and what the
// caller is told of it must be so. That a cancel moves the version is decided by
// P3, and that completions after it are refused by P2.
func writesFenced(r *record, j *judgement) {
	for _, t := range r.tasks {
		for _, s := range t.steps {
			if s.before == nil || s.write.Transition == history.Complete {
				continue
			}
			if why, applies := unfenced(s.write, *s.before); applies {
				j.decided()
				if why != "" {
					j.broken(t.ref, at(s.seq), "%s of %s (version %d) landed although %s", s.write.Transition, s.actor, s.write.AssignmentVersion, why)
				}
			}
		}
	}
	for _, x := range r.exchanges {
		cancelAnswered(x, j)
	}
}

// unfenced says why a write may not land on the item, and whether there is
// anything to say.
func unfenced(w history.Write, item history.Item) (why string, applies bool) {
	switch {
	case w.Fenced():
		return notHolding(w, item), true
	case w.Transition == history.End:
		return notOver(w, item), true
	case w.Transition == history.Cancel:
		if item.Ended() {
			return "the task was " + item.Status, true
		}
		return "", true
	}
	return "", false
}

// notOver says why nobody may end the item in place of its worker.
func notOver(w history.Write, item history.Item) string {
	switch {
	case item.Ended():
		return "the task was " + item.Status
	case item.Status == string(worktask.Running) && int64(item.LeaseExpiresAt) > int64(w.Now)-w.MarginMS:
		return "the lease of its worker held, or had ended less than the margin ago"
	case !reasonHolds(w, item):
		return "its reason, " + w.Reason + ", did not hold"
	}
	return ""
}

func reasonHolds(w history.Write, item history.Item) bool {
	if w.Reason == string(worktask.DeadlineOver) {
		return item.Deadline <= w.Now
	}
	if item.OperationID != "" {
		return false // a look-up may still bring the answer that was paid
	}
	switch worktask.Reason(w.Reason) { //nolint:exhaustive // the others are no reasons to end a task that nobody works on
	case worktask.AttemptsExhausted:
		return item.AttemptsLeft <= 0 || item.CallsLeft <= 0
	case worktask.BudgetExhausted:
		return item.MoneyLimit > 0 && item.MoneyLeft < item.CallMoney
	case worktask.OutcomeUnknown:
		return item.OnUnknown == string(worktask.StopUnknown) && item.CallOpen
	}
	return false
}

func cancelAnswered(x exchange, j *judgement) {
	if x.answered == nil || x.sent.Request.Operation != history.OperationCancel || x.answered.Answer.View == nil {
		return
	}
	j.decided()
	status := worktask.Status(x.answered.Answer.View.Status)
	switch code := x.answered.Answer.Status; {
	case code == http.StatusOK && status != worktask.Cancelled:
		j.broken(x.answered.Task, at(x.sent.Seq, x.answered.Seq), "%s was told that the task is cancelled, and it was %s", x.sent.Request.Caller, status)
	case code == http.StatusConflict && status != worktask.Completed && status != worktask.Failed:
		j.broken(x.answered.Task, at(x.sent.Seq, x.answered.Seq), "%s was refused a cancel although the task was %s", x.sent.Request.Caller, status)
	}
}
