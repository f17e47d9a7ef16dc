package chaos

import (
	"slices"
	"time"

	"github.com/replyonce/replyonce/shared/history"
	"github.com/replyonce/replyonce/shared/worktask"
)

// crash is the kill of a worker that held a task.
type crash struct {
	task   history.Ref
	worker string
	at     time.Time
	// hindered: before it was over, a clock was wrong by more than the margin, or
	// the dispatcher was killed or stood still.
	hindered bool
	end      aftermath
	took     time.Duration // until then
}

// aftermath is what came first after a crash.
type aftermath string

const (
	takenOver aftermath = "taken over" // the next claim
	landed    aftermath = "landed"     // a write of the dead worker that was under way
	givenUp   aftermath = "given up"   // ended without a claim: nothing was left of its budget or its time
	cancelled aftermath = "cancelled"
)

// crash notes for each task that the killed process holds that it does no more.
func (t *tally) crash(e history.Event) {
	for ref, s := range t.tasks {
		if s.holder != e.Actor || s.item.Status != string(worktask.Running) {
			continue
		}
		if s.crash != nil {
			continue // its holder has died before, and was replaced under the same name
		}
		fast := s.item.LeaseExpiresAt.Time().Sub(e.At) > t.timers.Lease+t.timers.SkewMargin
		s.crash = &crash{task: ref, worker: e.Actor, at: e.At, hindered: fast || t.hindered()}
	}
}

// comesAfter ends a crash with the first write after it that decides something.
func (t *tally) comesAfter(e history.Event, s *state) {
	if s.crash == nil {
		return
	}
	switch w := *e.Write; {
	case w.Claims():
		s.crash.end = takenOver
	case w.Transition == history.Cancel:
		s.crash.end = cancelled
	case w.Transition == history.End:
		s.crash.end = givenUp
	case w.Transition == history.Complete, w.Transition == history.Fail, w.Transition == history.Release:
		s.crash.end = landed
	default:
		return // a renewal that was under way, or a new due time: nobody has the task yet
	}
	s.crash.took = e.At.Sub(s.crash.at)
	t.crashes = append(t.crashes, *s.crash)
	s.crash = nil
}

// crashed counts the crashes that came to an end of one kind.
func (t *tally) crashed(end aftermath) int {
	n := 0
	for _, c := range t.crashes {
		if c.end == end {
			n++
		}
	}
	return n
}

// spans are the times from crash to takeover, sorted; hindered ones are left out
// unless all are wanted.
func (t *tally) spans(all bool) []time.Duration {
	var spans []time.Duration
	for _, c := range t.crashes {
		if c.end == takenOver && (all || !c.hindered) {
			spans = append(spans, c.took)
		}
	}
	slices.Sort(spans)
	return spans
}

// quantile is the smallest of the sorted values that at least the share q of them
// does not exceed; 0 of none.
func quantile(sorted []time.Duration, q float64) time.Duration {
	if len(sorted) == 0 {
		return 0
	}
	rank := int(q * float64(len(sorted)))
	if float64(rank) < q*float64(len(sorted)) {
		rank++
	}
	return sorted[min(max(rank, 1), len(sorted))-1]
}
