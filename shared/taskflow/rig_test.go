package taskflow_test

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/replyonce/replyonce/shared/conversation"
	"github.com/replyonce/replyonce/shared/idempotency"
	"github.com/replyonce/replyonce/shared/memstore"
	"github.com/replyonce/replyonce/shared/taskflow"
	"github.com/replyonce/replyonce/shared/telemetry"
	"github.com/replyonce/replyonce/shared/worktask"
)

const (
	conv = "01JDC000000000000000000000"
	task = "01JDT000000000000000000000"
)

// rig is a task in a store, a provider that the test scripts, and any number
// of workers, in the virtual time of synctest.
type rig struct {
	t        *testing.T
	timers   worktask.Timers
	money    worktask.Money // of the task
	waitsFor string         // of the task
	mem      *memstore.Store
	tasks    *faultyTasks
	provider *scriptedKind
	queue    *recordingQueue
	ref      worktask.Ref

	mu  sync.Mutex
	ids int
}

// virtually runs a test in virtual time, on a fresh rig with one accepted task.
func virtually(t *testing.T, policy worktask.UnknownPolicy, test func(*rig)) {
	t.Helper()
	virtuallyFor(t, worktask.Money{}, policy, test)
}

// awaiting is virtually with a task that waits for something.
func awaiting(t *testing.T, thing string, test func(*rig)) {
	t.Helper()
	virtuallyOn(t, worktask.Task{WaitsFor: thing, OnUnknown: worktask.RetryUnknown}, test)
}

// virtuallyFor is virtually with a task that counts money.
func virtuallyFor(t *testing.T, money worktask.Money, policy worktask.UnknownPolicy, test func(*rig)) {
	t.Helper()
	virtuallyOn(t, worktask.Task{Money: money, OnUnknown: policy}, test)
}

// virtuallyOn is virtually with what is special about the task.
func virtuallyOn(t *testing.T, like worktask.Task, test func(*rig)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		r := &rig{
			t: t, timers: worktask.DefaultTimers(), mem: memstore.New(memstore.Options{}),
			money: like.Money, waitsFor: like.WaitsFor,
			provider: &scriptedKind{}, queue: &recordingQueue{}, ref: conversation.TaskRef("acme", conv, task),
		}
		r.tasks = &faultyTasks{Tasks: r.mem}
		r.accept(like.OnUnknown)
		test(r)
	})
}

func (r *rig) accept(policy worktask.UnknownPolicy) {
	r.t.Helper()
	now := time.Now()
	scope := idempotency.Scope{Workspace: "acme", Caller: "alice", Operation: "submit"}
	windows := idempotency.Windows{Replay: r.timers.ReplayWindow, Purge: r.timers.PurgeAfter}
	record, err := idempotency.NewRecord(scope, "r-1", idempotency.NewCanonical("submit").Fingerprint(), r.ref.String(), now, windows)
	if err != nil {
		r.t.Fatal(err)
	}
	message := conversation.Message{Workspace: "acme", Conversation: conv, ID: "01JDM000000000000000000000", Text: "why?", CreatedAt: now}
	accepted := worktask.NewTask(r.ref, "test", "alice", "{}", "req-1", policy, now, r.timers)
	accepted.Money, accepted.WaitsFor = r.money, r.waitsFor
	if err := r.mem.AcceptMessage(r.t.Context(), record, message, accepted); err != nil {
		r.t.Fatal(err)
	}
}

func (r *rig) newID() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ids++
	return fmt.Sprintf("claim-%d", r.ids)
}

// worker is a runner of its own, with a wall clock that may be off.
func (r *rig) worker(skew func() time.Duration) taskflow.Runner {
	start := time.Now()
	now := time.Now
	if skew != nil {
		now = func() time.Time { return time.Now().Add(skew()) }
	}
	return taskflow.Runner{
		Writer: taskflow.Writer{Tasks: r.tasks, Now: now, Pause: pause},
		Kinds:  map[string]taskflow.Kind{"test": r.provider}, Evidence: r.mem, Objects: r.mem, Timers: r.timers,
		NewID: r.newID, Jitter: func() float64 { return 0.5 }, Now: now,
		Monotonic: func() time.Duration { return time.Since(start) },
		Log:       slog.New(slog.DiscardHandler), Metrics: telemetry.NoMetrics{},
	}
}

func pause(ctx context.Context, try int) error {
	select {
	case <-time.After(time.Duration(try) * 50 * time.Millisecond):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// run delivers the message once to a worker with a right clock.
func (r *rig) run() taskflow.Action { return r.runOn(r.worker(nil)) }

func (r *rig) runOn(w taskflow.Runner) taskflow.Action {
	return w.Run(context.Background(), taskflow.Delivery{
		Ref: r.ref, ReceiveCount: 1, FunctionEnds: w.Now().Add(r.timers.WorkerLimit), Hold: func(context.Context) {},
	})
}

func (r *rig) dispatcher() *taskflow.Dispatcher {
	return &taskflow.Dispatcher{
		Writer: taskflow.Writer{Tasks: r.tasks, Now: time.Now, Pause: pause}, Handoffs: r.mem, Queue: r.queue, Timers: r.timers, Now: time.Now,
		Log: slog.New(slog.DiscardHandler), Metrics: telemetry.NoMetrics{}, PageSize: 100,
		Jitter: func() float64 { return 0 },
	}
}

func (r *rig) task() worktask.Task {
	r.t.Helper()
	t, err := r.mem.Get(context.Background(), r.ref)
	if err != nil {
		r.t.Fatal(err)
	}
	return t
}

// wantTask checks what every test ends with.
func (r *rig) wantTask(status worktask.Status, reason worktask.Reason, version int64, calls int) worktask.Task {
	r.t.Helper()
	got := r.task()
	if got.Status != status || got.FailureReason != reason || got.AssignmentVersion != version {
		r.t.Errorf("task is %s %q at version %d, want %s %q at version %d", got.Status, got.FailureReason, got.AssignmentVersion, status, reason, version)
	}
	if made := r.provider.made(); made != calls {
		r.t.Errorf("the provider was called %d times, want %d", made, calls)
	}
	if recorded := got.Budget.Calls(); recorded < r.provider.made() {
		r.t.Errorf("the task shows %d calls, the provider saw %d", recorded, r.provider.made())
	}
	return got
}

func (r *rig) wantAction(got taskflow.Action, want taskflow.ActionKind) {
	r.t.Helper()
	if got.Kind != want {
		r.t.Errorf("the message is to %s, want %s", got.Kind, want)
	}
}

// scriptedKind makes the calls that the test scripts, in order; the last one
// repeats. Its log counts what was sent.
type scriptedKind struct {
	mu      sync.Mutex
	calls   int
	lookups int
	script  []func(ctx context.Context, save func(context.Context, string) error) worktask.Outcome
	lookUp  func(ctx context.Context, operationID string) worktask.Outcome
	prepare error
}

func (k *scriptedKind) Prepare(context.Context, worktask.Task) (taskflow.Work, error) {
	return k, k.prepare
}

func (k *scriptedKind) Call(ctx context.Context, save func(context.Context, string) error) worktask.Outcome {
	k.mu.Lock()
	step := k.script[min(k.calls, len(k.script)-1)]
	k.calls++
	k.mu.Unlock()
	return step(ctx, save)
}

func (k *scriptedKind) LookUp(ctx context.Context, operationID string) worktask.Outcome {
	k.mu.Lock()
	k.lookups++
	k.mu.Unlock()
	return k.lookUp(ctx, operationID)
}

func (k *scriptedKind) made() int {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.calls
}

type step = func(context.Context, func(context.Context, string) error) worktask.Outcome

func (k *scriptedKind) then(steps ...step) { k.script = append(k.script, steps...) }

// answer is an answer after a time, or an unknown end when the call is cancelled.
func answer(text string, after time.Duration) step {
	return func(ctx context.Context, _ func(context.Context, string) error) worktask.Outcome {
		select {
		case <-time.After(after):
			return worktask.Outcome{Kind: worktask.Answered, Result: worktask.Result{Body: text}, Report: worktask.Report{Tokens: worktask.Tokens{Output: 7}}}
		case <-ctx.Done():
			return worktask.Outcome{Kind: worktask.Ambiguous}
		}
	}
}

// deaf is an answer that comes however late it is: the call does not notice
// that it was cancelled, like a frozen process that wakes up.
func deaf(text string, after time.Duration) step {
	return func(context.Context, func(context.Context, string) error) worktask.Outcome {
		time.Sleep(after)
		return worktask.Outcome{Kind: worktask.Answered, Result: worktask.Result{Body: text}}
	}
}

func ends(o worktask.Outcome) step {
	return func(context.Context, func(context.Context, string) error) worktask.Outcome { return o }
}

// recordingQueue remembers what was published.
type recordingQueue struct {
	mu        sync.Mutex
	published []worktask.Ref
	err       error
}

func (q *recordingQueue) Publish(_ context.Context, ref worktask.Ref) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.err != nil {
		return q.err
	}
	q.published = append(q.published, ref)
	return nil
}

func (q *recordingQueue) count() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.published)
}

// faultyTasks makes single writes go wrong, by the write's name.
type faultyTasks struct {
	taskflow.Tasks
	mu     sync.Mutex
	faults map[string][]fault
	log    []string
}

// fault is what happens around one write: lose its acknowledgement, never
// make it, or do something before or after.
type fault struct {
	before func()
	drop   error // returned without writing
	lose   error // returned although the write was made
}

func (f *faultyTasks) on(name string, faults ...fault) {
	if f.faults == nil {
		f.faults = map[string][]fault{}
	}
	f.faults[name] = append(f.faults[name], faults...)
}

func (f *faultyTasks) next(name string) fault {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.log = append(f.log, name)
	queue := f.faults[name]
	if len(queue) == 0 {
		return fault{}
	}
	f.faults[name] = queue[1:]
	return queue[0]
}

func (f *faultyTasks) Apply(ctx context.Context, ref worktask.Ref, tr worktask.Transition) (worktask.Task, error) {
	fault := f.next(tr.Name())
	if fault.before != nil {
		fault.before()
	}
	if fault.drop != nil {
		return worktask.Task{}, fault.drop
	}
	t, err := f.Tasks.Apply(ctx, ref, tr)
	if fault.lose != nil && err == nil {
		return worktask.Task{}, fault.lose
	}
	return t, err
}

func (f *faultyTasks) writes() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return strings.Join(f.log, " ")
}
