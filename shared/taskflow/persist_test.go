package taskflow_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/replyonce/replyonce/shared/storeerror"
	"github.com/replyonce/replyonce/shared/taskflow"
	"github.com/replyonce/replyonce/shared/worktask"
)

func times(n int, f fault) []fault {
	faults := make([]fault, n)
	for i := range faults {
		faults[i] = f
	}
	return faults
}

// TestPaidAnswerOutlastsThrottling: a store that throttles for seconds costs
// neither a second call nor an unknown end while the lease lasts.
func TestPaidAnswerOutlastsThrottling(t *testing.T) {
	t.Parallel()
	for _, policy := range []worktask.UnknownPolicy{worktask.RetryUnknown, worktask.StopUnknown} {
		virtually(t, policy, func(r *rig) {
			r.tasks.on("complete", times(20, fault{drop: storeerror.ErrUnavailable})...)
			r.provider.then(answer("because", time.Second))
			r.wantAction(r.run(), taskflow.Delete)
			r.wantTask(worktask.Completed, "", 1, 1)
		})
	}
}

// TestStoreDownForTheLease: the worker gives up when its lease is over, and the
// task goes on with another.
func TestStoreDownForTheLease(t *testing.T) {
	t.Parallel()
	virtually(t, worktask.RetryUnknown, func(r *rig) {
		r.tasks.on("complete", times(10000, fault{drop: storeerror.ErrUnavailable})...)
		r.provider.then(answer("because", time.Second))
		start := time.Now()
		r.wantAction(r.run(), taskflow.Back)
		if took := time.Since(start); took < r.timers.Lease-time.Second || took > r.timers.Lease+r.timers.WorkerReserve {
			t.Errorf("gave up after %s", took)
		}
		r.wantTask(worktask.Running, "", 1, 1)
	})
}

// TestFrozenInsideASaveNotReplaced: the try after the thaw carries the time as
// it is then, so the lease's end refuses it.
func TestFrozenInsideASaveNotReplaced(t *testing.T) {
	t.Parallel()
	virtually(t, worktask.RetryUnknown, func(r *rig) {
		r.tasks.on("complete", fault{before: func() { time.Sleep(time.Minute) }, drop: storeerror.ErrWriteUnknown})
		r.provider.then(answer("late", time.Second))
		r.wantAction(r.run(), taskflow.Back)
		r.wantTask(worktask.Running, "", 1, 1)
	})
}

// blind cannot read the task back after a release, for as long as the task has
// to live.
type blind struct {
	taskflow.Tasks
	r    *rig
	once sync.Once
}

func (b *blind) Get(ctx context.Context, ref worktask.Ref) (t worktask.Task, err error) {
	if strings.HasSuffix(b.r.tasks.writes(), "release") {
		b.once.Do(func() {
			time.Sleep(b.r.timers.TaskDeadline)
			err = storeerror.ErrUnavailable
		})
	}
	if err != nil {
		return worktask.Task{}, err
	}
	return b.Tasks.Get(ctx, ref)
}

// TestFinalWriteIsReadBeforeAnother: after a release whose end is not known the
// worker reads. By then it would write a failure, for the deadline is over; what
// has landed decides, and nothing is written in its place.
func TestFinalWriteIsReadBeforeAnother(t *testing.T) {
	t.Parallel()
	virtually(t, worktask.RetryUnknown, func(r *rig) {
		r.tasks.on("release", fault{lose: storeerror.ErrWriteUnknown})
		r.provider.then(ends(worktask.Outcome{Kind: worktask.Rejected}))
		w := r.worker(nil)
		w.Writer.Tasks = &blind{Tasks: r.tasks, r: r}
		r.wantAction(r.runOn(w), taskflow.Wait)
		r.wantTask(worktask.Pending, "", 1, 1)
		if want := "claim release"; r.tasks.writes() != want {
			t.Errorf("writes %q, want %q", r.tasks.writes(), want)
		}
	})
}

// objects refuses puts a number of times.
type objects struct {
	taskflow.Objects
	mu      sync.Mutex
	refuses int
}

func (o *objects) PutObject(ctx context.Context, key string, body []byte) error {
	o.mu.Lock()
	refuse := o.refuses > 0
	o.refuses--
	o.mu.Unlock()
	if refuse {
		return errors.New("object storage is down")
	}
	return o.Objects.PutObject(ctx, key, body)
}

// TestLargeAnswerOutlastsObjectStorage: a put that fails is repeated; when the
// lease ends first, evidence of the answer is kept.
func TestLargeAnswerOutlastsObjectStorage(t *testing.T) {
	t.Parallel()
	large := strings.Repeat("x", taskflow.InlineResultLimit+1)
	virtually(t, worktask.RetryUnknown, func(r *rig) {
		w := r.worker(nil)
		w.Objects = &objects{Objects: r.mem, refuses: 5}
		r.provider.then(answer(large, 0))
		r.wantAction(r.runOn(w), taskflow.Delete)
		r.wantTask(worktask.Completed, "", 1, 1)
	})
	virtually(t, worktask.RetryUnknown, func(r *rig) {
		w := r.worker(nil)
		w.Objects = &objects{Objects: r.mem, refuses: 1 << 20}
		r.provider.then(answer(large, 0))
		r.wantAction(r.runOn(w), taskflow.Back)
		if kept, err := r.mem.ListEvidence(context.Background(), r.ref); err != nil || len(kept) != 1 || kept[0].Bytes != int64(len(large)) {
			t.Errorf("evidence %+v, %v", kept, err)
		}
	})
}

// TestStopRepeatsWhatWasNeverBegun: two workers die before they begin a call.
// Nothing was sent, so the policy "stop" has nothing to stop.
func TestStopRepeatsWhatWasNeverBegun(t *testing.T) {
	t.Parallel()
	virtually(t, worktask.StopUnknown, func(r *rig) {
		for range 2 {
			r.claimAndDie()
			time.Sleep(r.timers.Lease + r.timers.SkewMargin)
		}
		r.provider.then(answer("because", time.Second))
		r.wantAction(r.run(), taskflow.Delete)
		r.wantTask(worktask.Completed, "", 3, 1)
	})
}

// TestLongOperationDoesNotWearItsMessageOut: an operation that runs until just
// before the deadline is looked up fewer times than the queue delivers.
func TestLongOperationDoesNotWearItsMessageOut(t *testing.T) {
	t.Parallel()
	virtually(t, worktask.RetryUnknown, func(r *rig) {
		r.provider.then(func(ctx context.Context, save func(context.Context, string) error) worktask.Outcome {
			if err := save(ctx, "op"); err != nil {
				t.Error(err)
			}
			return worktask.Outcome{Kind: worktask.Ambiguous}
		})
		ready := time.Now().Add(r.timers.TaskDeadline * 2 / 3)
		r.provider.lookUp = func(context.Context, string) worktask.Outcome {
			if time.Now().Before(ready) {
				return worktask.Outcome{Kind: worktask.OperationRuns}
			}
			return worktask.Outcome{Kind: worktask.Answered, Result: worktask.Result{Body: "at last"}}
		}
		deliveries := 0
		for !r.task().Status.Ended() {
			deliveries++
			time.Sleep(r.run().After)
		}
		if deliveries >= r.timers.MaxReceiveCount {
			t.Errorf("%d deliveries", deliveries)
		}
		if got := r.task(); got.Status != worktask.Completed || got.Budget.Calls() != 1 {
			t.Errorf("task %s with %d calls", got.Status, got.Budget.Calls())
		}
	})
}

// TestNoCallRightBeforeTheDeadline: it would be cut off and leave an unknown
// end behind.
func TestNoCallRightBeforeTheDeadline(t *testing.T) {
	t.Parallel()
	virtually(t, worktask.RetryUnknown, func(r *rig) {
		time.Sleep(r.timers.TaskDeadline - time.Second)
		r.provider.then(answer("never", time.Second))
		r.wantAction(r.run(), taskflow.Delete)
		if got := r.wantTask(worktask.Failed, worktask.DeadlineOver, 1, 0); got.UnknownCalls() != 0 {
			t.Errorf("%d unknown calls", got.UnknownCalls())
		}
	})
}
