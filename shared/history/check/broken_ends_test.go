package check_test

import (
	"net/http"
	"time"

	"github.com/replyonce/replyonce/shared/history"
	"github.com/replyonce/replyonce/shared/history/check"
	"github.com/replyonce/replyonce/shared/worktask"
)

func brokenEnds() []brokenHistory {
	return []brokenHistory{
		{"everything is drained and a task is open", check.P5, func(s *script) {
			running(s)
			s.drained()
		}, "has not ended"},
		{"a full sweep leaves it open", check.P5, func(s *script) {
			s.accept("r-1")
			s.wait(s.timers.TaskDeadline + s.timers.RecoveryInterval())
			s.sweep()
			s.wait(time.Second)
			s.sweep()
		}, "left it open"},
		{"a full sweep comes too early to help", check.P5, func(s *script) {
			s.accept("r-1")
			s.wait(s.timers.TaskDeadline + 40*time.Second)
			s.sweep()
			s.wait(time.Hour)
			s.write("dispatcher", worktask.End{Reason: worktask.DeadlineOver, By: worktask.EndedByDispatcher, Now: s.now})
		}, "left it open"},
		{"it fails without a reason", check.P5, func(s *script) {
			a := running(s)
			s.write("worker-1", a.Fail(s.now, "", true, worktask.Report{}))
		}, "none of the list"},
		{"accepted and never stored", check.P5, func(s *script) {
			completed(s)
			s.ref.ID = "T2"
			s.tasks[s.ref] = worktask.NewTask(s.ref, "reply", "alice", "{}", "req", worktask.RetryUnknown, s.now, s.timers)
			s.ask(submit("r-2", "f"), s.answerOf(http.StatusAccepted))
		}, "nothing was stored"},
	}
}

func brokenBudgets() []brokenHistory {
	return []brokenHistory{
		{"a takeover refills it", check.P6, func(s *script) {
			running(s)
			s.wait(40 * time.Second)
			s.write("worker-2", s.claimOf("a2"), func(t *worktask.Task) { t.Budget.AttemptsLeft = 4 })
			cancelled(s)
		}, "attempts left from 3 to 4"},
		{"a claim is free", check.P6, func(s *script) {
			s.accept("r-1")
			s.write("worker-1", s.claimOf("a1"), func(t *worktask.Task) { t.Budget.CallsLeft++ })
			cancelled(s)
		}, "calls left from 8 to 8"},
		{"a release gives the call back", check.P6, func(s *script) {
			a := running(s)
			s.write("worker-1", a.Release(s.now, worktask.ReleaseRejected, s.now.Add(time.Second), s.now.Add(time.Minute), worktask.Report{}),
				func(t *worktask.Task) { t.Budget.CallsLeft++ })
			cancelled(s)
		}, "calls left from 7 to 8"},
		{"a claim without an attempt left", check.P6, func(s *script) {
			s.accept("r-1", func(t *worktask.Task) { t.Budget.AttemptsLeft = 0 })
			s.claim("worker-1", "a1")
			cancelled(s)
		}, "without an attempt left"},
		{"a claim behind the deadline", check.P6, func(s *script) {
			s.accept("r-1")
			s.wait(s.timers.TaskDeadline)
			s.claim("worker-1", "a1")
			cancelled(s)
		}, "after its deadline"},
		{"stop is not obeyed", check.P6, func(s *script) {
			a := running(s, stopping)
			s.write("worker-1", a.Begin(s.now))
			s.wait(40 * time.Second)
			s.claim("worker-2", "a2")
			cancelled(s)
		}, "its policy forbids to repeat"},
		{"too many repeats", check.P6, func(s *script) {
			s.accept("r-1")
			for _, id := range []string{"a1", "a2", "a3"} {
				s.claim("worker-"+id, id)
				s.call("worker-"+id, id)
				s.wait(40 * time.Second)
			}
			cancelled(s)
		}, "2 calls with unknown outcome"},
		{"given up by receive count", check.P6, func(s *script) {
			a := running(s)
			s.write("worker-1", a.Fail(s.now, worktask.AttemptsExhausted, false, worktask.Report{}))
		}, "with attempts and calls left"},
		{"the deadline moves", check.P6, func(s *script) {
			a := running(s)
			s.write("worker-1", a.Renew(s.now, s.now.Add(time.Minute)), func(t *worktask.Task) { t.Deadline = t.Deadline.Add(time.Minute) })
			cancelled(s)
		}, "moved the deadline"},
		{"a caller sees it refilled", check.P6, func(s *script) {
			completed(s)
			s.ask(reading(), s.answerOf(http.StatusOK))
			refilled := s.answerOf(http.StatusOK)
			refilled.View.CallsLeft = 8
			s.ask(reading(), refilled)
		}, "was shown 7 calls left and later 8"},
	}
}

func brokenMessages() []brokenHistory {
	return []brokenHistory{
		{"the message of no task is deleted", check.P7, func(s *script) {
			completed(s)
			s.event("queue", history.Event{Kind: history.Deleted, Message: &history.Message{ID: "m"}})
		}, "names no task"},
		{"the message of an unknown task is deleted", check.P7, func(s *script) {
			completed(s)
			s.ref.ID = "T9"
			s.handled("worker-1", s.deliver("worker-1"), "delete")
		}, "no such task"},
	}
}

func brokenRequests() []brokenHistory {
	request := func(s *script, actor, id string) {
		s.event(actor, history.Event{Kind: history.CallSent, Task: history.RefOf(s.ref), Call: &history.Call{AssignmentID: id}})
	}
	return []brokenHistory{
		{"two under one claim", check.P8, func(s *script) {
			a := running(s)
			request(s, "worker-1", "a1")
			request(s, "worker-1", "a1")
			s.write("worker-1", completeAs(s, a))
		}, "second request"},
		{"before the claim", check.P8, func(s *script) {
			s.accept("r-1")
			request(s, "worker-1", "a1")
			s.claim("worker-1", "a1")
			cancelled(s)
		}, "no claim had recorded"},
		{"the claim was refused", check.P8, func(s *script) {
			running(s)
			s.refuse("worker-2", s.claimOf("a2"))
			request(s, "worker-2", "a2")
			cancelled(s)
		}, "no claim had recorded"},
		{"the provider sees more than were claimed", check.P8, func(s *script) {
			running(s)
			s.event("provider", history.Event{Kind: history.CallReceived, Task: history.RefOf(s.ref), Call: &history.Call{RequestID: "1"}})
			s.event("provider", history.Event{Kind: history.CallReceived, Task: history.RefOf(s.ref), Call: &history.Call{RequestID: "2"}})
			cancelled(s)
		}, "request 2 when 1 claims"},
		{"not begun under stop", check.P8, func(s *script) {
			running(s, stopping)
			request(s, "worker-1", "a1")
			cancelled(s)
		}, "without having begun it"},
		{"within a transaction", check.P8, func(s *script) {
			running(s)
			creation := history.Creation{What: history.CreatesConversation, Record: s.record("r-7", "f")}
			sent := s.event("worker-1", history.Event{Kind: history.CreateSent, Creation: &creation})
			request(s, "worker-1", "a1")
			s.event("worker-1", history.Event{Kind: history.CreateDone, Op: sent, Outcome: history.Unavailable})
			cancelled(s)
		}, "while its transaction was open"},
	}
}
