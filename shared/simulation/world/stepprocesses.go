package world

import (
	"fmt"
	"strings"
	"time"
)

// NewMessage is the Call of a Deliver whose message is a new one for the first
// task.
const NewMessage = "new"

func (w *World) stepDeliver(s Step) bool {
	if s.Call == NewMessage {
		return w.deliverNew(s)
	}
	visible, hidden := w.inQueue()
	m, found := pick(append(visible, hidden...), s.A)
	if !found {
		return false
	}
	h, found := w.free(Worker, s.B)
	if !found {
		return false
	}
	w.deliver(m, h)
	return true
}

func (w *World) deliverNew(s Step) bool {
	refs := w.tasks()
	if len(refs) == 0 || w.publish(refs[0]) != nil {
		return false
	}
	for _, h := range w.hosts {
		if h.role == Worker && h.process == nil && strings.HasPrefix(h.name, s.Host) {
			w.deliver(w.messages[len(w.messages)-1], h)
			return true
		}
	}
	return false
}

// free is a host of the role on which nothing runs.
func (w *World) free(role Role, i int) (*host, bool) {
	var free []*host
	for _, h := range w.hosts {
		if h.role == role && h.process == nil {
			free = append(free, h)
		}
	}
	return pick(free, i)
}

func (w *World) host(role Role) *host {
	for _, h := range w.hosts {
		if h.role == role {
			return h
		}
	}
	panic(fmt.Sprintf("no host for %s", role)) // the list is made in newWorld
}

func (w *World) stepDispatch(s Step) bool {
	h, found := w.free(Dispatcher, s.A)
	if !found {
		return false
	}
	w.dispatch(h)
	return true
}

func (w *World) stepProcess(s Step) bool {
	p, found := pick(w.candidates(s), s.A)
	if !found {
		return false
	}
	switch s.Op { //nolint:exhaustive // the others are not done to a process
	case Crash:
		w.kill(p, s.B%2 == 1)
	case Freeze:
		p.actor.Freeze()
		p.freeze(s.B%2 == 1)
	case Thaw:
		p.actor.Thaw()
		p.thaw()
	}
	return true
}

// candidates are the processes that the operation can be done to, workers first.
func (w *World) candidates(s Step) []*process {
	var workers, others []*process
	for _, p := range w.processes {
		frozen := p.isFrozen()
		switch {
		case s.Op == Freeze && frozen, s.Op == Thaw && !frozen, !strings.HasPrefix(p.host.name, s.Host):
		case p.host.role == Worker:
			workers = append(workers, p)
		default:
			others = append(others, p)
		}
	}
	return append(workers, others...)
}

// offsets are how far clocks are off, from right to wildly wrong.
var offsets = []time.Duration{
	0, time.Second, -time.Second, 2 * time.Second, -2 * time.Second, 40 * time.Second, -40 * time.Second, 120 * time.Second, -120 * time.Second,
}

func (w *World) stepClock(s Step) bool {
	h, _ := pick(w.hosts, s.A)
	offset, _ := pick(offsets, s.B)
	if h.offset == offset {
		return false
	}
	h.offset = offset
	w.skew = max(w.skew, offset.Abs())
	if h.process != nil {
		h.process.actor.StepClock(offset.Milliseconds())
	}
	return true
}

func (w *World) stepMessage(s Step) bool {
	if s.Op == Garbage {
		return w.publish(nobody()) == nil
	}
	w.mu.Lock()
	var list []*message
	for _, m := range w.messages {
		if !m.deleted && m.dead == (s.Op == Redrive) {
			list = append(list, m)
		}
	}
	m, found := pick(list, s.A)
	if found && s.Op == DeadLetter {
		w.deadLetter(m)
	}
	w.mu.Unlock()
	switch {
	case !found:
		return false
	case s.Op == Redrive:
		w.redrive(m)
	case s.Op == Duplicate:
		return w.publish(m.ref) == nil
	}
	return true
}
