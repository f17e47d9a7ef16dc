package check_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/replyonce/replyonce/shared/history"
	"github.com/replyonce/replyonce/shared/history/check"
	"github.com/replyonce/replyonce/shared/worktask"
)

// TestSearchThatIsTooLongIsUndecided: what the search cannot finish is shown as
// that, and never as kept.
func TestSearchThatIsTooLongIsUndecided(t *testing.T) {
	t.Parallel()
	s := newScript(t)
	s.store = false
	a := running(s)
	for i := range 12 { // each may have landed, or not, at any time
		s.lose("worker-1", a.Renew(s.now, s.now.Add(time.Minute+time.Duration(i)*time.Second)), i%2 == 0)
	}
	cancelled(s)
	s.read("api")
	if report := s.check(check.Options{}); !report.Good() {
		t.Errorf("with enough steps: %v", report.Findings())
	}
	report := s.check(check.Options{Steps: 10})
	if got := report.Of(check.Linearizable).Status(); got != check.Undecided || report.Good() {
		t.Errorf("with ten steps the verdict is %s", got)
	}
}

func TestTaskThatIsOpenAtTheEndIsUndecided(t *testing.T) {
	t.Parallel()
	s := newScript(t)
	running(s)
	if got := s.check(check.Options{}).Of(check.P5).Status(); got != check.Undecided {
		t.Errorf("the verdict is %s", got)
	}
}

// TestPartialSweepsProveNothing: a sweep that ran out of time, failed, or went on
// where another had stopped need not have seen the task.
func TestPartialSweepsProveNothing(t *testing.T) {
	t.Parallel()
	s := newScript(t)
	s.accept("r-1")
	s.wait(time.Hour)
	s.partialSweep(true, 1)
	s.partialSweep(false, 0)
	s.sweep()
	s.write("dispatcher", worktask.End{Reason: worktask.DeadlineOver, By: worktask.EndedByDispatcher, Now: s.now})
	s.want(s.check(check.Options{}))
}

func TestOnlyWhatIsAskedForIsDecided(t *testing.T) {
	t.Parallel()
	s := newScript(t)
	running(s)
	report := s.check(check.Options{Only: []check.Promise{check.P3}})
	if len(report.Verdicts) != 1 || report.Of(check.P3).Status() != check.Kept || report.Of(check.P5).Status() != check.NotSeen {
		t.Errorf("verdicts: %+v", report.Verdicts)
	}
}

func TestTaskThatWasThereBeforeTheRecordBegan(t *testing.T) {
	t.Parallel()
	s := newScript(t)
	s.store = false
	s.tasks[s.ref] = worktask.NewTask(s.ref, "reply", "alice", "{}", "req", worktask.RetryUnknown, s.now, s.timers)
	s.claim("worker-1", "a1")
	s.refuse("worker-2", s.claimOf("a2"))
	cancelled(s)
	s.want(s.check(check.Options{}))
}

// TestReadThatBeganLongAgoDoesNotDelayTheEnd: a reader that was frozen began
// before the task ended and is told of the end much later.
func TestReadThatBeganLongAgoDoesNotDelayTheEnd(t *testing.T) {
	t.Parallel()
	s := newScript(t)
	s.accept("r-1")
	sent := s.event("dispatcher-1", history.Event{Kind: history.ReadSent, Task: history.RefOf(s.ref)})
	s.wait(time.Hour)
	s.write("dispatcher", worktask.End{Reason: worktask.DeadlineOver, By: worktask.EndedByDispatcher, Now: s.now})
	s.sweep()
	s.event("dispatcher-1", history.Event{Kind: history.ReadDone, Op: sent, Task: history.RefOf(s.ref), Outcome: history.Landed, Item: s.item()})
	s.want(s.check(check.Options{}))
}

// TestSweepBeforeTheTaskProvesNothing: a task that is made with a deadline in
// the past, by a clock that is slow, was in no sweep before.
func TestSweepBeforeTheTaskProvesNothing(t *testing.T) {
	t.Parallel()
	s := newScript(t)
	s.sweep()
	s.accept("r-1", func(t *worktask.Task) { t.Deadline = s.now.Add(-time.Hour) })
	s.write("dispatcher", worktask.End{Reason: worktask.DeadlineOver, By: worktask.EndedByDispatcher, Now: s.now})
	s.want(s.check(check.Options{}))
}

// TestTwoRequestsBehindThePurgeTime: the key is free again, and of two requests
// that come at the same time one makes something and the other one, with other
// inputs, is refused.
func TestTwoRequestsBehindThePurgeTime(t *testing.T) {
	t.Parallel()
	s := newScript(t)
	completed(s)
	s.wait(366 * 24 * time.Hour)
	other := submit("r-1", "g")
	sent := s.event("alice", history.Event{Kind: history.RequestSent, Request: &other})
	s.ref.ID = "T2"
	s.accept("r-1")
	s.event("alice", history.Event{Kind: history.RequestAnswered, Op: sent, Answer: &history.Answer{Status: http.StatusUnprocessableEntity}})
	cancelled(s)
	s.want(s.check(check.Options{}))
}
