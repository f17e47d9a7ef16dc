package check

import (
	"github.com/replyonce/replyonce/shared/history"
	"github.com/replyonce/replyonce/shared/worktask"
)

// dueTime decides the rule that P5 and P7 rest on: a task has a due time exactly
// while it is pending or running.
//
// Whoever sees a task sees it so. Claims, renewals and the other writes of an
// attempt leave the due time alone; a release sets it; a bump moves the one that
// was read, on a task that has not ended. No next attempt is due at the deadline
// or after it.
func dueTime(r *record, j *judgement) {
	for _, t := range r.tasks {
		for _, s := range t.sights {
			j.decided()
			if s.item.Ended() != (s.item.HandoffDueAt == 0) {
				j.broken(t.ref, at(s.end), "the task is %s and %s", s.item.Status, hasDue(s.item))
				break
			}
		}
		for _, s := range t.steps {
			if s.before == nil {
				continue
			}
			if why := dueMoved(s.write, *s.before, s.after); why != "" {
				j.broken(t.ref, at(s.seq), "%s by %s %s", s.write.Transition, s.actor, why)
			}
		}
	}
}

func hasDue(item history.Item) string {
	if item.HandoffDueAt == 0 {
		return "has no due time"
	}
	return "has a due time"
}

func dueMoved(w history.Write, before, after history.Item) string {
	switch {
	case w.Transition == history.Bump && before.Ended():
		return "gave an ended task a due time"
	case w.Transition == history.Bump && before.HandoffDueAt != w.SeenAt:
		return "moved a due time that it had not read"
	case w.Transition == history.Release && after.NextAttemptAt >= after.Deadline:
		return "set the next attempt at or after the deadline"
	case w.Transition == history.Bump, w.Transition == history.Release, after.Ended():
		return ""
	case after.HandoffDueAt != before.HandoffDueAt && worktask.Status(after.Status) != "":
		return "touched the due time"
	}
	return ""
}
