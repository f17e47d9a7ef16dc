package check

import (
	"github.com/replyonce/replyonce/shared/history"
	"github.com/replyonce/replyonce/shared/worktask"
)

// spendShown decides P14: the task shows its spend, which is the calls recorded,
// those with unknown outcome, and the answers that the fence refused, with size,
// hash and tokens. The calls shown are never fewer than in the provider's own
// log, and more only by calls that were recorded and never sent.
//
// Whoever reads the task after a request has reached the provider (or, without
// its log, was sent by a worker) sees at least as many calls, and never more
// than claims that can have landed. Each landed write moves the known calls and
// the tokens by what it reports. What callers are shown adds up. The evidence is
// decided in evidence.go.
func spendShown(r *record, j *judgement) {
	for _, t := range r.tasks {
		callsShown(t, j)
		for _, s := range t.steps {
			if s.before != nil {
				j.decided()
				reportCounted(t, s, j)
			}
		}
		for _, v := range t.shownViews() {
			addsUp(t, v, j)
		}
		evidenceKept(r, t, j)
	}
}

// requests is the provider's log of the task, or what workers say they sent.
func (t *task) requests() []*history.Event {
	if len(t.received) > 0 {
		return t.received
	}
	return t.sent
}

func callsShown(t *task, j *judgement) {
	claims := t.claims()
	count := func(s span, calls int, who string) {
		j.decided()
		made := 0
		for _, e := range t.requests() {
			if e.Seq < s.begin {
				made++
			}
		}
		if calls < made {
			j.broken(t.ref, at(s.begin, s.end), "%s shows %d calls, and %d requests had been made", who, calls, made)
		}
		if recorded := landedBy(claims, s.end); calls > recorded {
			j.broken(t.ref, at(s.begin, s.end), "%s shows %d calls, and %d were ever recorded", who, calls, recorded)
		}
	}
	for _, op := range t.reads {
		if op.done != nil && op.done.Item != nil {
			count(span{op.sent.Seq, op.done.Seq}, op.done.Item.Calls(), "a read")
		}
	}
	for _, v := range t.shownViews() {
		count(v.span, v.view.Calls, "an answer")
	}
}

// reportCounted: known calls and tokens.
func reportCounted(t *task, s step, j *judgement) {
	known := 0
	if knownEnd(s.write) {
		known = 1
	}
	if s.after.CallsKnown-s.before.CallsKnown != known {
		j.broken(t.ref, at(s.seq), "%s by %s moved the known calls from %d to %d", s.write.Transition, s.actor, s.before.CallsKnown, s.after.CallsKnown)
	}
	if s.after.InputTokens-s.before.InputTokens != s.write.InputTokens || s.after.OutputTokens-s.before.OutputTokens != s.write.OutputTokens {
		j.broken(t.ref, at(s.seq), "%s by %s reported %d and %d tokens, and the task counts otherwise", s.write.Transition, s.actor, s.write.InputTokens, s.write.OutputTokens)
	}
}

// knownEnd reports whether a write tells that the end of the call was seen.
func knownEnd(w history.Write) bool {
	switch w.Transition {
	case history.Complete:
		return true
	case history.Fail:
		return w.Known
	case history.Release:
		return w.Mode == string(worktask.ReleaseRejected) || w.Mode == string(worktask.ReleaseFailed)
	}
	return false
}

// addsUp: calls are known, or unknown, or still being made.
func addsUp(t *task, v shown, j *judgement) {
	j.decided()
	rest := v.view.Calls - v.view.CallsKnown
	open := 0
	if !worktask.Status(v.view.Status).Ended() {
		open = 1
	}
	if v.view.CallsUnknown > max(rest, 0) || v.view.CallsUnknown < rest-open {
		j.broken(t.ref, at(v.begin, v.end), "an answer shows %d calls, %d of them known and %d unknown", v.view.Calls, v.view.CallsKnown, v.view.CallsUnknown)
	}
}
