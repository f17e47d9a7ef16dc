package explore

import (
	"strings"

	"github.com/replyonce/replyonce/shared/worktask"
)

// Walk is one path of a search.
type Walk struct {
	Moves []Move
	Task  worktask.Task // at its end
}

// Move is a step of a path.
type Move struct {
	Label  string   // who does what, and what goes wrong
	Ticks  int      // that passed
	Landed []string // the writes that landed, by their names
}

// RandomWalk takes a path of at most so many steps, chosen by draw. Time passes
// only while nobody is on the way to a request: what a worker does whose lease
// ends before it has sent anything is decided by its watchdog, and the machines
// leave that open.
func RandomWalk(o Options, length int, draw func(n int) int) Walk {
	m := newModel(o)
	s := m.initial()[draw(2)]
	var w Walk
	for range length {
		next := m.moves(s)
		if len(next) == 0 {
			break
		}
		chosen := next[draw(len(next))]
		for range 2 { // what nobody does is done less often
			if _, somebody := strings.CutPrefix(chosen.move.Label, "worker"); !somebody {
				chosen = next[draw(len(next))]
			}
		}
		chosen.move.Ticks = chosen.state.now - s.now
		w.Moves = append(w.Moves, chosen.move)
		s = chosen.state
	}
	w.Task = s.task
	return w
}

// Timers are those of the options' machines.
func (o Options) Timers() worktask.Timers { return timers(o) }

type choice struct {
	move  Move
	state *state
}

// moves are the steps that are possible in s.
func (m *model) moves(s *state) []choice {
	var list []choice
	m.visit = func(label string, n *state) {
		if label != passes || s.unhurried() {
			list = append(list, choice{Move{Label: label, Landed: m.log}, n})
		}
	}
	defer func() { m.visit = nil }()
	m.successors(s)
	return list
}

// unhurried reports whether no worker is between its claim and its request.
func (s *state) unhurried() bool {
	for _, w := range s.workers {
		switch w.place {
		case idle, awaiting:
		case writing, reading:
			if w.stage != finishing && w.stage != ending {
				return false
			}
		case sending, publishing:
			return false
		}
	}
	return true
}
