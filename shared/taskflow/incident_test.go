package taskflow_test

import (
	"context"
	"runtime"
	"testing"
	"time"

	"github.com/replyonce/replyonce/shared/storeerror"
	"github.com/replyonce/replyonce/shared/taskflow"
	"github.com/replyonce/replyonce/shared/worktask"
)

func (r *rig) attempts() []worktask.AttemptRecord {
	r.t.Helper()
	list, err := r.mem.ListAttempts(context.Background(), r.ref)
	if err != nil {
		r.t.Fatal(err)
	}
	return list
}

// dies is a worker that is killed inside its call: it writes nothing any more,
// and its goroutines end with it.
func (r *rig) dies(call func(save func(context.Context, string) error)) {
	r.t.Helper()
	r.provider.then(func(_ context.Context, save func(context.Context, string) error) worktask.Outcome {
		call(save)
		runtime.Goexit()
		return worktask.Outcome{}
	})
	died := make(chan struct{})
	go func() {
		defer close(died)
		r.run()
	}()
	<-died
}

func TestUnseenEndIsKept(t *testing.T) {
	t.Parallel()
	virtually(t, worktask.RetryUnknown, func(r *rig) {
		started := time.Now()
		r.provider.then(func(context.Context, func(context.Context, string) error) worktask.Outcome {
			time.Sleep(3 * time.Second)
			return worktask.Outcome{
				Kind: worktask.Ambiguous, Provider: "scripted", Cause: "the connection was lost", Report: worktask.Report{ProviderRequestID: "p-1"},
			}
		}, answer("because", time.Second))
		action := r.run()
		time.Sleep(action.After)
		r.run()
		r.wantTask(worktask.Completed, "", 2, 2)
		got := r.attempts()
		want := worktask.AttemptRecord{
			Ref: r.ref, AssignmentVersion: 1, AssignmentID: "claim-1", Outcome: worktask.AttemptUnknown, Provider: "scripted", ProviderRequestID: "p-1",
			BegunAt: started.UTC(), EndedAt: started.Add(3 * time.Second).UTC(), Cause: "the connection was lost",
		}
		if len(got) != 1 || got[0] != want {
			t.Errorf("kept %+v, want %+v", got, want)
		}
	})
}

// What the worker itself has ended names its own reason, not what the cut
// connection looked like.
func TestUnseenEndNamesWhatEndedTheCall(t *testing.T) {
	t.Parallel()
	virtually(t, worktask.StopUnknown, func(r *rig) {
		r.timers.CallLimit = 20 * time.Second
		r.provider.then(answer("too late", time.Hour))
		r.run()
		r.wantTask(worktask.Failed, worktask.OutcomeUnknown, 1, 1)
		if got := r.attempts(); len(got) != 1 || got[0].Cause != "the call has reached its time limit" {
			t.Errorf("kept %+v", got)
		}
	})
	virtually(t, worktask.RetryUnknown, func(r *rig) {
		r.provider.then(answer("too late", time.Hour))
		go func() {
			time.Sleep(3 * time.Second)
			if _, err := r.tasks.Apply(context.Background(), r.ref, worktask.Cancel{Now: time.Now()}); err != nil {
				t.Error(err)
			}
		}()
		r.run()
		r.wantTask(worktask.Cancelled, "", 2, 1)
		if got := r.attempts(); len(got) != 1 || got[0].Cause != worktask.ErrCancelled.Error() {
			t.Errorf("kept %+v", got)
		}
	})
}

// The crash that nobody can see into: the provider has the request, and the
// worker dies before the id of the operation is saved. The call counts as
// unknown, and the successor says that a worker was lost.
func TestCrashBetweenCallAndSavedOperationIsUnknown(t *testing.T) {
	t.Parallel()
	virtually(t, worktask.RetryUnknown, func(r *rig) {
		r.dies(func(func(context.Context, string) error) {})
		r.provider.then(answer("because", time.Second))
		time.Sleep(r.timers.Lease + r.timers.SkewMargin)
		took := time.Now()
		r.wantAction(r.run(), taskflow.Delete)
		got := r.wantTask(worktask.Completed, "", 2, 2)
		if got.UnknownCalls() != 1 || got.Budget.CallsKnown != 1 {
			t.Errorf("unknown %d, known %d; want one of each", got.UnknownCalls(), got.Budget.CallsKnown)
		}
		want := worktask.AttemptRecord{Ref: r.ref, AssignmentVersion: 1, Outcome: worktask.AttemptWorkerLost, EndedAt: took.UTC()}
		if list := r.attempts(); len(list) != 1 || list[0] != want {
			t.Errorf("kept %+v, want %+v", list, want)
		}
	})
}

// One write later the id is saved: nothing is unknown, and nothing is called.
func TestCrashAfterSavedOperationIsLookedUp(t *testing.T) {
	t.Parallel()
	virtually(t, worktask.RetryUnknown, func(r *rig) {
		r.dies(func(save func(context.Context, string) error) {
			if err := save(context.Background(), "op-1"); err != nil {
				t.Error(err)
			}
		})
		r.provider.lookUp = func(context.Context, string) worktask.Outcome {
			return worktask.Outcome{Kind: worktask.Answered, Result: worktask.Result{Body: "because"}}
		}
		time.Sleep(r.timers.Lease + r.timers.SkewMargin)
		r.wantAction(r.run(), taskflow.Delete)
		got := r.wantTask(worktask.Completed, "", 2, 1)
		if got.UnknownCalls() != 0 {
			t.Errorf("%d calls are unknown", got.UnknownCalls())
		}
		if list := r.attempts(); len(list) != 1 || list[0].Outcome != worktask.AttemptWorkerLost || list[0].OperationID != "op-1" {
			t.Errorf("kept %+v", list)
		}
	})
}

// A release is no loss, and an attempt that was seen to its end has no record.
func TestNoRecordWithoutAnIncident(t *testing.T) {
	t.Parallel()
	virtually(t, worktask.RetryUnknown, func(r *rig) {
		r.provider.then(ends(worktask.Outcome{Kind: worktask.Rejected}), answer("because", time.Second))
		action := r.run()
		time.Sleep(action.After)
		r.run()
		r.wantTask(worktask.Completed, "", 2, 2)
		if list := r.attempts(); len(list) != 0 {
			t.Errorf("kept %+v", list)
		}
	})
}

// mute is a store that keeps no records.
type mute struct{ taskflow.EvidenceStore }

func (mute) PutAttempt(context.Context, worktask.AttemptRecord) error {
	return storeerror.ErrUnavailable
}

// A record that cannot be kept changes nothing: it is told, and not decided by.
func TestUnkeptRecordChangesNothing(t *testing.T) {
	t.Parallel()
	virtually(t, worktask.RetryUnknown, func(r *rig) {
		r.provider.then(ends(worktask.Outcome{Kind: worktask.Ambiguous}), answer("because", time.Second))
		w := r.worker(nil)
		w.Evidence = mute{r.mem}
		action := r.runOn(w)
		time.Sleep(action.After)
		r.wantAction(r.runOn(w), taskflow.Delete)
		r.wantTask(worktask.Completed, "", 2, 2)
	})
}
