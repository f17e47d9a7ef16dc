package chaos

import (
	"strings"
	"time"

	"github.com/replyonce/replyonce/shared/drills"
	"github.com/replyonce/replyonce/shared/history"
	"github.com/replyonce/replyonce/shared/worktask"
)

// tally counts a history as it grows.
type tally struct {
	timers worktask.Timers
	read   int64 // order number of the last event taken in
	tasks  map[history.Ref]*state
	sends  map[string]int // of keyed requests, by the address of their record
	writes map[int64]sent // those that are under way, by their first event
	clocks map[string]time.Duration
	still  map[string]bool // dispatchers that are frozen

	submits, repeats      int
	killed, frozen, wrong map[drills.Role]int // wrong: clocks
	refused               map[string]int      // writes of workers that held the task once
	claimsRefused         int
	takeovers             int // claims of tasks that another assignment held
	evidence              int
	requests              int           // that the provider has received
	open                  int           // tasks that have not ended
	latest                time.Duration // the latest end, after its deadline
	crashes               []crash
}

// sent is a write as its sender began it.
type sent struct{ actor, transition string }

// state is what is known of a task.
type state struct {
	item   history.Item
	holder string // the process that claimed it last
	crash  *crash // of its holder, until something comes after it
}

func newTally(timers worktask.Timers) *tally {
	return &tally{
		timers: timers, tasks: map[history.Ref]*state{}, sends: map[string]int{}, writes: map[int64]sent{}, clocks: map[string]time.Duration{}, still: map[string]bool{},
		killed: map[drills.Role]int{}, frozen: map[drills.Role]int{}, wrong: map[drills.Role]int{}, refused: map[string]int{},
	}
}

// follow takes in what a record has more than at the time before.
func (t *tally) follow(log *drills.Log) { t.add(log.After(t.read)) }

// add takes events in, in their order.
func (t *tally) add(events []history.Event) {
	for _, e := range events {
		t.read = e.Seq
		t.one(e)
	}
}

func (t *tally) one(e history.Event) {
	switch e.Kind { //nolint:exhaustive // the others are not counted
	case history.RequestSent:
		t.request(*e.Request)
	case history.WriteSent:
		t.writes[e.Seq] = sent{e.Actor, e.Write.Transition}
	case history.WriteDone:
		t.done(e)
	case history.EvidenceDone:
		t.evidence++
	case history.CallReceived:
		t.requests++
	case history.Created:
		if e.Creation.Item != nil {
			t.tasks[e.Task] = &state{item: *e.Creation.Item}
			t.open++
		}
	case history.Stored:
		if s := t.tasks[e.Task]; s != nil {
			t.stored(e, s)
		}
	case history.ProcessKilled:
		t.killed[roleOf(e.Actor)]++
		t.crash(e)
		t.dispatcher(e, false)
	case history.ProcessFrozen:
		t.frozen[roleOf(e.Actor)]++
		t.dispatcher(e, true)
	case history.ProcessThawed:
		delete(t.still, e.Actor)
	case history.ClockStepped:
		t.step(e)
	}
}

// roleOf is the function of a process.
func roleOf(process string) drills.Role {
	name, _, _ := strings.Cut(process, "-")
	return drills.Role(name)
}

func (t *tally) request(r history.Request) {
	if r.Key == "" {
		return
	}
	if t.sends[r.Address()]++; t.sends[r.Address()] == 1 {
		t.submits++
	} else {
		t.repeats++
	}
}

func (t *tally) done(e history.Event) {
	w := history.Write{Transition: t.writes[e.Op].transition}
	delete(t.writes, e.Op)
	switch {
	case e.Outcome != history.RefusedBy:
	case w.Fenced():
		t.refused[w.Transition]++
	case w.Claims():
		t.claimsRefused++
	}
}

// stored is a write that has landed.
func (t *tally) stored(e history.Event, s *state) {
	before := s.item
	s.item = *e.After
	if e.Write.Claims() {
		if before.Status == string(worktask.Running) {
			t.takeovers++
		}
		s.holder = t.writes[e.Op].actor
	}
	if s.item.Ended() && !before.Ended() {
		t.open--
		t.latest = max(t.latest, e.At.Sub(s.item.Deadline.Time()))
	}
	t.comesAfter(e, s)
}

// step is a clock that is wrong from now on, or right again.
func (t *tally) step(e history.Event) {
	offset := time.Duration(e.Clock.OffsetMS) * time.Millisecond
	t.clocks[e.Actor] = offset
	if offset == 0 {
		return
	}
	t.wrong[roleOf(e.Actor)]++
	if offset.Abs() > t.timers.SkewMargin {
		t.hinder()
	}
}

// dispatcher notes what was done to the process that finds lost tasks.
func (t *tally) dispatcher(e history.Event, still bool) {
	if roleOf(e.Actor) != drills.Dispatcher {
		return
	}
	delete(t.still, e.Actor) // who comes after a killed one is not frozen
	if still {
		t.still[e.Actor] = true
	}
	t.hinder()
}

// hinder marks the crashes that are not over yet.
func (t *tally) hinder() {
	for _, s := range t.tasks {
		if s.crash != nil {
			s.crash.hindered = true
		}
	}
}

// hindered reports whether a clock is wrong by more than the margin, or a
// dispatcher stands still.
func (t *tally) hindered() bool {
	for _, offset := range t.clocks {
		if offset.Abs() > t.timers.SkewMargin {
			return true
		}
	}
	return len(t.still) > 0
}
