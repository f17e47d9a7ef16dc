package check_test

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/replyonce/replyonce/shared/conversation"
	"github.com/replyonce/replyonce/shared/history"
	"github.com/replyonce/replyonce/shared/history/check"
	"github.com/replyonce/replyonce/shared/idempotency"
	"github.com/replyonce/replyonce/shared/memstore"
	"github.com/replyonce/replyonce/shared/storeerror"
	"github.com/replyonce/replyonce/shared/taskflow"
	"github.com/replyonce/replyonce/shared/telemetry"
	"github.com/replyonce/replyonce/shared/worktask"
)

// rig is the real task flow over the store in memory, recorded, in virtual time.
type rig struct {
	t        *testing.T
	timers   worktask.Timers
	mem      *memstore.Store
	recorder *history.Recorder
	tasks    taskflow.Tasks // the store behind its recorder and, under that, a mutant
	ref      worktask.Ref

	mu     sync.Mutex
	ids    int
	faults map[string][]fault // by actor and write
	call   map[string]func(context.Context) worktask.Outcome
}

// fault is what happens to one write of an actor.
type fault struct {
	drop   bool   // it is not made
	lose   bool   // it is made, and nobody hears of it
	before func() // happens just before it
}

// mutate makes a broken transition of a right one; nil: none is broken.
type mutate func(worktask.Transition) worktask.Transition

// mutant is a store that makes broken writes.
type mutant struct {
	taskflow.Tasks
	mutate mutate
}

func (m mutant) Apply(ctx context.Context, ref worktask.Ref, tr worktask.Transition) (worktask.Task, error) {
	return m.Tasks.Apply(ctx, ref, m.mutate(tr))
}

// play runs the scenario on one accepted task and returns the record.
func play(t *testing.T, mutate mutate, scenario func(*rig)) history.History {
	t.Helper()
	var h history.History
	synctest.Test(t, func(t *testing.T) {
		r := &rig{
			t: t, timers: worktask.DefaultTimers(), mem: memstore.New(memstore.Options{}),
			ref:    conversation.TaskRef("acme", "01JDC000000000000000000000", "01JDT000000000000000000000"),
			faults: map[string][]fault{}, call: map[string]func(context.Context) worktask.Outcome{},
		}
		r.recorder = history.NewRecorder(time.Now, history.Header{Name: t.Name(), Limits: history.LimitsOf(r.timers)})
		var inner taskflow.Tasks = r.mem
		if mutate != nil {
			inner = mutant{inner, mutate}
		}
		r.tasks = r.recorder.StoreTasks(inner)
		r.accept()
		scenario(r)
		synctest.Wait()
		h = r.recorder.History()
	})
	return h
}

func (r *rig) accept() {
	r.t.Helper()
	now := time.Now()
	scope := idempotency.Scope{Workspace: "acme", Caller: "alice", Operation: conversation.OperationSubmit}
	windows := idempotency.Windows{Replay: r.timers.ReplayWindow, Purge: r.timers.PurgeAfter}
	record, err := idempotency.NewRecord(scope, "r-1", idempotency.NewCanonical("submit").Fingerprint(), r.ref.String(), now, windows)
	if err != nil {
		r.t.Fatal(err)
	}
	message := conversation.Message{Workspace: "acme", Conversation: "01JDC000000000000000000000", ID: "01JDM000000000000000000000", Text: "why?", CreatedAt: now}
	task := worktask.NewTask(r.ref, "test", "alice", "{}", "req-1", worktask.RetryUnknown, now, r.timers)
	store := r.recorder.Actor("api").Conversations(r.recorder.StoreConversations(r.mem))
	if err := store.AcceptMessage(r.t.Context(), record, message, task); err != nil {
		r.t.Fatal(err)
	}
}

// on makes writes of an actor go wrong, one after the other.
func (r *rig) on(actor, write string, faults ...fault) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.faults[actor+" "+write] = append(r.faults[actor+" "+write], faults...)
}

// network is the way from an actor to the store.
type network struct {
	taskflow.Tasks
	rig   *rig
	actor string
}

func (n network) Apply(ctx context.Context, ref worktask.Ref, tr worktask.Transition) (worktask.Task, error) {
	n.rig.mu.Lock()
	var f fault
	key := n.actor + " " + tr.Name()
	if queue := n.rig.faults[key]; len(queue) > 0 {
		f, n.rig.faults[key] = queue[0], queue[1:]
	}
	n.rig.mu.Unlock()
	if f.before != nil {
		f.before()
	}
	if f.drop {
		return worktask.Task{}, storeerror.ErrUnavailable
	}
	t, err := n.Tasks.Apply(ctx, ref, tr)
	if f.lose && err == nil {
		return worktask.Task{}, storeerror.ErrWriteUnknown
	}
	return t, err
}

func (r *rig) writer(a *history.Actor) taskflow.Writer {
	return taskflow.Writer{Tasks: a.Tasks(network{r.tasks, r, a.Name()}), Now: time.Now, Pause: func(ctx context.Context, try int) error {
		select {
		case <-time.After(time.Duration(try) * 50 * time.Millisecond):
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}}
}

// run delivers the message to a worker, whose call ends as told.
func (r *rig) run(name string, call func(context.Context) worktask.Outcome) taskflow.Action {
	a := r.recorder.Actor(name)
	begun := time.Now()
	runner := taskflow.Runner{
		Writer: r.writer(a), Kinds: map[string]taskflow.Kind{"test": a.Kind(scripted(call))},
		Evidence: a.Evidence(r.mem), Objects: a.Objects(r.mem), Timers: r.timers,
		NewID: r.newID, Jitter: func() float64 { return 0.5 }, Now: time.Now,
		Monotonic: func() time.Duration { return time.Since(begun) },
		Log:       slog.New(slog.DiscardHandler), Metrics: telemetry.NoMetrics{},
	}
	return a.Runner(runner).Run(context.Background(), taskflow.Delivery{
		Ref: r.ref, ReceiveCount: 1, FunctionEnds: time.Now().Add(r.timers.WorkerLimit), Hold: func(context.Context) {},
	})
}

func (r *rig) newID() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ids++
	return fmt.Sprintf("claim-%d", r.ids)
}

func (r *rig) sweep() {
	a := r.recorder.Actor("dispatcher")
	d := &taskflow.Dispatcher{
		Writer: r.writer(a), Handoffs: a.Handoffs(r.mem), Queue: a.Queue(nowhere{}), Timers: r.timers, Now: time.Now,
		Log: slog.New(slog.DiscardHandler), Metrics: telemetry.NoMetrics{}, PageSize: 10, Jitter: func() float64 { return 0 },
	}
	a.Sweep(func() taskflow.Sweep { return d.Dispatch(context.Background()) })
}

func (r *rig) cancel() {
	a := r.recorder.Actor("api")
	_, _ = r.writer(a).Write(context.Background(), r.ref, worktask.Cancel{Now: time.Now()}) // may be refused
}

func (r *rig) drained() { r.recorder.Record(history.Event{Actor: "driver", Kind: history.Drained}) }

type nowhere struct{}

func (nowhere) Publish(context.Context, worktask.Ref) error { return nil }

// scripted is a kind whose calls end as told.
type scripted func(context.Context) worktask.Outcome

func (s scripted) Prepare(context.Context, worktask.Task) (taskflow.Work, error) { return s, nil }

func (s scripted) Call(ctx context.Context, _ func(context.Context, string) error) worktask.Outcome {
	return s(ctx)
}

func (s scripted) LookUp(ctx context.Context, _ string) worktask.Outcome { return s(ctx) }

// after answers, deaf to the end of its context, like a process that was frozen.
func after(d time.Duration, text string) func(context.Context) worktask.Outcome {
	return func(context.Context) worktask.Outcome {
		time.Sleep(d)
		return worktask.Outcome{Kind: worktask.Answered, Result: worktask.Result{Body: text}, Report: worktask.Report{Tokens: worktask.Tokens{Output: 7}}}
	}
}

// ending is a call that ends otherwise.
func ending(d time.Duration, o worktask.Outcome) func(context.Context) worktask.Outcome {
	return func(context.Context) worktask.Outcome {
		time.Sleep(d)
		return o
	}
}

func decide(t *testing.T, h history.History) check.Report {
	t.Helper()
	report, err := check.Check(h, check.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return report
}
