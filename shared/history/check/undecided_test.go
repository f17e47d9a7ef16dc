package check_test

import (
	"testing"
	"time"

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
