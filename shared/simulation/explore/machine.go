package explore

import (
	"errors"

	"github.com/replyonce/replyonce/shared/worktask"
)

// place is where a machine stands.
type place int

const (
	idle       place = iota
	writing          // a write is on its way
	reading          // what follows a write whose end is not known
	sending          // the request is about to be sent
	awaiting         // the request was sent
	publishing       // a message is about to be published
)

// writer is a write of taskflow.Writer: it is sent, and when its end is not
// known it is read back, and perhaps sent again.
type writer struct {
	tr    worktask.Transition
	tries int
}

// writeTries is taskflow's.
const writeTries = 3

func (w *writer) encode(e *encoder) {
	e.numbers(w.tries)
	e.transition(w.tr)
}

// end is how a write ended for its sender.
type end int

const (
	landed  end = iota + 1
	refused     // it has not landed and will not
	failed      // the store could not be asked, or said no clear word
	again       // it is to be sent once more
)

// judged is the end of a write and the task that its sender was told.
type judged struct {
	end   end
	task  worktask.Task
	cause error
}

// judge is the verdict of taskflow.Writer on a task that was read.
func (w *writer) judge(seen worktask.Task, now int) judged {
	if w.tr.Mine(seen, instant(now)) {
		return judged{end: landed, task: seen}
	}
	if cause := w.tr.Permitted(seen); cause != nil {
		return judged{end: refused, task: seen, cause: cause}
	}
	if w.tries++; w.tries >= writeTries {
		return judged{end: failed}
	}
	return judged{end: again}
}

// send lets the write arrive once and tells its end.
func (w *writer) send(m *model, s *state, now int) judged {
	if m.write(s, w.tr) {
		return judged{end: landed, task: s.task}
	}
	return w.judge(s.task, now)
}

// write is one arrival of a write at the store.
func (m *model) write(s *state, tr worktask.Transition) bool {
	original := tr
	if m.Wrong != nil {
		tr = m.Wrong(tr)
	}
	before := s.task
	if tr.Permitted(before) != nil {
		return false
	}
	s.task = tr.Apply(before)
	s.task.EndedAt, s.task.Released, s.task.ReleasedVersion = before.EndedAt, "", 0 // nobody decides by them
	m.note(safe(before, s.task, original))
	m.landed[original.Name()]++
	m.log = append(m.log, original.Name())
	return true
}

// sentTo lists what can become of a write that is on its way: for each way it
// calls then with a state of its own. died is called for the ways in which its
// sender dies.
func (m *model) sentTo(s *state, label string, at func(*state) *writer, now int, then func(*state, judged), unknown, died func(*state)) {
	m.step(s, label, func(s *state) { then(s, at(s).send(m, s, now)) })
	if s.faults == 0 {
		return
	}
	fault := func(name string, do func(*state)) {
		m.step(s, label+" "+name, func(s *state) {
			s.faults--
			do(s)
		})
	}
	fault("lost after", func(s *state) { m.write(s, at(s).tr); unknown(s) })
	fault("lost before", unknown)
	fault("second try", func(s *state) {
		m.write(s, at(s).tr)
		then(s, at(s).send(m, s, now))
	})
	fault("dies before", died)
	fault("dies after", func(s *state) { m.write(s, at(s).tr); died(s) })
	if len(s.late) < m.Late {
		fault("late", func(s *state) { s.late = append(s.late, at(s).tr); unknown(s) })
		fault("dies, late", func(s *state) { s.late = append(s.late, at(s).tr); died(s) })
	}
}

// refusedFor reports whether the cause is one of a kind.
func (j judged) refusedFor(cause error) bool { return j.end == refused && errors.Is(j.cause, cause) }
