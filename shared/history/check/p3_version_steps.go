package check

import "github.com/replyonce/replyonce/shared/history"

// versionSteps decides P3: the assignment version grows by exactly one at each
// claim, takeover and cancel, and by nothing else.
//
// Each landed write is held against the item before it. A task begins at
// version 0, and no version that was seen is ever followed by a smaller one.
func versionSteps(r *record, j *judgement) {
	for _, t := range r.tasks {
		if t.accepted != nil {
			j.decided()
			if v := t.accepted.what.Item.AssignmentVersion; v != 0 {
				j.broken(t.ref, at(t.accepted.seq), "the task was made with version %d", v)
			}
		}
		for _, s := range t.steps {
			versionStep(t, s, j)
		}
		versionsSeen(t, j)
	}
}

func versionStep(t *task, s step, j *judgement) {
	if s.before == nil {
		return
	}
	j.decided()
	want := int64(0)
	if s.write.Claims() || s.write.Transition == history.Cancel {
		want = 1
	}
	if grown := s.after.AssignmentVersion - s.before.AssignmentVersion; grown != want {
		j.broken(t.ref, at(s.seq), "%s by %s moved the version by %d, from %d to %d",
			s.write.Transition, s.actor, grown, s.before.AssignmentVersion, s.after.AssignmentVersion)
	}
}

func versionsSeen(t *task, j *judgement) {
	var highest *sight
	inOrder(t.sights, func(s sight) {
		if highest == nil || s.item.AssignmentVersion > highest.item.AssignmentVersion {
			highest = &s
		}
	}, func(s sight) {
		if highest != nil && s.item.AssignmentVersion < highest.item.AssignmentVersion {
			j.broken(t.ref, at(highest.end, s.end), "version %d was seen after version %d",
				s.item.AssignmentVersion, highest.item.AssignmentVersion)
		}
	})
}
