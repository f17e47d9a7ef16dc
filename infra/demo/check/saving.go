package check

import (
	"fmt"

	"github.com/replyonce/replyonce/infra/demo/journal"
	"github.com/replyonce/replyonce/shared/worktask"
)

// savedOnce is P1: one landed completion, one text in all answers, and no way back from it.
func savedOnce(o Observations, v *verdict) string {
	saved, reads := 0, 0
	for _, t := range o.Tasks {
		landed := 0
		for _, w := range o.writesOf(t.ID) {
			if w.Kind == journal.Complete && w.Landed {
				landed++
			}
		}
		completed := t.Status == worktask.Completed
		switch {
		case landed > 1:
			v.breaks("task %s: %d completions landed", Short(t.ID), landed)
		case completed != t.Result.Present():
			v.breaks("task %s is %s, and its reply is there: %t", Short(t.ID), t.Status, t.Result.Present())
		case completed && landed == 0:
			v.breaks("task %s is completed, and no completion was seen to land", Short(t.ID))
		}
		if completed {
			saved++
		}
		reads += repliesAgree(o, t, v)
	}
	v.tested(saved, "no reply was saved")
	return fmt.Sprintf("%s saved, shown in %s", plural(saved, "task"), plural(reads, "answer"))
}

// repliesAgree compares every answer that shows the task. It returns how many showed a reply.
func repliesAgree(o Observations, t Task, v *verdict) int {
	shown, first := 0, ""
	for _, a := range o.answersAbout(t.ID) {
		switch {
		case a.Task.Reply == nil && shown > 0:
			v.breaks("task %s: a reply that was shown is gone in a later answer", Short(t.ID))
		case a.Task.Reply == nil:
		case t.Status != worktask.Completed:
			v.breaks("task %s is %s, and an answer showed a reply", Short(t.ID), t.Status)
			shown++
		case shown > 0 && a.Task.Reply.Text != first:
			v.breaks("task %s: two answers show different replies", Short(t.ID))
			shown++
		default:
			first = a.Task.Reply.Text
			shown++
		}
	}
	return shown
}

// currentOnly is P2: what was saved carries the version that was current, and every final write that the
// store refused is explained by its worker. A refused renewal need not be: the worker may have given the
// call up for another reason in the same instant.
func currentOnly(o Observations, v *verdict) string {
	refused := 0
	for _, t := range o.Tasks {
		owners := map[int64]string{} // assignment ids by version, as claims have set them
		explained := map[final]bool{}
		for _, l := range o.linesOf(t.ID, LineRefused) {
			if l.Reason == "" {
				v.breaks("task %s: %s has a write refused without a reason", Short(t.ID), l.Process)
			}
			explained[final{l.Version, l.Operation}] = true
		}
		for _, w := range o.writesOf(t.ID) {
			switch {
			case w.Kind == journal.Claim && w.Landed:
				owners[w.Version] = w.Owner
			case w.Kind == journal.Complete && w.Landed:
				completedBy(t, w, owners, v)
			case w.Refused && isFinal(w.Kind):
				refused++
				if !explained[final{w.Fence, string(w.Kind)}] {
					v.breaks("task %s: the refused %s of %s is not explained in its log", Short(t.ID), w.Kind, w.Caller)
				}
			}
		}
	}
	v.tested(refused, "no late write was refused")
	return plural(refused, "late final write") + " refused and explained"
}

// final is the last write of an assignment. It may be sent more than once, and is explained once.
type final struct {
	version   int64
	operation string
}

// isFinal tells the writes with which a worker ends an attempt.
func isFinal(kind journal.Kind) bool {
	return kind == journal.Complete || kind == journal.Release || kind == journal.Fail
}

func completedBy(t Task, w journal.Write, owners map[int64]string, v *verdict) {
	switch {
	case w.Fence != w.Version:
		v.breaks("task %s: a completion of version %d landed at version %d", Short(t.ID), w.Fence, w.Version)
	case owners[w.Version] == "":
		v.breaks("task %s was completed at version %d, which nobody was seen to claim", Short(t.ID), w.Version)
	case t.EndedBy != owners[w.Version]:
		v.breaks("task %s was completed by another assignment than the one of version %d", Short(t.ID), w.Version)
	case t.AssignmentVersion != w.Version:
		v.breaks("task %s was completed at version %d and is at %d now", Short(t.ID), w.Version, t.AssignmentVersion)
	}
}

// lateRefused is P10: from the write that ended a task on, nothing about it changes.
func lateRefused(o Observations, v *verdict) string {
	late, stops := 0, 0
	for _, t := range o.Tasks {
		ends := 0
		for _, w := range o.writesOf(t.ID) {
			switch {
			case w.Landed && w.Status.Ended():
				ends++
				unchanged(t, w, v)
			case w.Refused && (w.Kind == journal.Release || w.Kind == journal.Fail):
				late++
			}
		}
		if ends != 1 {
			v.breaks("task %s was ended by %d writes", Short(t.ID), ends)
		}
		for _, a := range o.answersAbout(t.ID) {
			if a.Code == "task_ended" {
				stops++
				if worktask.Status(a.Task.Status) != t.Status {
					v.breaks("task %s: a late Stop was shown a %s task, it is %s", Short(t.ID), a.Task.Status, t.Status)
				}
			}
		}
	}
	v.tested(late, "no late failure or release")
	v.tested(stops, "no late Stop")
	return fmt.Sprintf("late failures and releases: %d, late Stops: %d", late, stops)
}

func unchanged(t Task, end journal.Write, v *verdict) {
	switch {
	case end.Err != nil:
		v.breaks("task %s could not be read after its end: %v", Short(t.ID), end.Err)
	case end.Task != t.Task:
		v.breaks("task %s has changed after its end", Short(t.ID))
	}
}

// versionsCount is P3, twice: by what the workers logged and by what the store was seen to write.
func versionsCount(o Observations, v *verdict) string {
	moves := 0
	for _, t := range o.Tasks {
		cancels := int64(0)
		if t.Status == worktask.Cancelled {
			cancels = 1
		}
		claims := map[int64]int{}
		for _, l := range o.linesOf(t.ID, LineClaimed, LineTakenOver) {
			claims[l.Version]++
		}
		for version := int64(1); version <= t.AssignmentVersion-cancels; version++ {
			if claims[version] != 1 {
				v.breaks("task %s: %d workers logged a claim with version %d", Short(t.ID), claims[version], version)
			}
			delete(claims, version)
		}
		for version := range claims {
			v.breaks("task %s ended with version %d, and a worker logged a claim with version %d", Short(t.ID), t.AssignmentVersion, version)
		}
		moves += versionsWritten(o, t, v)
	}
	v.tested(moves, "no claim and no cancel")
	return plural(moves, "version") + " given"
}

func versionsWritten(o Observations, t Task, v *verdict) int {
	moved := map[int64]int{}
	for _, w := range o.writesOf(t.ID) {
		switch {
		case !w.Landed:
		case w.Kind.MovesVersion():
			moved[w.Version]++
		case w.Fence > 0 && w.Fence != w.Version:
			v.breaks("task %s: a %s of version %d left version %d", Short(t.ID), w.Kind, w.Fence, w.Version)
		case w.Version > t.AssignmentVersion:
			v.breaks("task %s: a %s left version %d, the task ended with %d", Short(t.ID), w.Kind, w.Version, t.AssignmentVersion)
		}
	}
	n := 0
	for version := int64(1); version <= t.AssignmentVersion; version++ {
		n += moved[version]
		if moved[version] != 1 {
			v.breaks("task %s: version %d was given %d times", Short(t.ID), version, moved[version])
		}
		delete(moved, version)
	}
	for version := range moved {
		v.breaks("task %s ended with version %d, and version %d was given", Short(t.ID), t.AssignmentVersion, version)
	}
	return n
}
