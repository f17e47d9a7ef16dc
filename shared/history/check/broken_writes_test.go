package check_test

import (
	"net/http"
	"time"

	"github.com/replyonce/replyonce/shared/history"
	"github.com/replyonce/replyonce/shared/history/check"
	"github.com/replyonce/replyonce/shared/worktask"
)

func brokenReadings() []brokenHistory {
	return []brokenHistory{
		{"a lost claim is taken for one's own", check.P9, func(s *script) {
			s.accept("r-1")
			s.lose("worker-1", s.claimOf("a1"), true)
			s.call("worker-1", "a1")
			cancelled(s)
		}, "made the request without reading"},
		{"an own claim is recognised by its id alone", check.P9, func(s *script) {
			s.accept("r-1")
			s.lose("worker-1", s.claimOf("a1"), true)
			cancelled(s)
			s.read("worker-1")
			s.call("worker-1", "a1")
		}, "read that the task is cancelled"},
		{"a lost begin is taken for one's own", check.P9, func(s *script) {
			a := running(s, stopping)
			s.lose("worker-1", a.Begin(s.now), true)
			s.call("worker-1", "a1")
			cancelled(s)
		}, "its begin"},
		{"a lost completion becomes a failure", check.P9, func(s *script) {
			a := running(s)
			s.lose("worker-1", completeAs(s, a), false)
			s.write("worker-1", a.Fail(s.now, worktask.Declined, true, worktask.Report{}))
		}, "wrote fail without reading"},
		{"an own completion is taken for a refusal", check.P9, func(s *script) {
			a := running(s)
			s.lose("worker-1", completeAs(s, a), true)
			s.read("worker-1")
			s.evidence("worker-1", a, "answer")
		}, "took it for refused"},
		{"accepted without reading", check.P9, func(s *script) {
			request := submit("r-1", "f")
			sent := s.event("alice", history.Event{Kind: history.RequestSent, Request: &request})
			s.acceptLost(s.record("r-1", "f"))
			answer := s.answerOf(http.StatusAccepted)
			s.event("alice", history.Event{Kind: history.RequestAnswered, Op: sent, Task: history.RefOf(s.ref), Answer: &answer})
			cancelled(s)
		}, "nobody read the record"},
	}
}

func brokenFences() []brokenHistory {
	replacedWrite := func(tr func(*script, worktask.Assignment) worktask.Transition) func(*script) {
		return func(s *script) {
			old := running(s)
			s.wait(40 * time.Second)
			s.claim("worker-2", "a2")
			s.write("worker-1", tr(s, old))
			if !s.task().Status.Ended() {
				cancelled(s)
			}
		}
	}
	return []brokenHistory{
		{"a late failure", check.P10, replacedWrite(func(s *script, a worktask.Assignment) worktask.Transition {
			return a.Fail(s.now, worktask.Declined, true, worktask.Report{})
		}), "fail of worker-1 (version 1) landed although another assignment"},
		{"a late release", check.P10, replacedWrite(func(s *script, a worktask.Assignment) worktask.Transition {
			return a.Release(s.now, worktask.ReleaseUnknown, s.now.Add(time.Second), s.now.Add(time.Minute), worktask.Report{})
		}), "release of worker-1"},
		{"a late renewal", check.P10, replacedWrite(func(s *script, a worktask.Assignment) worktask.Transition {
			return a.Renew(s.now, s.now.Add(time.Hour))
		}), "renew of worker-1"},
		{"a renewal revives an expired lease", check.P10, func(s *script) {
			a := running(s)
			s.wait(time.Minute)
			s.write("worker-1", a.Renew(s.now, s.now.Add(time.Minute)))
			cancelled(s)
		}, "its lease was over"},
		{"a worker's task is ended", check.P10, func(s *script) {
			running(s, func(t *worktask.Task) { t.Deadline = s.now.Add(20 * time.Second) })
			s.wait(25 * time.Second)
			s.write("dispatcher", worktask.End{Reason: worktask.DeadlineOver, By: worktask.EndedByDispatcher, Now: s.now, Margin: s.timers.SkewMargin})
		}, "the lease of its worker held"},
		{"an end before the deadline", check.P10, func(s *script) {
			s.accept("r-1")
			s.write("dispatcher", worktask.End{Reason: worktask.DeadlineOver, By: worktask.EndedByDispatcher, Now: s.now})
		}, "its reason, deadline, did not hold"},
		{"a cancel that did not happen", check.P10, func(s *script) {
			completed(s)
			cancel := reading()
			cancel.Operation = history.OperationCancel
			s.ask(cancel, s.answerOf(http.StatusOK))
		}, "was told that the task is cancelled"},
	}
}

func brokenOwners() []brokenHistory {
	as := func(workspace, caller string, status int) func(*script) {
		return func(s *script) {
			completed(s)
			req := reading()
			req.Workspace, req.Caller = workspace, caller
			s.ask(req, s.answerOf(status))
		}
	}
	return []brokenHistory{
		{"another workspace reads", check.P11, as("evil", "alice", http.StatusOK), "of workspace evil got status 200"},
		{"another caller reads", check.P11, as("acme", "bob", http.StatusOK), "bob of workspace acme"},
		{"a foreign task is forbidden, not unknown", check.P11, as("evil", "eve", http.StatusForbidden), "status 403"},
		{"a foreign task is said to be unchanged", check.P11, as("evil", "eve", http.StatusNotModified), "status 304"},
		{"a task is made in another workspace", check.P11, func(s *script) {
			record := s.record("r-1", "f")
			record.Workspace = "evil"
			s.acceptUnder(record)
			cancelled(s)
		}, "made a task in workspace acme"},
		{"a task is made for another caller", check.P11, func(s *script) {
			s.accept("r-1", func(t *worktask.Task) { t.Caller = "bob" })
			cancelled(s)
		}, "made a task of bob"},
	}
}

func brokenSpend() []brokenHistory {
	lateAnswer := func(s *script) worktask.Assignment {
		old := running(s)
		cancelled(s)
		s.refuse("worker-1", old.Complete(s.now, result("late"), worktask.Report{}))
		return old
	}
	return []brokenHistory{
		{"fewer calls are shown than were made", check.P14, func(s *script) {
			a := running(s)
			s.call("worker-1", "a1")
			s.write("worker-1", completeAs(s, a))
			hidden := s.answerOf(http.StatusOK)
			hidden.View.Calls, hidden.View.CallsKnown = 0, 0
			s.ask(reading(), hidden)
		}, "shows 0 calls, and 1 requests"},
		{"more calls are shown than were recorded", check.P14, func(s *script) {
			completed(s)
			padded := s.answerOf(http.StatusOK)
			padded.View.Calls, padded.View.CallsUnknown = 3, 2
			s.ask(reading(), padded)
		}, "shows 3 calls, and 1 were ever recorded"},
		{"an unknown end is shown as known", check.P14, func(s *script) {
			s.accept("r-1")
			s.claim("worker-1", "a1")
			s.call("worker-1", "a1")
			cancelled(s)
			hidden := s.answerOf(http.StatusOK)
			hidden.View.CallsUnknown = 0
			s.ask(reading(), hidden)
		}, "0 of them known and 0 unknown"},
		{"tokens are not counted", check.P14, func(s *script) {
			a := running(s)
			s.write("worker-1", a.Complete(s.now, result("answer"), worktask.Report{Tokens: worktask.Tokens{Output: 7}}),
				func(t *worktask.Task) { t.Tokens = worktask.Tokens{} })
		}, "tokens"},
		{"a retry forgets a known call", check.P14, func(s *script) {
			a := running(s)
			s.write("worker-1", a.Release(s.now, worktask.ReleaseFailed, s.now.Add(time.Second), s.now.Add(time.Minute), worktask.Report{}),
				func(t *worktask.Task) { t.Budget.CallsKnown = 0 })
			cancelled(s)
		}, "moved the known calls from 0 to 0"},
		{"no evidence of a refused answer", check.P14, func(s *script) {
			d := s.deliver("worker-1")
			lateAnswer(s)
			s.handled("worker-1", d, "delete")
		}, "no evidence of it was kept"},
		{"evidence of something else", check.P14, func(s *script) {
			old := lateAnswer(s)
			s.evidence("worker-1", old, "another text")
		}, "does not describe its answer"},
		{"evidence of nothing", check.P14, func(s *script) {
			a := running(s)
			cancelled(s)
			s.evidence("worker-1", a, "nothing")
		}, "never tried to save"},
		{"refused answers are not shown", check.P14, func(s *script) {
			old := lateAnswer(s)
			s.evidence("worker-1", old, "late")
			s.ask(reading(), s.answerOf(http.StatusOK))
		}, "shows 0 refused answers"},
	}
}

func brokenRules() []brokenHistory {
	return []brokenHistory{
		{"removed at claim", check.DueTime, func(s *script) {
			s.accept("r-1")
			s.write("worker-1", s.claimOf("a1"), func(t *worktask.Task) { t.HandoffDueAt = time.Time{} })
			cancelled(s)
		}, "running and has no due time"},
		{"left in place by cancel", check.DueTime, func(s *script) {
			running(s)
			s.write("api", worktask.Cancel{Now: s.now}, func(t *worktask.Task) { t.HandoffDueAt = s.now })
		}, "cancelled and has a due time"},
		{"moved by a renewal", check.DueTime, func(s *script) {
			a := running(s)
			s.write("worker-1", a.Renew(s.now, s.now.Add(time.Minute)), func(t *worktask.Task) { t.HandoffDueAt = s.now })
			cancelled(s)
		}, "touched the due time"},
		{"moved by somebody who had read another one", check.DueTime, func(s *script) {
			s.accept("r-1")
			s.write("dispatcher", worktask.Bump{Seen: s.now, Due: s.now.Add(time.Hour)})
			cancelled(s)
		}, "had not read"},
		{"a retry behind the deadline", check.DueTime, func(s *script) {
			a := running(s)
			s.write("worker-1", a.Release(s.now, worktask.ReleaseRejected, s.now.Add(time.Hour), s.now.Add(2*time.Hour), worktask.Report{}))
			cancelled(s)
		}, "at or after the deadline"},

		{"a reason changes", check.EndFinal, func(s *script) {
			a := running(s)
			s.write("worker-1", a.Fail(s.now, worktask.Declined, true, worktask.Report{}))
			s.read("api", func(i *history.Item) { i.FailureReason = string(worktask.EmptyReply) })
		}, "its reason is empty_reply"},
		{"a caller sees another end", check.EndFinal, func(s *script) {
			completed(s)
			failed := s.answerOf(http.StatusOK)
			s.ask(reading(), s.answerOf(http.StatusOK))
			failed.View.Status = string(worktask.Failed)
			s.ask(reading(), failed)
		}, "completed and later failed"},

		{"a claim within the margin", check.Linearizable, func(s *script) {
			running(s)
			s.wait(31 * time.Second)
			s.claim("worker-2", "a2")
			cancelled(s)
		}, "claim by worker-2 landed"},
		{"a renewal shortens the lease", check.Linearizable, func(s *script) {
			a := running(s)
			s.write("worker-1", a.Renew(s.now, s.now.Add(time.Second)))
			cancelled(s)
		}, "renew by worker-1 landed"},
		{"a strong read is stale", check.Linearizable, func(s *script) {
			a := running(s)
			before := *s.item()
			s.write("worker-1", a.Renew(s.now, s.now.Add(time.Minute)))
			s.read("api", func(i *history.Item) { *i = before })
			cancelled(s)
		}, "api read the task running"},
		{"a write is refused for no reason", check.Linearizable, func(s *script) {
			a := running(s)
			s.refuse("worker-1", a.Renew(s.now, s.now.Add(time.Minute)))
			cancelled(s)
		}, "renew by worker-1 was refused"},
		{"an acknowledged write is not stored", check.Linearizable, func(s *script) {
			a := running(s)
			before := s.task()
			s.store = false
			s.write("worker-1", a.Renew(s.now, s.now.Add(time.Minute)))
			s.store = true
			s.tasks[s.ref] = before
			s.read("worker-2")
			cancelled(s)
		}, ""},
	}
}
