package operator_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/replyonce/replyonce/infra/operator"
	"github.com/replyonce/replyonce/shared/storeerror"
	"github.com/replyonce/replyonce/shared/taskflow"
	"github.com/replyonce/replyonce/shared/worktask"
)

func (r *rig) raiser(tasks taskflow.Tasks) operator.Raiser {
	return operator.Raiser{Handoffs: r.store, Now: r.clock.now, Writer: taskflow.Writer{
		Tasks: tasks, Now: r.clock.now, Pause: func(context.Context, int) error { return nil },
	}}
}

func (r *rig) raise(tasks taskflow.Tasks, dryRun bool) operator.Raised {
	r.t.Helper()
	raised, err := r.raiser(tasks).Raise(r.t.Context(), 1_000_000, dryRun)
	if err != nil {
		r.t.Fatal(err)
	}
	return raised
}

// Every open task is raised, whatever it waits for, and no ended one is touched. A
// worker that holds a version from before is refused afterwards.
func TestRaise(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	done, _ := r.ended(answered())
	before := r.task(done)
	waiting, _ := r.submit()
	running, _ := r.submit()
	r.script.then(func(context.Context) worktask.Outcome { panic("the worker dies") })
	r.dies(running)
	held := r.task(running)
	old, ok := worktask.AssignmentOf(held, held.AssignmentID)
	if !ok {
		t.Fatal("nobody holds the task")
	}

	dry := r.raise(r.store, true)
	if !dry.DryRun || dry.Raised != 2 || dry.Highest != 1 || r.task(waiting).AssignmentVersion != 0 || r.task(running).AssignmentVersion != 1 {
		t.Errorf("dry run: %+v", dry)
	}
	run := r.raise(r.store, false)
	if run.Raised != 2 || len(run.Failed) != 0 || r.task(waiting).AssignmentVersion != 1_000_000 || r.task(running).AssignmentVersion != 1_000_001 {
		t.Errorf("%+v, now %d and %d", run, r.task(waiting).AssignmentVersion, r.task(running).AssignmentVersion)
	}
	if r.task(done) != before {
		t.Error("an ended task was changed")
	}
	late := old.Complete(r.clock.now(), worktask.Result{Body: "{}"}, worktask.Report{})
	if _, err := r.store.Apply(t.Context(), running, late); err == nil {
		t.Error("a worker from before the restore completed")
	}
	r.clock.advance(time.Minute) // its lease is over: taken over like any other
	r.script.then(ends(answered()))
	for _, ref := range []worktask.Ref{waiting, running} {
		r.deliver(ref)
		if got := r.task(ref); got.Status != worktask.Completed {
			t.Errorf("after the raise the task is %s", got.Status)
		}
	}
	var out strings.Builder
	if err := run.Print(&out); err != nil || !strings.Contains(out.String(), "2 open tasks raised by 1000000") {
		t.Errorf("%v\n%s", err, &out)
	}
}

// lossy applies writes, whose acknowledgements are then lost.
type lossy struct {
	taskflow.Tasks
	lose int
	down bool
}

func (l *lossy) Apply(ctx context.Context, ref worktask.Ref, tr worktask.Transition) (worktask.Task, error) {
	if l.down {
		return worktask.Task{}, storeerror.ErrUnavailable
	}
	t, err := l.Tasks.Apply(ctx, ref, tr)
	if l.lose > 0 && err == nil {
		l.lose--
		return worktask.Task{}, storeerror.ErrWriteUnknown
	}
	return t, err
}

// A lost acknowledgement is resolved by reading: the version is raised once.
func TestRaiseAfterALostAcknowledgement(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	ref, _ := r.submit()
	run := r.raise(&lossy{Tasks: r.store, lose: 1}, false)
	if run.Raised != 1 || r.task(ref).AssignmentVersion != 1_000_000 {
		t.Errorf("%+v, version %d", run, r.task(ref).AssignmentVersion)
	}
	down := r.raise(&lossy{Tasks: r.store, down: true}, false)
	var out strings.Builder
	if err := down.Print(&out); err != nil || down.Raised != 0 || len(down.Failed) != 1 || !strings.Contains(out.String(), "run the command again") {
		t.Errorf("%+v %v\n%s", down, err, &out)
	}
}

func TestRaiseIsBounded(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	for _, by := range []int64{-1, 0, 99_999, 1_000_000_001} {
		if _, err := r.raiser(r.store).Raise(t.Context(), by, false); err == nil {
			t.Errorf("raised by %d", by)
		} else if _, isInput := errors.AsType[*operator.InputError](err); !isInput {
			t.Errorf("by %d: %v", by, err)
		}
	}
}
