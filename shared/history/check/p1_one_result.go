package check

import "github.com/replyonce/replyonce/shared/history"

// oneResult decides P1: at most one saved result per task, and once saved it
// never changes.
//
// Whatever anybody saw of a task, with a result on it, shows the same result;
// and what was begun after a result had been seen shows it too. The text that
// callers are shown is compared in the same way. A result in object storage is
// saved by its key, so no other body may ever be put under the key of a saved
// one.
func oneResult(r *record, j *judgement) {
	for _, t := range r.tasks {
		first := savedResult(t, j)
		shownReply(t, j)
		if first != nil {
			savedObject(r, t, *first, j)
		}
	}
}

// savedResult compares what is stored, and returns where the result was first
// seen.
func savedResult(t *task, j *judgement) *sight {
	var first *sight
	var settled *sight // seen so early that everything judged now came later
	inOrder(t.sights, func(s sight) {
		if settled == nil && s.item.Result.Present() {
			settled = &s
		}
	}, func(s sight) {
		result := s.item.Result
		switch {
		case result.Present() && first == nil:
			first = &s
			j.decided()
		case result.Present() && result != first.item.Result:
			j.broken(t.ref, at(first.end, s.end), "two results were saved: %s, then %s", saved(first.item.Result), saved(result))
		case !result.Present() && settled != nil:
			j.broken(t.ref, at(settled.end, s.end), "the saved result %s is gone", saved(settled.item.Result))
		}
	})
	return first
}

// shownReply compares what callers are shown.
func shownReply(t *task, j *judgement) {
	var settled *shown
	inOrder(t.shownViews(), func(v shown) {
		if settled == nil && v.view.ReplySHA256 != "" {
			settled = &v
		}
	}, func(v shown) {
		if settled != nil && v.view.ReplySHA256 != settled.view.ReplySHA256 {
			j.broken(t.ref, at(settled.end, v.end), "a caller was shown one reply and later another one, or none")
		}
	})
}

// savedObject looks for other bodies under the key of a saved result.
func savedObject(r *record, t *task, first sight, j *judgement) {
	result := first.item.Result
	for _, op := range r.objects {
		o := op.sent.Object
		if o.Key != result.ObjectKey || o.SHA256 == result.SHA256 || op.outcome() != history.Landed {
			continue
		}
		j.broken(t.ref, at(first.end, op.done.Seq), "another body was put under the key of the saved reply, %s", o.Key)
	}
}

// saved names a result.
func saved(s history.Saved) string {
	if len(s.SHA256) > 8 {
		return s.SHA256[:8] + "…"
	}
	return s.SHA256
}
