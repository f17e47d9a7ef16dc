package taskflow_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/replyonce/replyonce/shared/taskflow"
	"github.com/replyonce/replyonce/shared/worktask"
)

// door is what a task waits for.
type door struct {
	open  bool
	err   error
	asked int
}

func (d *door) Ready(_ context.Context, t worktask.Task) (bool, error) {
	if t.WaitsFor != "door" {
		return false, errors.New("asked about something else")
	}
	d.asked++
	return d.open, d.err
}

// deliver runs the message of a waiting task for the nth time.
func (r *rig) deliver(waits taskflow.Waits, n int) taskflow.Action {
	w := r.worker(nil)
	w.Waits = waits
	return w.Run(context.Background(), taskflow.Delivery{
		Ref: r.ref, ReceiveCount: n, FunctionEnds: w.Now().Add(r.timers.WorkerLimit), Hold: func(context.Context) {},
	})
}

// A wait is no attempt: however often a waiting task is delivered, all of its budget
// is there when it can begin.
func TestWaitTakesNothingFromTheCounts(t *testing.T) {
	t.Parallel()
	awaiting(t, "door", func(r *rig) {
		r.provider.then(answer("x", 0))
		d := &door{}
		before := r.task()
		for n, want := range []time.Duration{2 * time.Second, 4 * time.Second, 8 * time.Second, 16 * time.Second, 30 * time.Second, 30 * time.Second} {
			if a := r.deliver(d, n+1); a.Kind != taskflow.Wait || a.After != want {
				t.Errorf("delivery %d: %s %s, want a wait of %s", n+1, a.Kind, a.After, want)
			}
			time.Sleep(want)
		}
		if got := r.task(); got != before {
			t.Errorf("the task is %+v after its waits, was %+v", got, before)
		}
		if a := r.deliver(d, 8); a.Kind != taskflow.Delete {
			t.Errorf("a message that has waited often: %s", a.Kind)
		}
		d.open = true
		a := r.deliver(d, 7)
		done := r.task()
		if a.Kind != taskflow.Delete || done.Status != worktask.Completed || done.WaitsFor != "" {
			t.Errorf("%s, task %+v", a.Kind, done)
		}
		if b := done.Budget; b.Attempts() != 1 || b.Calls() != 1 {
			t.Errorf("%d attempts and %d calls", b.Attempts(), b.Calls())
		}
	})
}

func TestWaitForWhatNeverComesEndsTheTask(t *testing.T) {
	t.Parallel()
	awaiting(t, "door", func(r *rig) {
		a := r.deliver(&door{err: &taskflow.PermanentError{Reason: worktask.DocumentUnreadable, Err: errors.New("walled up")}}, 1)
		got := r.task()
		if a.Kind != taskflow.Delete || got.Status != worktask.Failed || got.FailureReason != worktask.DocumentUnreadable || got.Budget.Attempts() != 0 {
			t.Errorf("%s, task %+v", a.Kind, got)
		}
	})
}

// The door opens for another worker between the question and the end.
//
//	A: asks, is told never.    B: claims.
//	A: ends the task: refused, it waits no more.
func TestWaitIsEndedOnlyWhileTheTaskWaits(t *testing.T) {
	t.Parallel()
	awaiting(t, "door", func(r *rig) {
		r.provider.then(answer("x", 0))
		overtaken := waitsFunc(func() (bool, error) {
			r.deliver(&door{open: true}, 1)
			return false, &taskflow.PermanentError{Reason: worktask.DocumentUnreadable, Err: errors.New("walled up")}
		})
		r.deliver(overtaken, 1)
		if got := r.task(); got.Status != worktask.Completed {
			t.Errorf("task %+v", got)
		}
	})
}

type waitsFunc func() (bool, error)

func (f waitsFunc) Ready(context.Context, worktask.Task) (bool, error) { return f() }

func TestWaitEndsAtTheDeadline(t *testing.T) {
	t.Parallel()
	awaiting(t, "door", func(r *rig) {
		time.Sleep(r.timers.TaskDeadline - time.Second)
		if a := r.deliver(&door{}, 7); a.Kind != taskflow.Wait || a.After != time.Second {
			t.Errorf("a second before the deadline: %s %s", a.Kind, a.After)
		}
		time.Sleep(time.Second)
		d := &door{}
		if a := r.deliver(d, 8); a.Kind != taskflow.Delete || d.asked != 0 {
			t.Errorf("at the deadline: %s, asked %d times", a.Kind, d.asked)
		}
		if got := r.task(); got.Status != worktask.Failed || got.FailureReason != worktask.DeadlineOver {
			t.Errorf("task %+v", got)
		}
	})
}

func TestWaitThatCannotBeAskedAboutComesBack(t *testing.T) {
	t.Parallel()
	awaiting(t, "door", func(r *rig) {
		for name, waits := range map[string]taskflow.Waits{"a fault": &door{err: errors.New("the store is down")}, "a worker that knows no waits": nil} {
			if a := r.deliver(waits, 1); a.Kind != taskflow.Back {
				t.Errorf("%s: %s", name, a.Kind)
			}
		}
	})
}
