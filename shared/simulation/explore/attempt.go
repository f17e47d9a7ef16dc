package explore

import "github.com/replyonce/replyonce/shared/worktask"

// unsent is taskflow's outcome of an attempt in which nothing was sent.
func unsent(w *worker) worktask.Outcome {
	if w.held.LookupOnly() {
		return worktask.Outcome{Kind: worktask.OperationRuns}
	}
	return worktask.Outcome{Kind: worktask.Rejected}
}

// sendSteps: the request leaves, or it does not.
func (m *model) sendSteps(s *state, i int, name string) {
	w := &s.workers[i]
	if w.beat.lost || !m.Brief {
		m.step(s, name+"cannot connect", func(s *state) { m.finish(s, i, worktask.Outcome{Kind: worktask.Rejected}) })
	}
	if w.beat.lost {
		return // the call was cancelled before it began
	}
	m.step(s, name+"sends", func(s *state) {
		w := &s.workers[i]
		w.place, w.request = awaiting, s.provider.receive()
		m.note(requested(s))
	})
	m.fault(s, name+"dies before sending", func(s *state) { m.workerDies(s, i) })
}

// outcomes are what a call can end with. Only some of them are answers.
func (m *model) outcomes(w *worker) []worktask.Outcome {
	beyond := m.timers.TaskDeadline
	list := []worktask.Outcome{
		{Kind: worktask.Answered, Result: worktask.Result{Body: "answer to " + w.id}},
		{Kind: worktask.Ambiguous},
		{Kind: worktask.Rejected},
		{Kind: worktask.Retryable, Reason: worktask.EmptyReply},
	}
	if m.Brief {
		return costs(list)
	}
	list = append(list,
		worktask.Outcome{Kind: worktask.Rejected, RetryAfter: beyond},
		worktask.Outcome{Kind: worktask.Permanent, Reason: worktask.Declined})
	if w.held.LookupOnly() {
		list = append(list, worktask.Outcome{Kind: worktask.OperationRuns}, worktask.Outcome{Kind: worktask.OperationLost})
	}
	return costs(list)
}

func (m *model) awaitSteps(s *state, i int, name string) {
	w := &s.workers[i]
	for _, o := range m.outcomes(w) {
		if !s.provider.may(w.request, o) {
			continue
		}
		m.step(s, name+outcomeName(o), func(s *state) {
			w := &s.workers[i]
			s.provider.tell(w.request, o)
			if o.Kind == worktask.Ambiguous && w.saved {
				o.Kind = worktask.OperationRuns
			}
			m.finish(s, i, o)
		})
	}
	if m.Operations && !w.saved && !w.held.LookupOnly() {
		m.step(s, name+"is told an operation id", func(s *state) {
			w := &s.workers[i]
			s.provider.operation = w.request
			w.place, w.stage, w.writer = writing, saving, writer{tr: w.held.SaveOperation(instant(m.clock(s, i)), "operation")}
		})
	}
	m.fault(s, name+"dies", func(s *state) { m.workerDies(s, i) })
}

func outcomeName(o worktask.Outcome) string {
	name := map[worktask.OutcomeKind]string{
		worktask.Answered: "is answered", worktask.Rejected: "is rejected", worktask.Ambiguous: "sees no end",
		worktask.Retryable: "gets no usable answer", worktask.Permanent: "is declined",
		worktask.OperationRuns: "learns that it still runs", worktask.OperationLost: "learns that it is forgotten",
	}[o.Kind]
	if o.RetryAfter > 0 {
		name += " for long"
	}
	return name
}

// finish stops the heartbeat and writes what follows from the outcome. A renewal
// that is on its way may still arrive.
func (m *model) finish(s *state, i int, o worktask.Outcome) {
	w := &s.workers[i]
	if w.beat.place == writing && len(s.late) < m.Late {
		s.late = append(s.late, w.beat.writer.tr)
	}
	w.beat = heartbeat{until: w.beat.until}
	w.outcome = o
	m.decide(s, i)
}

// decide chooses the write that ends the attempt, by the clock as it is now.
func (m *model) decide(s *state, i int) {
	w := &s.workers[i]
	tr := worktask.Decide(w.claimed, w.held, w.outcome, instant(m.clock(s, i)), m.timers, func() float64 { return 1 })
	w.place, w.stage, w.writer, w.anew = writing, finishing, writer{tr: tr}, false
}

// finishTold tries the write anew whose end could not be found out, and reads
// first: once in any case, and for as long as the lease lasts.
func (m *model) finishTold(s *state, i int, j judged) {
	w := &s.workers[i]
	if j.end == failed && (!w.repeats || m.clock(s, i) < w.beat.until) {
		w.repeats, w.anew, w.place = true, true, reading
		return
	}
	m.told(s, i, j, w.held.ID(), j.task.Status != worktask.Pending)
}

// told ends the invocation after its last write.
func (m *model) told(s *state, i int, j judged, id string, deletes bool) {
	switch j.end {
	case landed:
		m.done(s, i, deletes)
	case refused:
		m.done(s, i, m.deletes(s, i, j.task, id))
	case failed, again:
		m.done(s, i, false)
	}
}

// deletes is taskflow's actionFor: the message of an ended task, or of one that
// another worker's valid lease covers, is not needed.
func (m *model) deletes(s *state, i int, seen worktask.Task, id string) bool {
	return seen.Status.Ended() || (seen.LeaseValid(instant(m.clock(s, i))) && seen.AssignmentID != id)
}

// done ends the invocation; the message is deleted or comes back.
func (m *model) done(s *state, i int, deleted bool) {
	s.workers[i] = worker{}
	if deleted {
		m.note(deletable(s.task))
		return
	}
	s.hidden = min(s.hidden+1, m.Messages)
}

// workerDies leaves everything as it is; the message comes back.
func (m *model) workerDies(s *state, i int) {
	s.workers[i] = worker{}
	s.visible = min(s.visible+1, m.Messages)
}
