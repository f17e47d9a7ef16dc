package explore

import (
	"strconv"

	"github.com/replyonce/replyonce/shared/worktask"
)

// stage is what a worker's write is for.
type stage int

const (
	claiming stage = iota + 1
	beginning
	saving
	finishing
	ending
)

// worker is one invocation of taskflow.Runner.
type worker struct {
	place  place
	stage  stage
	writer writer
	id     string // of the assignment that it asks for, or has
	held   worktask.Assignment
	// claimed is the task as claimed, as far as the end of the attempt is
	// chosen by it.
	claimed worktask.Task
	request int              // that the provider has received from it, or that it looks up
	saved   bool             // an operation id was saved in this attempt
	outcome worktask.Outcome // of the attempt, for the write that follows
	repeats bool             // that write was tried anew already
	anew    bool             // it is read before it is tried anew
	slow    bool             // it was held up while time passed
	beat    heartbeat
}

func (w *worker) encode(e *encoder, hopeless bool) {
	e.numbers(int(w.place), int(w.stage))
	if w.place == idle {
		return
	}
	e.flags(w.slow)
	if hopeless {
		e.id(w.id)
		return
	}
	w.writer.encode(e)
	e.id(w.id)
	e.flags(w.saved)
	b := w.claimed.Budget
	e.text(w.claimed.OperationID)
	e.numbers(b.AttemptsLeft, b.CallsLeft, b.CallsKnown, int(w.claimed.Money.Left), int(w.held.Version()), w.request)
	e.flags(w.held.LookupOnly(), w.beat.lost, w.repeats, w.anew, w.outcome.RetryAfter > 0)
	e.numbers(int(w.outcome.Kind))
	e.numbers(int(w.beat.place), w.beat.last, w.beat.until)
	w.beat.writer.encode(e)
}

// clock is the wall clock of the i-th worker.
func (m *model) clock(s *state, i int) int { return s.now + m.Skew[i] }

// workerSteps are the steps that the i-th worker can make.
func (m *model) workerSteps(s *state, i int) {
	w := &s.workers[i]
	name := "worker " + strconv.Itoa(i+1) + " "
	at := func(s *state) *worker { return &s.workers[i] }
	switch w.place {
	case idle:
		if s.visible > 0 {
			m.step(s, name+"receives", func(s *state) { m.receive(s, i) })
		}
		return
	case writing:
		m.sentTo(s, name+w.writer.tr.Name(), func(s *state) *writer { return &at(s).writer }, m.clock(s, i),
			func(s *state, j judged) { m.workerTold(s, i, j) },
			func(s *state) { at(s).place = reading },
			func(s *state) { m.workerDies(s, i) })
	case reading:
		m.step(s, name+"reads", func(s *state) { m.workerReads(s, i) })
		m.fault(s, name+"cannot read", func(s *state) { m.workerTold(s, i, judged{end: failed}) })
		m.fault(s, name+"dies", func(s *state) { m.workerDies(s, i) })
	case sending:
		m.sendSteps(s, i, name)
	case awaiting:
		m.awaitSteps(s, i, name)
	case publishing:
	}
	m.beatSteps(s, i, name)
}

// receive begins an invocation: nothing is read first.
func (m *model) receive(s *state, i int) {
	s.visible--
	id := s.newID()
	now := instant(m.clock(s, i))
	s.workers[i] = worker{place: writing, stage: claiming, id: id, writer: writer{tr: worktask.Claim{
		AssignmentID: id, Now: now, LeaseUntil: now.Add(m.timers.Lease), Margin: m.timers.SkewMargin, Reserve: m.timers.LeaseReserve,
		Money: m.Money > 0,
	}}}
}

// workerReads looks for a write whose end is not known.
func (m *model) workerReads(s *state, i int) {
	w := &s.workers[i]
	now := m.clock(s, i)
	switch {
	case !w.anew:
		m.workerTold(s, i, w.writer.judge(s.task, now))
	case w.writer.tr.Mine(s.task, instant(now)):
		m.workerTold(s, i, judged{end: landed, task: s.task})
	default:
		m.decide(s, i)
	}
}

// workerTold goes on after the end of a write.
func (m *model) workerTold(s *state, i int, j judged) {
	w := &s.workers[i]
	if j.end == again {
		w.place = writing
		return
	}
	switch w.stage {
	case claiming:
		m.claimTold(s, i, j)
	case beginning:
		if j.end == landed {
			w.place = sending
			return
		}
		m.finish(s, i, unsent(w))
	case saving:
		if j.end == landed {
			w.place, w.saved = awaiting, true
			return
		}
		m.finish(s, i, worktask.Outcome{Kind: worktask.Ambiguous})
	case finishing:
		m.finishTold(s, i, j)
	case ending:
		m.told(s, i, j, "", true)
	}
}

// claimTold is Runner.claim after its write.
func (m *model) claimTold(s *state, i int, j judged) {
	w := &s.workers[i]
	now := m.clock(s, i)
	switch {
	case j.end == landed:
		m.claimed(s, i, j.task)
	case j.refusedFor(worktask.ErrOperationSaved):
		claim, _ := w.writer.tr.(worktask.Claim)
		w.place, w.writer = writing, writer{tr: worktask.LookupClaim{
			AssignmentID: claim.AssignmentID, Now: claim.Now, LeaseUntil: claim.LeaseUntil, Margin: claim.Margin, Reserve: claim.Reserve,
		}}
	case j.refusedFor(worktask.ErrOver):
		end, over := worktask.EndFor(j.task, worktask.EndedByWorker, instant(now), m.timers.SkewMargin)
		if !over {
			m.done(s, i, false)
			return
		}
		w.place, w.stage, w.writer = writing, ending, writer{tr: end}
	case j.refusedFor(worktask.ErrTooEarly):
		m.done(s, i, false)
	case j.refusedFor(worktask.ErrLeaseHeld):
		m.done(s, i, true)
	case j.end == refused:
		m.done(s, i, m.deletes(s, i, j.task, w.id))
	default:
		m.done(s, i, false)
	}
}

func (m *model) claimed(s *state, i int, t worktask.Task) {
	w := &s.workers[i]
	a, ok := worktask.AssignmentOf(t, w.id)
	if !ok {
		m.done(s, i, m.deletes(s, i, t, w.id))
		return
	}
	sent := claimedAt(w.writer.tr)
	w.held, w.claimed = a, t
	w.beat = heartbeat{last: sent, until: int(t.LeaseExpiresAt.Sub(epoch) / tick)}
	switch {
	case a.LookupOnly():
		w.place, w.request = awaiting, s.provider.operation
	case t.OnUnknown == worktask.RetryUnknown && !t.MayRepeatUnknown():
		m.finish(s, i, notMade(worktask.OutcomeUnknown))
	case timeOf(m.deadline()-m.clock(s, i)) < m.timers.LeaseReserve:
		m.finish(s, i, notMade(worktask.DeadlineOver))
	case t.OnUnknown == worktask.StopUnknown:
		w.place, w.stage, w.writer = writing, beginning, writer{tr: a.Begin(instant(m.clock(s, i)))}
	default:
		w.place = sending
	}
}

// notMade is taskflow's outcome of an attempt that ends ahead of its call.
func notMade(reason worktask.Reason) worktask.Outcome {
	return worktask.Outcome{
		Kind: worktask.Permanent, Reason: reason, Report: worktask.Report{Cost: worktask.Cost{Known: true}},
	}
}

func claimedAt(tr worktask.Transition) int {
	switch tr := tr.(type) {
	case worktask.Claim:
		return int(tr.Now.Sub(epoch) / tick)
	case worktask.LookupClaim:
		return int(tr.Now.Sub(epoch) / tick)
	}
	return 0
}
