package explore

import (
	"time"

	"github.com/replyonce/replyonce/shared/worktask"
)

// dispatcher is one sweep of taskflow.Dispatcher over the one task.
type dispatcher struct {
	place    place
	writer   writer
	publish  bool // the write moves the due time of a task that is published then
	finished int  // tick of the last sweep, so that it comes once in a tick
	slow     bool // it was held up while time passed
}

// late reports whether the due time that is to be moved has moved already, and
// to a later one: it never comes back.
func (d *dispatcher) late(t worktask.Task) bool {
	bump, bumps := d.writer.tr.(worktask.Bump)
	return bumps && (t.Status.Ended() || !bump.Seen.Equal(t.HandoffDueAt) && !bump.Due.Equal(t.HandoffDueAt))
}

func (d *dispatcher) encode(e *encoder, late bool) {
	e.numbers(int(d.place), d.finished)
	e.flags(d.slow)
	if late {
		e.numbers(-1)
		return
	}
	if d.place == writing || d.place == reading {
		d.writer.encode(e)
		e.flags(d.publish)
	}
}

func (m *model) dispatcherSteps(s *state) {
	now := s.now + m.Skew[2]
	d := func(s *state) *dispatcher { return &s.dispatcher }
	switch s.dispatcher.place {
	case idle:
		due := !s.task.HandoffDueAt.IsZero() && !s.task.HandoffDueAt.After(instant(now))
		if due || (m.StaleIndex && s.dispatcher.finished < s.now) {
			m.step(s, "dispatcher reads", func(s *state) { m.dispatch(s, now) })
		}
	case writing:
		m.sentTo(s, "dispatcher "+s.dispatcher.writer.tr.Name(), func(s *state) *writer { return &d(s).writer }, now,
			m.dispatcherTold, func(s *state) { d(s).place = reading }, m.swept)
	case reading:
		m.step(s, "dispatcher reads back", func(s *state) { m.dispatcherTold(s, d(s).writer.judge(s.task, now)) })
		m.fault(s, "dispatcher cannot read", m.swept)
	case publishing:
		m.step(s, "dispatcher publishes", func(s *state) {
			s.visible = min(s.visible+1, m.Messages)
			m.swept(s)
		})
		m.fault(s, "dispatcher dies before publishing", m.swept)
	case sending, awaiting:
	}
}

// dispatch is Dispatcher.handle.
func (m *model) dispatch(s *state, now int) {
	t := s.task
	at := instant(now)
	d := &s.dispatcher
	held := t.Status == worktask.Running && at.Before(t.LeaseExpiresAt.Add(m.timers.SkewMargin))
	end, over := worktask.EndFor(t, worktask.EndedByDispatcher, at, m.timers.SkewMargin)
	switch {
	case t.Status.Ended() || t.HandoffDueAt.After(at):
		m.swept(s)
		return
	case held:
		d.bump(t, t.LeaseExpiresAt.Add(m.timers.SkewMargin), false)
	case over:
		d.place, d.writer = writing, writer{tr: end}
	case t.Status == worktask.Pending && t.NextAttemptAt.After(at):
		d.bump(t, t.NextAttemptAt.Add(m.timers.HandoffGrace), false)
	default:
		due := at.Add(m.timers.HandoffGrace)
		if t.Deadline.Before(due) {
			due = t.Deadline
		}
		d.bump(t, due, true)
	}
}

func (d *dispatcher) bump(t worktask.Task, until time.Time, publish bool) {
	d.place, d.publish, d.writer = writing, publish, writer{tr: worktask.Bump{Seen: t.HandoffDueAt, Due: until}}
}

func (m *model) dispatcherTold(s *state, j judged) {
	switch {
	case j.end == again:
		s.dispatcher.place = writing
	case j.end == landed && s.dispatcher.publish:
		s.dispatcher.place = publishing
	default:
		m.swept(s)
	}
}

// swept ends the sweep.
func (m *model) swept(s *state) {
	s.dispatcher = dispatcher{}
	if m.StaleIndex {
		s.dispatcher.finished = s.now
	}
}

// user cancels once.
type user struct {
	place  place
	writer writer
	asked  bool
	slow   bool
}

func (u *user) encode(e *encoder) {
	e.numbers(int(u.place))
	e.flags(u.asked, u.slow)
	if u.place != idle {
		u.writer.encode(e)
	}
}

func (m *model) userSteps(s *state) {
	u := func(s *state) *user { return &s.user }
	switch s.user.place {
	case idle:
		if m.Cancel && !s.user.asked {
			m.step(s, "user cancels", func(s *state) {
				*u(s) = user{place: writing, asked: true, writer: writer{tr: worktask.Cancel{Now: instant(s.now)}}}
			})
		}
	case writing:
		over := func(s *state) { *u(s) = user{asked: true} }
		m.sentTo(s, "cancel", func(s *state) *writer { return &u(s).writer }, s.now,
			m.userTold, func(s *state) { u(s).place = reading }, over)
	case reading:
		m.step(s, "cancel reads", func(s *state) { m.userTold(s, u(s).writer.judge(s.task, s.now)) })
	case sending, awaiting, publishing:
	}
}

func (m *model) userTold(s *state, j judged) {
	if j.end == again {
		s.user.place = writing
		return
	}
	s.user = user{asked: true}
}

// passes is the label of the step that is nobody's.
const passes = "time passes"

// worldSteps are what nobody does: time passes, late writes land, messages are
// lost or come twice.
func (m *model) worldSteps(s *state) {
	if next, held := m.nextTick(s), s.heldUp(); next <= m.Ticks && len(held) <= s.faults {
		m.step(s, passes, func(s *state) {
			s.faults -= len(held)
			for _, slow := range s.heldUp() {
				*slow = true
			}
			s.now = next
			s.visible, s.hidden = min(s.visible+s.hidden, m.Messages), 0
		})
	}
	for i := range s.late {
		m.step(s, "late "+s.late[i].Name()+" lands", func(s *state) {
			tr := s.late[i]
			s.late = append(s.late[:i], s.late[i+1:]...)
			m.write(s, tr)
		})
	}
	if s.visible > 0 {
		m.fault(s, "message is lost", func(s *state) { s.visible-- })
	}
	if s.visible < m.Messages {
		m.fault(s, "message comes twice", func(s *state) { s.visible++ })
	}
}

// heldUp lists those who are in the middle of something and would be held up,
// for the first time, if time passed now. Waiting for the provider is no hold-up.
func (s *state) heldUp() []*bool {
	var held []*bool
	add := func(slow *bool, p place) {
		if p != idle && p != awaiting && !*slow {
			held = append(held, slow)
		}
	}
	for i := range s.workers {
		w := &s.workers[i]
		add(&w.slow, w.place)
		if w.place == awaiting {
			add(&w.slow, w.beat.place)
		}
	}
	add(&s.dispatcher.slow, s.dispatcher.place)
	add(&s.user.slow, s.user.place)
	return held
}

// nextTick is the next instant at which some write would be decided otherwise
// than now. Between two of them nothing depends on the clock, but for the times
// that are written; every tick is one when workers renew their leases.
func (m *model) nextTick(s *state) int {
	if m.Beats || m.Every {
		return s.now + 1
	}
	next := m.Ticks + 1
	if s.now < m.Ticks {
		next = m.Ticks
	}
	t := s.task
	for _, at := range []time.Time{t.NextAttemptAt, t.LeaseExpiresAt, t.LeaseExpiresAt.Add(m.timers.SkewMargin), t.HandoffDueAt, t.Deadline} {
		for _, skew := range m.Skew {
			if n := int(at.Sub(epoch)/tick) - skew; !at.IsZero() && n > s.now {
				next = min(next, n)
			}
		}
	}
	return next
}
