package check_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/replyonce/replyonce/shared/history"
	"github.com/replyonce/replyonce/shared/history/check"
	"github.com/replyonce/replyonce/shared/worktask"
)

// brokenHistory breaks one promise and no other.
type brokenHistory struct {
	name    string
	promise check.Promise
	play    func(*script)
	says    string // a part of the finding
}

func TestBrokenHistoriesBreakExactlyTheirPromise(t *testing.T) {
	t.Parallel()
	var all []brokenHistory
	for _, list := range [][]brokenHistory{
		brokenResults(), brokenVersions(), brokenKeys(), brokenEnds(), brokenBudgets(), brokenMessages(), brokenRequests(),
		brokenReadings(), brokenFences(), brokenOwners(), brokenSpend(), brokenRules(),
	} {
		all = append(all, list...)
	}
	several := map[check.Promise]int{}
	for _, b := range all {
		several[b.promise]++
		t.Run(string(b.promise)+" "+b.name, func(t *testing.T) {
			t.Parallel()
			s := newScript(t)
			b.play(s)
			report := s.check(check.Options{})
			s.want(report, b.promise)
			for _, f := range report.Of(b.promise).Findings {
				if len(f.Events) == 0 {
					t.Errorf("finding without events: %s", f)
				}
				if strings.Contains(f.Text, b.says) {
					return
				}
			}
			t.Errorf("no finding says %q: %v", b.says, report.Of(b.promise).Findings)
		})
	}
	for _, p := range check.All() {
		if several[p] < 2 {
			t.Errorf("%s has %d broken histories", p, several[p])
		}
	}
}

// running accepts and claims.
func running(s *script, change ...func(*worktask.Task)) worktask.Assignment {
	s.t.Helper()
	s.accept("r-1", change...)
	return s.claim("worker-1", "a1")
}

// completed is running, and completed.
func completed(s *script) worktask.Assignment {
	s.t.Helper()
	a := running(s)
	s.write("worker-1", a.Complete(s.now, result("answer"), worktask.Report{}))
	return a
}

// cancelled ends what the promise in question does not need to go on.
func cancelled(s *script) {
	s.t.Helper()
	s.write("api", worktask.Cancel{Now: s.now})
}

func stopping(t *worktask.Task) { t.OnUnknown = worktask.StopUnknown }

// completeAs is a completion that somebody may not write.
func completeAs(s *script, a worktask.Assignment) worktask.Transition {
	return a.Complete(s.now, result("answer"), worktask.Report{})
}

func brokenResults() []brokenHistory {
	return []brokenHistory{
		{"another result is read", check.P1, func(s *script) {
			completed(s)
			s.read("api", func(i *history.Item) { i.Result.SHA256 = "other" })
		}, "two results"},
		{"the result is gone", check.P1, func(s *script) {
			completed(s)
			s.read("api", func(i *history.Item) { i.Result = history.Saved{} })
		}, "is gone"},
		{"another reply is shown", check.P1, func(s *script) {
			completed(s)
			s.ask(reading(), s.answerOf(http.StatusOK))
			other := s.answerOf(http.StatusOK)
			other.View.ReplySHA256 = "other"
			s.ask(reading(), other)
		}, "one reply and later another"},
		{"the saved object is overwritten", check.P1, func(s *script) {
			a := running(s)
			s.write("worker-1", a.Complete(s.now, worktask.Result{ObjectKey: "results/T1", Bytes: 6, SHA256: history.Hash("answer")}, worktask.Report{}))
			sent := s.event("worker-2", history.Event{Kind: history.ObjectSent, Object: &history.Object{Key: "results/T1", SHA256: history.Hash("late")}})
			s.event("worker-2", history.Event{Kind: history.ObjectDone, Op: sent, Outcome: history.Landed})
		}, "another body was put"},

		{"a replaced worker completes", check.P2, func(s *script) {
			old := running(s)
			s.wait(40 * time.Second)
			s.claim("worker-2", "a2")
			s.write("worker-1", completeAs(s, old))
		}, "another assignment had the task"},
		{"an expired lease completes", check.P2, func(s *script) {
			a := running(s)
			s.wait(40 * time.Second)
			s.write("worker-1", completeAs(s, a))
		}, "its lease was over"},
		{"a released task is completed", check.P2, func(s *script) {
			a := running(s)
			s.write("worker-1", a.Release(s.now, worktask.ReleaseUnknown, s.now.Add(time.Second), s.now.Add(time.Minute), worktask.Report{}))
			s.write("worker-1", completeAs(s, a))
		}, "the task was pending"},
		{"a good completion is refused", check.P2, func(s *script) {
			a := running(s)
			s.refuse("worker-1", completeAs(s, a))
			cancelled(s)
		}, "was refused its completion"},
	}
}

func brokenVersions() []brokenHistory {
	moved := func(by int64) func(*worktask.Task) {
		return func(t *worktask.Task) { t.AssignmentVersion += by }
	}
	return []brokenHistory{
		{"a claim does not move it", check.P3, func(s *script) {
			s.accept("r-1")
			s.write("worker-1", s.claimOf("a1"), moved(-1))
			cancelled(s)
		}, "claim by worker-1 moved the version by 0"},
		{"a cancel does not move it", check.P3, func(s *script) {
			running(s)
			s.write("api", worktask.Cancel{Now: s.now}, moved(-1))
		}, "cancel by api moved the version by 0"},
		{"a renewal moves it", check.P3, func(s *script) {
			a := running(s)
			s.write("worker-1", a.Renew(s.now, s.now.Add(time.Minute)), moved(1))
			cancelled(s)
		}, "renew by worker-1"},
		{"it is seen to fall", check.P3, func(s *script) {
			running(s)
			s.read("worker-2", func(i *history.Item) { i.AssignmentVersion = 0 })
			cancelled(s)
		}, "version 0 was seen after version 1"},
		{"a task begins beyond 0", check.P3, func(s *script) {
			s.accept("r-1", moved(1))
			cancelled(s)
		}, "made with version 1"},
	}
}

func brokenKeys() []brokenHistory {
	second := func(s *script) {
		s.ref.ID = "T2"
	}
	return []brokenHistory{
		{"one key makes two tasks", check.P4, func(s *script) {
			completed(s)
			second(s)
			s.accept("r-1")
			cancelled(s)
		}, "before its purge time"},
		{"a repeat gets another task", check.P4, func(s *script) {
			completed(s)
			second(s)
			s.accept("r-2")
			cancelled(s)
			s.ask(submit("r-1", "f"), replayed(s.answerOf(http.StatusOK)))
		}, "shows the task of another key"},
		{"a repeat is answered as new", check.P4, func(s *script) {
			completed(s)
			s.ask(submit("r-1", "f"), s.answerOf(http.StatusAccepted))
		}, "as if it were the first"},
		{"other inputs are accepted", check.P4, func(s *script) {
			s.ask(submit("r-1", "f"), history.Answer{})
			completed(s)
			s.ask(submit("r-1", "g"), replayed(s.answerOf(http.StatusOK)))
		}, "other inputs"},
		{"a repeat is refused", check.P4, func(s *script) {
			completed(s)
			s.ask(submit("r-1", "f"), history.Answer{Status: http.StatusUnprocessableEntity})
		}, "taken for another request"},
		{"replayed behind the window", check.P4, func(s *script) {
			completed(s)
			s.wait(25 * time.Hour)
			s.ask(submit("r-1", "f"), replayed(s.answerOf(http.StatusOK)))
		}, "replay window was over"},
		{"gone within the window", check.P4, func(s *script) {
			completed(s)
			s.wait(23 * time.Hour)
			s.ask(submit("r-1", "f"), history.Answer{Status: http.StatusGone, Code: "idempotency_window_over"})
		}, "said to be over within it"},
		{"an old record counts behind its purge time", check.P4, func(s *script) {
			completed(s)
			s.wait(366 * 24 * time.Hour)
			s.ask(submit("r-1", "f"), history.Answer{Status: http.StatusGone, Code: "idempotency_window_over"})
		}, "purge time was over"},
		{"the key of another caller", check.P4, func(s *script) {
			completed(s)
			other := submit("r-1", "f")
			other.Caller = "bob"
			s.ask(other, replayed(s.answerOf(http.StatusOK)))
		}, "shows the task of another key"},
	}
}

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
