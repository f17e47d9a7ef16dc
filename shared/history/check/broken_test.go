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
		brokenReadings(), brokenFences(), brokenOwners(), brokenSpend(), brokenRules(), brokenIndexes(), brokenReaders(),
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
