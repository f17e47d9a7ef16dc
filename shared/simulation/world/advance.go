package world

import (
	"cmp"
	"slices"
	"testing/synctest"
	"time"

	"github.com/replyonce/replyonce/shared/conversation"
	"github.com/replyonce/replyonce/shared/worktask"
)

// spans are lengths of time that a step may let pass.
var spans = []time.Duration{
	time.Millisecond, time.Second, 3 * time.Second, 10 * time.Second, 26 * time.Second, 33 * time.Second, time.Minute,
}

// Names of instants at which a condition of the protocol changes. A step that
// advances time may name one in its field Call.
const (
	AtLeaseEnd  = "lease"    // a worker may not write any more
	AtMargin    = "margin"   // a task can be taken over
	AtNext      = "next"     // a retry is due
	AtDue       = "due"      // the dispatcher looks at a task
	AtDeadline  = "deadline" // a task is over
	AtVisible   = "visible"  // a message comes back
	AtReplayEnd = "replay"   // a repeat is not answered with the task any more
	AtPurge     = "purge"    // a key is free again
)

// turningPoint is an instant after which a write is decided otherwise.
type turningPoint struct {
	name string
	at   time.Time
}

// instant is where a step lets time go to: choices below len(spans) are lengths
// of time, the others turning points, the nearest first, a millisecond before or
// after it.
func (w *World) instant(s Step) time.Time {
	now := w.Now()
	points := w.turningPoints(now)
	if s.Call != "" {
		points = slices.DeleteFunc(points, func(p turningPoint) bool { return p.name != s.Call })
	}
	if len(points) == 0 || (s.Call == "" && s.A < len(spans)) {
		d, _ := pick(spans, s.A)
		return now.Add(d)
	}
	shifts := []time.Duration{0, -time.Millisecond, time.Millisecond}
	p, _ := pick(points, max(s.A-len(spans), 0))
	if shifted := p.at.Add(shifts[s.C%len(shifts)]); shifted.After(now) {
		return shifted
	}
	return p.at
}

// turningPoints are those that are still to come, the nearest first.
func (w *World) turningPoints(now time.Time) []turningPoint {
	var points []turningPoint
	add := func(name string, t time.Time) {
		if t.After(now) {
			points = append(points, turningPoint{name, t})
		}
	}
	snapshot := w.memory.Snapshot()
	for _, ref := range w.tasks() {
		t := snapshot.Tasks[ref]
		if t.Status.Ended() {
			continue
		}
		if t.Status == worktask.Running {
			add(AtLeaseEnd, t.LeaseExpiresAt)
			add(AtMargin, t.LeaseExpiresAt.Add(w.Timers.SkewMargin))
		}
		add(AtNext, t.NextAttemptAt)
		add(AtDue, t.HandoffDueAt)
		add(AtDeadline, t.Deadline)
	}
	for _, t := range w.comingBack() {
		add(AtVisible, t)
	}
	for _, r := range snapshot.Records {
		if r.Scope.Operation == conversation.OperationSubmit || r.Scope.Operation == conversation.OperationRegenerate {
			add(AtReplayEnd, r.ReplayUntil)
			add(AtPurge, r.PurgeAfter)
		}
	}
	slices.SortFunc(points, func(a, b turningPoint) int {
		return cmp.Or(a.at.Compare(b.at), cmp.Compare(a.name, b.name))
	})
	return slices.CompactFunc(points, func(a, b turningPoint) bool { return a.at.Equal(b.at) && a.name == b.name })
}

// advance lets time pass until then. served: calls are answered as they come;
// otherwise they wait at their gates. The provider takes its time.
func (w *World) advance(until time.Time, served bool) {
	for {
		w.endOverdue()
		if served {
			w.flow(false)
		}
		now := w.Now()
		if !now.Before(until) {
			return
		}
		timer := time.NewTimer(w.nextLimit(until).Sub(now))
		select {
		case <-w.arrived:
		case <-timer.C:
		}
		timer.Stop()
		synctest.Wait()
	}
}

// nextLimit is until, or the earlier end of a function's time. A machine that
// stands still does not end its functions either.
func (w *World) nextLimit(until time.Time) time.Time {
	for _, p := range w.processes {
		if p.ends.Before(until) && !p.isFrozen() {
			until = p.ends
		}
	}
	return until
}

// endOverdue kills the processes whose functions have reached their limit.
func (w *World) endOverdue() {
	for _, p := range slices.Clone(w.processes) {
		if !w.Now().Before(p.ends) && !p.isFrozen() {
			w.kill(p, false)
		}
	}
}
