package world

import (
	"slices"
	"strings"
	"testing/synctest"
)

func (w *World) stepServe(s Step) bool {
	c, found := w.choose(s)
	if !found {
		return false
	}
	fault := s.Fault
	if fault == None {
		fault, _ = pick(c.faults(), s.B)
	}
	w.serve(c, fault, s.C)
	return true
}

// Answer is the Call of a Serve that means the provider's answer to whatever it
// was asked.
const Answer = "answer of the provider"

// choose finds the call by its name and host, or by its number.
func (w *World) choose(s Step) (*call, bool) {
	calls := w.atGates()
	if s.Call == "" && s.Host == "" {
		return pick(calls, s.A)
	}
	for _, c := range calls {
		named := s.Call == "" || c.name == s.Call || (s.Call == Answer && c.class == classAwait)
		if named && strings.HasPrefix(c.process.host.name, s.Host) {
			return c, true
		}
	}
	return nil, false
}

// tidy serves the calls that decide nothing.
func (w *World) tidy() {
	for {
		calls := w.atGates()
		i := slices.IndexFunc(calls, func(c *call) bool {
			switch c.class {
			case classPause, classPrepare, classPut, classReturn:
				return true
			case classWrite, classAccept, classRead, classPublish, classSend, classAwait:
			}
			return false
		})
		if i < 0 {
			return
		}
		w.serve(calls[i], None, 0)
	}
}

// flow serves all calls of processes that are not frozen, in order.
func (w *World) flow(provider bool) { w.flowTo(provider, "") }

// flowTo is flow until a call of that name waits.
func (w *World) flowTo(provider bool, name string) {
	for {
		c, found := w.nextHealthy(provider)
		if !found || w.waits(name) {
			return
		}
		w.serve(c, None, 0)
	}
}

func (w *World) waits(name string) bool {
	if name == "" {
		return false
	}
	_, waits := w.choose(Step{Call: name})
	return waits
}

func (w *World) nextHealthy(provider bool) (*call, bool) {
	for _, c := range w.atGates() {
		if !c.process.isFrozen() && (provider || c.class != classAwait) {
			return c, true
		}
	}
	return nil, false
}

// settle waits until nothing moves.
func (w *World) settle() { synctest.Wait() }

func (w *World) stepLand(s Step) bool {
	w.mu.Lock()
	c, found := pick(w.underWay, s.A)
	w.mu.Unlock()
	if found {
		w.land(c)
	}
	return found
}
