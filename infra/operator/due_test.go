package operator_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/replyonce/replyonce/infra/operator"
	"github.com/replyonce/replyonce/shared/dynamoschema"
	"github.com/replyonce/replyonce/shared/storeerror"
	"github.com/replyonce/replyonce/shared/taskflow"
	"github.com/replyonce/replyonce/shared/worktask"
)

func (r *rig) list(within time.Duration, limit int) operator.List {
	r.t.Helper()
	list, err := operator.Lister{Handoffs: r.store, Tasks: r.store, Judge: r.judge(), Now: r.clock.now, Limit: limit}.List(r.t.Context(), within)
	if err != nil {
		r.t.Fatal(err)
	}
	return list
}

func TestDueListsWhatIsDueAndWhatIsStuck(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	first, _ := r.submit()
	if list := r.list(0, 100); len(list.Tasks) != 0 || !list.Complete || list.Stuck != 0 {
		t.Errorf("nothing is due yet: %+v", list)
	}
	if list := r.list(time.Minute, 100); len(list.Tasks) != 1 || list.Tasks[0].Assessment.State != operator.Waiting || list.OldestDueSeconds != 0 {
		t.Errorf("due within a minute: %+v", list)
	}
	r.clock.advance(40 * time.Second)
	second, _ := r.submit() // of which a worker is dead
	r.script.then(func(context.Context) worktask.Outcome { panic("the worker dies") })
	r.dies(second)
	r.clock.advance(3*time.Minute + 15*time.Second)
	list := r.list(0, 100)
	if len(list.Tasks) != 2 || list.Tasks[0].TaskID != first.ID || list.Tasks[1].TaskID != second.ID {
		t.Fatalf("longest due first: %+v", list.Tasks)
	}
	if a := list.Tasks[0]; a.Assessment.State != operator.Due || !a.Assessment.Stuck || a.Shard != dynamoschema.ShardOf(first.ID) || a.AttemptsLeft != 4 {
		t.Errorf("%+v", a)
	}
	if b := list.Tasks[1]; b.Assessment.State != operator.WorkerLost || b.Assessment.Stuck || b.LeaseExpiresAt.IsZero() || b.AssignmentVersion != 1 {
		t.Errorf("%+v", b)
	}
	if list.Stuck != 1 || list.OldestDueSeconds < 205 || list.OldestDueSeconds > 206 {
		t.Errorf("%d stuck, oldest %f s", list.Stuck, list.OldestDueSeconds)
	}
	var out strings.Builder
	if err := list.Print(&out); err != nil || !strings.Contains(out.String(), "STUCK") || strings.Contains(out.String(), "MARKER") {
		t.Errorf("%v\n%s", err, &out)
	}
}

// dies delivers to a worker that does not survive its call.
func (r *rig) dies(ref worktask.Ref) {
	r.t.Helper()
	defer func() {
		if recover() == nil {
			r.t.Error("the worker survived")
		}
	}()
	r.deliver(ref)
}

// What the dispatcher has done is done: an ended task is not listed.
func TestDueIsEmptyAfterTheDispatcher(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.submit()
	r.clock.advance(r.product.Timers.TaskDeadline)
	if list := r.list(0, 100); len(list.Tasks) != 1 || list.Tasks[0].Assessment.State != operator.Over {
		t.Errorf("past the deadline: %+v", list)
	}
	r.product.Dispatcher.Dispatch(t.Context())
	if list := r.list(0, 100); len(list.Tasks) != 0 {
		t.Errorf("after the dispatcher: %+v", list)
	}
}

func TestDueIsBounded(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	var ids []string
	for range 12 {
		ref, _ := r.submit()
		ids = append(ids, ref.ID)
		r.clock.advance(time.Millisecond)
	}
	r.clock.advance(time.Minute)
	list := r.list(0, 5)
	if len(list.Tasks) != 5 || list.Complete {
		t.Fatalf("%d tasks, complete %t", len(list.Tasks), list.Complete)
	}
	for i, task := range list.Tasks {
		if task.TaskID != ids[i] {
			t.Errorf("place %d has task %d", i, slices.Index(ids, task.TaskID))
		}
	}
}

// The index of DynamoDB is eventually consistent: it can name what is gone.
func TestDueNamesIndexEntriesWithoutTask(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 29, 14, 0, 0, 0, time.UTC)
	index := onePage{due: []taskflow.DueHandoff{{Ref: worktask.Ref{Workspace: "acme", Scope: "C#x", ID: "t"}, DueAt: now.Add(-time.Hour)}}}
	list, err := operator.Lister{
		Handoffs: index, Tasks: noTasks{}, Now: func() time.Time { return now }, Limit: 10,
	}.List(t.Context(), 0)
	if err != nil || len(list.Tasks) != 1 || list.Tasks[0].Assessment.State != operator.Missing || list.OldestDueSeconds != 3600 {
		t.Errorf("%+v, %v", list, err)
	}
}

type onePage struct{ due []taskflow.DueHandoff }

func (p onePage) DueHandoffs(_ context.Context, shard int, _ time.Time, _ int, _ string) (taskflow.DuePage, error) {
	if shard != 0 {
		return taskflow.DuePage{}, nil
	}
	return taskflow.DuePage{Due: p.due}, nil
}

type noTasks struct{}

func (noTasks) Get(context.Context, worktask.Ref) (worktask.Task, error) {
	return worktask.Task{}, storeerror.ErrNotFound
}
