package explore

import (
	"encoding/binary"
	"hash/maphash"
	"slices"
	"strconv"
	"time"

	"github.com/replyonce/replyonce/shared/worktask"
)

// tick is the unit of time.
const tick = time.Second

// epoch is when the task was accepted.
var epoch = time.Unix(1_000_000_000, 0).UTC()

// state is everything that decides what can happen next.
type state struct {
	now        int // ticks since the epoch
	task       worktask.Task
	visible    int // messages that can be delivered
	hidden     int // messages that come back in the next tick
	workers    [2]worker
	dispatcher dispatcher
	user       user
	late       []worktask.Transition // writes that nobody waits for any more
	faults     int                   // that may still happen
	provider   provider
}

// clone shares no memory with s.
func (s *state) clone() *state {
	c := *s
	c.late = slices.Clone(s.late)
	return &c
}

func instant(ticks int) time.Time { return epoch.Add(time.Duration(ticks) * tick) }

// key is a hash of the state in which the two workers are interchangeable. Its
// 128 bits make it very unlikely that two of some million states share one.
type key [2]uint64

var seeds = [2]maphash.Seed{maphash.MakeSeed(), maphash.MakeSeed()}

func (m *model) key(s *state) key {
	straight, swapped := m.encode(s, 0, 1), m.encode(s, 1, 0)
	if slices.Compare(swapped, straight) < 0 {
		straight = swapped
	}
	return key{maphash.Bytes(seeds[0], straight), maphash.Bytes(seeds[1], straight)}
}

// hopeless reports whether nothing that is written under the assignment can land
// any more. What exactly it is makes no difference then; versions never go back.
// Where the store is broken on purpose nothing is hopeless.
func (m *model) hopeless(s *state, a worktask.Assignment) bool {
	return m.Wrong == nil && a.ID() != "" && (s.task.Status.Ended() || s.task.AssignmentVersion != a.Version())
}

// encode writes the state with the workers in an order.
func (m *model) encode(s *state, first, second int) []byte {
	e := encoder{bytes: make([]byte, 0, 256)}
	e.numbers(s.now, s.visible, s.hidden, s.faults)
	s.provider.encode(&e)
	e.task(s.task)
	for _, i := range []int{first, second} {
		s.workers[i].encode(&e, m.hopeless(s, s.workers[i].held))
	}
	s.dispatcher.encode(&e, m.Wrong == nil && s.dispatcher.late(s.task))
	s.user.encode(&e)
	for _, tr := range s.late {
		if f, fenced := tr.(interface{ Assignment() worktask.Assignment }); !fenced || !m.hopeless(s, f.Assignment()) {
			e.transition(tr)
		}
	}
	return e.bytes
}

// encoder writes what decides. Assignment ids are written as the order in which
// they appear: which of them was given out first decides nothing.
type encoder struct {
	bytes []byte
	ids   []string
}

func (e *encoder) id(id string) {
	at := slices.Index(e.ids, id)
	if at < 0 {
		at = len(e.ids)
		e.ids = append(e.ids, id)
	}
	e.numbers(at)
}

func (e *encoder) numbers(numbers ...int) {
	for _, n := range numbers {
		e.bytes = binary.AppendVarint(e.bytes, int64(n))
	}
}

func (e *encoder) flags(flags ...bool) {
	for _, f := range flags {
		n := 0
		if f {
			n = 1
		}
		e.numbers(n)
	}
}

func (e *encoder) text(text string) {
	e.numbers(len(text))
	e.bytes = append(e.bytes, text...)
}

func (e *encoder) times(times ...time.Time) {
	for _, t := range times {
		if t.IsZero() {
			e.numbers(-1 << 20)
			continue
		}
		e.numbers(int(t.Sub(epoch).Milliseconds()))
	}
}

func (e *encoder) task(t worktask.Task) {
	e.text(string(t.Status))
	e.text(string(t.FailureReason))
	e.id(t.EndedBy)
	e.id(t.AssignmentID)
	e.text(t.OperationID)
	e.id(t.Result.Body)
	b := t.Budget
	e.numbers(int(t.AssignmentVersion), b.AttemptsLeft, b.CallsLeft, b.CallsKnown, int(t.Money.Left))
	e.flags(t.CallOpen)
	e.times(t.LeaseExpiresAt, t.NextAttemptAt, t.HandoffDueAt)
}

func (e *encoder) assignment(a worktask.Assignment, now time.Time) {
	e.id(a.ID())
	e.numbers(int(a.Version()))
	e.flags(a.LookupOnly())
	e.times(now)
}

func (e *encoder) transition(tr worktask.Transition) {
	if tr == nil {
		e.numbers(0)
		return
	}
	e.text(tr.Name())
	switch tr := tr.(type) {
	case worktask.Claim:
		e.id(tr.AssignmentID)
		e.times(tr.Now)
	case worktask.LookupClaim:
		e.id(tr.AssignmentID)
		e.times(tr.Now)
	case worktask.Beginning:
		e.assignment(tr.Assignment(), tr.Now())
	case worktask.Renewal:
		e.assignment(tr.Assignment(), tr.Now())
		e.times(tr.Until())
	case worktask.OperationSave:
		e.assignment(tr.Assignment(), tr.Now())
	case worktask.Completion:
		e.assignment(tr.Assignment(), tr.Now())
		e.id(tr.Result().Body)
		e.numbers(int(tr.MoneyBack()))
	case worktask.Failure:
		e.assignment(tr.Assignment(), tr.Now())
		e.text(string(tr.Reason()))
		e.flags(tr.Known())
		e.numbers(int(tr.MoneyBack()))
	case worktask.Release:
		e.assignment(tr.Assignment(), tr.Now())
		e.text(string(tr.Mode()))
		e.numbers(int(tr.MoneyBack()))
		e.times(tr.NextAt(), tr.DueAt())
	case worktask.End:
		e.text(string(tr.Reason))
		e.text(tr.By)
		e.times(tr.Now)
	case worktask.Cancel:
		e.times(tr.Now)
	case worktask.Bump:
		e.times(tr.Seen, tr.Due)
	}
}

// newID is an assignment id that nothing in the state has. Ids that nothing
// remembers are given out again, or the states would have no end.
func (s *state) newID() string {
	for n := 1; ; n++ {
		if id := "a" + strconv.Itoa(n); !s.remembers(id) {
			return id
		}
	}
}

func (s *state) remembers(id string) bool {
	if s.task.AssignmentID == id || s.task.EndedBy == id || s.workers[0].id == id || s.workers[1].id == id {
		return true
	}
	return slices.ContainsFunc(s.late, func(tr worktask.Transition) bool { return idOf(tr) == id })
}

// idOf is the assignment id that a write names.
func idOf(tr worktask.Transition) string {
	switch tr := tr.(type) {
	case worktask.Claim:
		return tr.AssignmentID
	case worktask.LookupClaim:
		return tr.AssignmentID
	case interface{ Assignment() worktask.Assignment }:
		return tr.Assignment().ID()
	}
	return ""
}
