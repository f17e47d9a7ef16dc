package taskflow_test

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"testing"
	"time"

	"github.com/replyonce/replyonce/shared/storeerror"
	"github.com/replyonce/replyonce/shared/taskflow"
	"github.com/replyonce/replyonce/shared/worktask"
)

// TestCaseH1CommittedButNeverSent: the handoff of a task whose API died before
// publishing is published within grace and dispatch period; the extra message
// after a crash between publishing and marking is harmless.
func TestCaseH1CommittedButNeverSent(t *testing.T) {
	t.Parallel()
	virtually(t, worktask.RetryUnknown, func(r *rig) {
		d := r.dispatcher()
		if s := d.Dispatch(context.Background()); s.Seen != 0 || !s.Complete {
			t.Errorf("before the grace: %+v", s)
		}
		time.Sleep(r.timers.HandoffGrace)
		if s := d.Dispatch(context.Background()); s.Published != 1 || s.OldestDue != 0 {
			t.Errorf("at the end of the grace: %+v", s)
		}
		if s := d.Dispatch(context.Background()); s.Published != 0 {
			t.Errorf("a second sweep published again: %+v", s)
		}
		time.Sleep(r.timers.HandoffGrace) // the message was lost
		if s := d.Dispatch(context.Background()); s.Published != 1 {
			t.Errorf("a lost message is not published again: %+v", s)
		}
		r.provider.then(answer("because", time.Second))
		for range r.queue.count() {
			r.wantAction(r.run(), taskflow.Delete)
		}
		r.wantTask(worktask.Completed, "", 1, 1)
		time.Sleep(time.Hour)
		if s := d.Dispatch(context.Background()); s.Seen != 0 {
			t.Errorf("an ended task is in the index: %+v", s)
		}
	})
}

// TestTwoDispatchersPublishOnce: both see the due time, one moves it.
func TestTwoDispatchersPublishOnce(t *testing.T) {
	t.Parallel()
	virtually(t, worktask.RetryUnknown, func(r *rig) {
		time.Sleep(r.timers.HandoffGrace)
		other := r.dispatcher()
		other.Jitter = func() float64 { return 0.5 }
		r.tasks.on("bump", fault{before: func() { other.Dispatch(context.Background()) }})
		r.dispatcher().Dispatch(context.Background())
		if n := r.queue.count(); n != 1 {
			t.Errorf("published %d times", n)
		}
	})
}

// TestBumpLosesItsAcknowledgement: the moved due time is recognised as one's
// own, or the handoff would wait for another grace.
func TestBumpLosesItsAcknowledgement(t *testing.T) {
	t.Parallel()
	virtually(t, worktask.RetryUnknown, func(r *rig) {
		time.Sleep(r.timers.HandoffGrace)
		r.tasks.on("bump", fault{lose: storeerror.ErrWriteUnknown})
		r.dispatcher().Dispatch(context.Background())
		if n := r.queue.count(); n != 1 {
			t.Errorf("published %d times", n)
		}
	})
}

// TestD20WorkersDownForTheWholeDeadline: the dispatcher ends the task.
func TestD20WorkersDownForTheWholeDeadline(t *testing.T) {
	t.Parallel()
	virtually(t, worktask.RetryUnknown, func(r *rig) {
		d := r.dispatcher()
		start := time.Now()
		for !r.task().Status.Ended() {
			d.Dispatch(context.Background())
			time.Sleep(r.timers.DispatchEvery)
		}
		r.wantTask(worktask.Failed, worktask.DeadlineOver, 0, 0)
		if took := r.task().EndedAt.Sub(start); took > r.timers.TaskDeadline+r.timers.RecoveryInterval() {
			t.Errorf("ended after %s, promised %s", took, r.timers.TaskDeadline+r.timers.RecoveryInterval())
		}
	})
}

// TestLastPublicationIsDueAtTheDeadline: a task whose last message is lost ends
// with the first sweep after its deadline, not one grace later.
func TestLastPublicationIsDueAtTheDeadline(t *testing.T) {
	t.Parallel()
	virtually(t, worktask.RetryUnknown, func(r *rig) {
		time.Sleep(r.timers.TaskDeadline - time.Second)
		d := r.dispatcher()
		if s := d.Dispatch(context.Background()); s.Published != 1 {
			t.Errorf("before the deadline: %+v", s)
		}
		time.Sleep(time.Second)
		if s := d.Dispatch(context.Background()); s.Ended != 1 {
			t.Errorf("at the deadline: %+v", s)
		}
	})
}

// TestDispatcherLeavesHeldTasksAlone: it neither publishes nor ends a task
// whose lease holds, even past its deadline, and looks again after the margin.
func TestDispatcherLeavesHeldTasksAlone(t *testing.T) {
	t.Parallel()
	virtually(t, worktask.RetryUnknown, func(r *rig) {
		time.Sleep(r.timers.TaskDeadline - time.Second)
		r.claimAndDie()
		time.Sleep(2 * time.Second)
		d := r.dispatcher()
		if s := d.Dispatch(context.Background()); s.Deferred != 1 || s.Published+s.Ended != 0 {
			t.Errorf("lease holds: %+v", s)
		}
		if got, want := r.task().HandoffDueAt, r.task().LeaseExpiresAt.Add(r.timers.SkewMargin); !got.Equal(want) {
			t.Errorf("due %s, want at the end of lease and margin %s", got, want)
		}
		time.Sleep(r.timers.Lease + r.timers.SkewMargin)
		if s := d.Dispatch(context.Background()); s.Ended != 1 {
			t.Errorf("lease over: %+v", s)
		}
		r.wantTask(worktask.Failed, worktask.DeadlineOver, 1, 0)
	})
}

func TestDispatcherDefersWhatIsTooEarly(t *testing.T) {
	t.Parallel()
	virtually(t, worktask.RetryUnknown, func(r *rig) {
		r.provider.then(ends(worktask.Outcome{Kind: worktask.Rejected, RetryAfter: 5 * time.Minute}))
		r.wantAction(r.run(), taskflow.Wait)
		before := r.task()
		if _, err := r.mem.Apply(context.Background(), r.ref, worktask.Bump{Seen: before.HandoffDueAt, Due: time.Now()}); err != nil {
			t.Fatal(err)
		}
		if s := r.dispatcher().Dispatch(context.Background()); s.Deferred != 1 || s.Published != 0 {
			t.Errorf("%+v", s)
		}
		if got, want := r.task().HandoffDueAt, before.NextAttemptAt.Add(r.timers.HandoffGrace); !got.Equal(want) {
			t.Errorf("due %s, want %s", got, want)
		}
	})
}

func TestQueueDownKeepsTheHandoffDue(t *testing.T) {
	t.Parallel()
	virtually(t, worktask.RetryUnknown, func(r *rig) {
		time.Sleep(r.timers.HandoffGrace)
		r.queue.err = errors.New("queue is down")
		d := r.dispatcher()
		if s := d.Dispatch(context.Background()); s.Failed != 1 {
			t.Errorf("%+v", s)
		}
		r.queue.err = nil
		time.Sleep(r.timers.HandoffGrace)
		if s := d.Dispatch(context.Background()); s.Published != 1 {
			t.Errorf("%+v", s)
		}
	})
}

// pages is an index of which only some pages have entries.
type pages struct {
	entries []taskflow.DueHandoff // by position; a zero one is filtered out
	size    int
	read    func(cursor string) // of shard 0
}

func (p pages) DueHandoffs(_ context.Context, shard int, _ time.Time, _ int, cursor string) (taskflow.DuePage, error) {
	if shard != 0 {
		return taskflow.DuePage{}, nil
	}
	if p.read != nil {
		p.read(cursor)
	}
	from := 0
	if cursor != "" {
		var err error
		if from, err = strconv.Atoi(cursor); err != nil {
			return taskflow.DuePage{}, fmt.Errorf("cursor: %w", err)
		}
	}
	var page taskflow.DuePage
	to := min(from+p.size, len(p.entries))
	for _, e := range p.entries[from:to] {
		if e.Ref.ID != "" {
			page.Due = append(page.Due, e)
		}
	}
	if to < len(p.entries) {
		page.Cursor = strconv.Itoa(to)
	}
	return page, nil
}

// TestCaseH5SweepGoesOnPastEmptyPages: 500 entries in pages of 100, the first
// 400 filtered out, the due task at 480; and a sweep that runs out of time goes
// on where it stopped.
func TestCaseH5SweepGoesOnPastEmptyPages(t *testing.T) {
	t.Parallel()
	virtually(t, worktask.RetryUnknown, func(r *rig) {
		time.Sleep(r.timers.HandoffGrace)
		index := pages{entries: make([]taskflow.DueHandoff, 500), size: 100}
		index.entries[480] = taskflow.DueHandoff{Ref: r.ref, DueAt: time.Now()}
		d := r.dispatcher()
		d.Handoffs = index
		if s := d.Dispatch(context.Background()); s.Published != 1 || !s.Complete {
			t.Errorf("%+v", s)
		}
	})
	virtually(t, worktask.RetryUnknown, func(r *rig) {
		time.Sleep(r.timers.HandoffGrace)
		gone := taskflow.DueHandoff{Ref: worktask.Ref{Workspace: "acme", Scope: "C#x", ID: "gone"}, DueAt: time.Now()}
		index := pages{size: 1, entries: []taskflow.DueHandoff{gone, gone, {Ref: r.ref, DueAt: time.Now()}}}
		ctx, cancel := context.WithCancel(context.Background())
		index.read = func(cursor string) {
			if cursor != "" {
				cancel() // the time is over on the second page
			}
		}
		d := r.dispatcher()
		d.Handoffs = index
		if s := d.Dispatch(ctx); s.Complete || s.Published != 0 {
			t.Errorf("cut short: %+v", s)
		}
		index.read = nil
		index.entries[0] = taskflow.DueHandoff{} // would be noticed by its absence only
		d.Handoffs = index
		if s := d.Dispatch(context.Background()); !s.Complete || s.Published != 1 || s.Seen != 2 {
			t.Errorf("resumed: %+v, want two entries from where it stopped", s)
		}
	})
}

// TestStaleIndexEntry: the index lags; the task decides.
func TestStaleIndexEntry(t *testing.T) {
	t.Parallel()
	virtually(t, worktask.RetryUnknown, func(r *rig) {
		r.provider.then(answer("because", time.Second))
		r.wantAction(r.run(), taskflow.Delete)
		d := r.dispatcher()
		d.Handoffs = pages{size: 10, entries: []taskflow.DueHandoff{{Ref: r.ref, DueAt: time.Now()}}}
		if s := d.Dispatch(context.Background()); s.Published+s.Ended+s.Deferred != 0 {
			t.Errorf("a stale entry of a completed task was acted on: %+v", s)
		}
		if writes := r.tasks.writes(); writes != "claim complete" {
			t.Errorf("writes %q", writes)
		}
	})
}
