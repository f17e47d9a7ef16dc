package check

import "github.com/replyonce/replyonce/shared/history"

// endFinal decides the rule that an ended task is immutable, bit for bit.
//
// Whoever sees a task after somebody has seen it ended sees the same; and no
// landed write leaves an ended task otherwise than it was. Another result is
// P1's case and not repeated here.
func endFinal(r *record, j *judgement) {
	for _, t := range r.tasks {
		var end *sight
		inOrder(t.sights, func(s sight) {
			if end == nil && s.item.Ended() {
				end = &s
			}
		}, func(s sight) {
			if end == nil {
				return
			}
			j.decided()
			if withoutResult(s.item) != withoutResult(end.item) {
				j.broken(t.ref, at(end.end, s.end), "the task was %s and has changed: %s", end.item.Status, difference(end.item, s.item))
			}
		})
		endShown(t, j)
	}
}

func withoutResult(i history.Item) history.Item {
	i.Result = history.Saved{}
	return i
}

func difference(a, b history.Item) string {
	switch {
	case a.Status != b.Status:
		return "it is " + b.Status
	case a.AssignmentVersion != b.AssignmentVersion:
		return "its version moved"
	case a.HandoffDueAt != b.HandoffDueAt:
		return "its due time moved"
	case a.FailureReason != b.FailureReason:
		return "its reason is " + b.FailureReason
	}
	return "a field of it is another"
}

func endShown(t *task, j *judgement) {
	var end *shown
	inOrder(t.shownViews(), func(v shown) {
		if end == nil && ended(v.view) {
			end = &v
		}
	}, func(v shown) {
		if end == nil {
			return
		}
		j.decided()
		a, b := end.view, v.view
		if a.Status != b.Status || a.AssignmentVersion != b.AssignmentVersion || a.Failure != b.Failure || a.Calls != b.Calls {
			j.broken(t.ref, at(end.end, v.end), "a caller was shown the task %s and later %s", a.Status, b.Status)
		}
	})
}
