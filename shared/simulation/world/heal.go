package world

import (
	"fmt"
	"time"

	"github.com/replyonce/replyonce/shared/history"
)

// heal ends all faults and lets the world run until every task has ended and
// the queue is empty, or until the time that the promises give them is over.
// Frozen processes go on, clocks are right again, late writes land.
func (w *World) heal() error {
	for _, h := range w.hosts {
		if h.offset != 0 {
			h.offset = 0
			if h.process != nil {
				h.process.actor.StepClock(0)
			}
		}
	}
	w.flow(true)
	for w.thawOne() {
		w.flow(true)
	}
	for {
		c, late := w.nextLate()
		if !late {
			break
		}
		w.land(c)
	}
	w.flow(true)
	return w.drain(w.latestEnd())
}

func (w *World) thawOne() bool {
	for _, p := range w.processes {
		if p.isFrozen() {
			p.actor.Thaw()
			p.thaw()
			return true
		}
	}
	return false
}

func (w *World) nextLate() (*call, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return pick(w.underWay, 0)
}

// latestEnd is when every task must have ended: one recovery interval after the
// latest deadline, or after now where a deadline is over. Leases and due times
// that were written by a clock which was off count from what it said.
func (w *World) latestEnd() time.Time {
	latest := w.Now()
	snapshot := w.memory.Snapshot()
	for _, t := range snapshot.Tasks {
		if !t.Status.Ended() && t.Deadline.After(latest) {
			latest = t.Deadline
		}
	}
	return latest.Add(w.Timers.RecoveryInterval() + 2*w.skew)
}

// drain runs dispatchers and workers as their triggers do.
func (w *World) drain(until time.Time) error {
	tick := w.Now()
	for {
		if !w.Now().Before(tick) {
			if h, free := w.free(Dispatcher, 0); free {
				w.dispatch(h)
			}
			tick = tick.Add(w.Timers.DispatchEvery)
		}
		w.flow(true)
		for w.deliverOne() {
			w.flow(true)
		}
		if w.allEnded() && w.queueEmpty() && len(w.processes) == 0 {
			break
		}
		if !w.Now().Before(until) {
			if err := w.allInTime(); err != nil {
				return err
			}
			break // what is left are hidden messages of ended tasks, or of none
		}
		w.advanceFlowing(earliest(tick, until, w.nextVisible(until)))
	}
	w.driver.Record(history.Event{Kind: history.Drained})
	w.flow(true)
	for _, ref := range w.tasks() {
		w.read(w.userOf(ref), ref)
		w.flow(true)
	}
	return nil
}

// work serves so many calls of a world in which triggers come as they should and
// the provider answers, and lets time pass where nobody has anything to do.
func (w *World) work(calls int) {
	const patience = 20 // periods of the dispatcher without a single call
	for idle := 0; calls > 0 && idle < patience; {
		if c, found := w.nextHealthy(true); found {
			w.serve(c, None, 0)
			calls, idle = calls-1, 0
			continue
		}
		if w.deliverOne() {
			continue
		}
		if w.allEnded() && w.queueEmpty() {
			return
		}
		idle++
		w.advance(w.nextVisible(w.Now().Add(w.Timers.DispatchEvery)), false)
		if h, free := w.free(Dispatcher, 0); free {
			w.dispatch(h)
		}
	}
}

// allInTime names the first task that has no end.
func (w *World) allInTime() error {
	snapshot := w.memory.Snapshot()
	for _, ref := range w.tasks() {
		if t := snapshot.Tasks[ref]; !t.Status.Ended() {
			return fmt.Errorf("P5: task %s is %s at version %d, deadline %s, at the end of its time", ref, t.Status, t.AssignmentVersion, t.Deadline)
		}
	}
	return nil
}

func (w *World) deliverOne() bool {
	visible, _ := w.inQueue()
	if len(visible) == 0 {
		return false
	}
	h, free := w.free(Worker, 0)
	if !free {
		return false
	}
	w.deliver(visible[0], h)
	return true
}

func (w *World) allEnded() bool {
	for _, t := range w.memory.Snapshot().Tasks {
		if !t.Status.Ended() {
			return false
		}
	}
	return true
}

func (w *World) queueEmpty() bool {
	visible, hidden := w.inQueue()
	return len(visible)+len(hidden) == 0
}

// nextVisible is when the next hidden message comes back, or otherwise.
func (w *World) nextVisible(otherwise time.Time) time.Time {
	return earliest(otherwise, w.comingBack()...)
}

func earliest(t time.Time, others ...time.Time) time.Time {
	for _, o := range others {
		if o.Before(t) {
			t = o
		}
	}
	return t
}

// advanceFlowing lets time pass with everybody served, the provider too.
func (w *World) advanceFlowing(until time.Time) {
	for w.Now().Before(until) {
		w.advance(earliest(until, w.Now().Add(w.Timers.RenewEvery)), true)
		w.flow(true)
	}
}
