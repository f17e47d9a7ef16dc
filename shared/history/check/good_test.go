package check_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/replyonce/replyonce/shared/history"
	"github.com/replyonce/replyonce/shared/history/check"
	"github.com/replyonce/replyonce/shared/worktask"
)

// result is a small answer.
func result(body string) worktask.Result { return worktask.Result{Body: body} }

// answered is the plain life of a reply.
func answered(s *script) {
	s.ask(submit("r-0", "f"), history.Answer{Status: http.StatusServiceUnavailable})
	sent := s.event("alice", history.Event{Kind: history.RequestSent, Request: &history.Request{
		Workspace: "acme", Caller: "alice", Operation: "submit", Key: "r-1", Fingerprint: "f",
	}})
	s.accept("r-1")
	first := s.answerOf(http.StatusAccepted)
	s.event("alice", history.Event{Kind: history.RequestAnswered, Op: sent, Task: history.RefOf(s.ref), Answer: &first})
	d := s.deliver("worker-1")
	a := s.claim("worker-1", "a1")
	s.call("worker-1", "a1")
	s.ask(submit("r-1", "f"), replayed(s.answerOf(http.StatusOK)))
	s.ask(submit("r-1", "g"), history.Answer{Status: http.StatusUnprocessableEntity})
	s.wait(10 * time.Second)
	s.write("worker-1", a.Renew(s.now, s.now.Add(s.timers.Lease)))
	s.write("worker-1", a.Complete(s.now, result("answer"), worktask.Report{Tokens: worktask.Tokens{Output: 7}}))
	s.handled("worker-1", d, "delete")
	s.event("queue", history.Event{Kind: history.Deleted, Task: history.RefOf(s.ref), Message: &history.Message{ID: "m"}})
	s.ask(reading(), s.answerOf(http.StatusOK))
	s.read("worker-2")
	mallory := reading()
	mallory.Caller = "mallory"
	s.ask(mallory, history.Answer{Status: http.StatusNotFound})
	s.wait(24 * time.Hour)
	s.ask(submit("r-1", "f"), history.Answer{Status: http.StatusGone, Code: "idempotency_window_over"})
}

// replaced: a worker sleeps past its lease and wakes up with an answer.
func replaced(s *script) {
	s.accept("r-1")
	d1 := s.deliver("worker-1")
	old := s.claim("worker-1", "a1")
	s.call("worker-1", "a1")
	s.wait(40 * time.Second)
	d2 := s.deliver("worker-2")
	current := s.claim("worker-2", "a2")
	s.call("worker-2", "a2")
	late := old.Complete(s.now, result("late"), worktask.Report{})
	s.refuse("worker-1", late)
	s.evidence("worker-1", old, "late")
	s.handled("worker-1", d1, "delete")
	s.write("worker-2", current.Complete(s.now, result("answer"), worktask.Report{}))
	s.handled("worker-2", d2, "delete")
	seen := s.answerOf(http.StatusOK)
	seen.View.RefusedAnswers = 1
	s.ask(reading(), seen)
}

// lostEverything: acknowledgements are lost and resolved by reading.
func lostEverything(s *script) {
	s.accept("r-1", func(t *worktask.Task) { t.OnUnknown = worktask.StopUnknown })
	d := s.deliver("worker-1")
	s.lose("worker-1", s.claimOf("a1"), true)
	s.read("worker-1")
	a := s.assignment("a1")
	s.lose("worker-1", a.Begin(s.now), true)
	s.read("worker-1")
	s.call("worker-1", "a1")
	s.lose("worker-1", a.Complete(s.now, result("answer"), worktask.Report{}), true)
	s.read("worker-1")
	s.handled("worker-1", d, "delete")
}

// overAndCancelled: one task fails for its deadline, one is cancelled, one is
// given back.
func overAndCancelled(s *script) {
	s.accept("r-1")
	a := s.claim("worker-1", "a1")
	s.write("worker-1", a.Release(s.now, worktask.ReleaseRejected, s.now.Add(time.Second), s.now.Add(31*time.Second), worktask.Report{}))
	s.write("dispatcher", worktask.Bump{Seen: s.task().HandoffDueAt, Due: s.now.Add(time.Minute)})
	s.wait(s.timers.TaskDeadline)
	s.write("dispatcher", worktask.End{Reason: worktask.DeadlineOver, By: worktask.EndedByDispatcher, Now: s.now, Margin: s.timers.SkewMargin})
	s.ref.ID = "T2"
	s.accept("r-2")
	s.claim("worker-1", "a2")
	s.call("worker-1", "a2")
	s.write("api", worktask.Cancel{Now: s.now})
	cancel := reading()
	cancel.Operation = history.OperationCancel
	s.ask(cancel, s.answerOf(http.StatusOK))
	s.wait(time.Hour)
	s.sweep()
	s.drained()
}

func TestGoodHistoriesAreGood(t *testing.T) {
	t.Parallel()
	decided := map[check.Promise]int{}
	for name, play := range map[string]func(*script){
		"answered": answered, "replaced": replaced, "lost": lostEverything, "over": overAndCancelled, "indexed": indexed,
	} {
		for _, store := range []bool{true, false} {
			s := newScript(t)
			s.store = store
			play(s)
			report := s.check(check.Options{})
			t.Log(name, "with the store's side:", store)
			s.want(report)
			for _, v := range report.Verdicts {
				decided[v.Promise] += v.Cases
			}
		}
	}
	for _, p := range check.All() {
		if decided[p] == 0 {
			t.Errorf("no case of %s was decided", p)
		}
	}
}
