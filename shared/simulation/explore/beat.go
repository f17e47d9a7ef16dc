package explore

import "github.com/replyonce/replyonce/shared/worktask"

// heartbeat is the renewal beside the call.
type heartbeat struct {
	place  place
	writer writer
	last   int // tick of the last renewal, or of the claim
	until  int // end of the lease as it is known
	lost   bool
}

// attempting reports whether a heartbeat runs.
func (w *worker) attempting() bool {
	switch w.place {
	case sending, awaiting:
		return true
	case writing, reading:
		return w.stage == beginning || w.stage == saving
	case idle, publishing:
	}
	return false
}

func (m *model) beatSteps(s *state, i int, name string) {
	w := &s.workers[i]
	if !m.Beats || !w.attempting() || w.beat.lost {
		return
	}
	b := func(s *state) *heartbeat { return &s.workers[i].beat }
	now := m.clock(s, i)
	switch w.beat.place {
	case idle:
		until := min(now+m.lease(), m.deadline())
		if now > w.beat.last && until > w.beat.until {
			m.step(s, name+"beats", func(s *state) {
				b(s).place, b(s).last = writing, now
				b(s).writer = writer{tr: s.workers[i].held.Renew(instant(now), instant(until))}
			})
		}
	case writing:
		m.sentTo(s, name+"renew", func(s *state) *writer { return &b(s).writer }, now,
			func(s *state, j judged) { m.beatTold(s, i, j) },
			func(s *state) { b(s).place = reading },
			func(s *state) { m.workerDies(s, i) })
	case reading:
		m.step(s, name+"reads its lease", func(s *state) { m.beatTold(s, i, b(s).writer.judge(s.task, now)) })
	case sending, awaiting, publishing:
	}
}

func (m *model) beatTold(s *state, i int, j judged) {
	beat := &s.workers[i].beat
	switch j.end {
	case again:
		beat.place = writing
	case landed:
		renewal, _ := beat.writer.tr.(worktask.Renewal)
		beat.place, beat.until, beat.writer = idle, int(renewal.Until().Sub(epoch)/tick), writer{}
	case refused:
		beat.place, beat.lost, beat.writer = idle, true, writer{}
	case failed:
		beat.place, beat.writer = idle, writer{}
	}
}
