package history_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/replyonce/replyonce/shared/conversation"
	"github.com/replyonce/replyonce/shared/history"
	"github.com/replyonce/replyonce/shared/idempotency"
	"github.com/replyonce/replyonce/shared/memstore"
	"github.com/replyonce/replyonce/shared/storeerror"
	"github.com/replyonce/replyonce/shared/taskflow"
	"github.com/replyonce/replyonce/shared/worktask"
)

var (
	noon  = time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)
	ref   = conversation.TaskRef("acme", "01JDC000000000000000000000", "01JDT000000000000000000000")
	scope = idempotency.Scope{Workspace: "acme", Caller: "alice", Operation: conversation.OperationSubmit}
)

// told is the record in one line per event.
func told(r *history.Recorder) []string {
	var lines []string
	for _, e := range r.History().Events {
		line := fmt.Sprintf("%s %s", e.Actor, e.Kind)
		if e.Op != 0 {
			line += fmt.Sprintf(" of #%d", e.Op)
		}
		if e.Outcome != "" {
			line += " " + string(e.Outcome)
		}
		lines = append(lines, line)
	}
	return lines
}

func wantTold(t *testing.T, r *history.Recorder, want ...string) {
	t.Helper()
	if got := told(r); !slices.Equal(got, want) {
		t.Errorf("recorded\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if err := r.History().Check(); err != nil {
		t.Error(err)
	}
}

func recorder() *history.Recorder {
	return history.NewRecorder(func() time.Time { return noon }, history.Header{})
}

func record(t *testing.T) idempotency.Record {
	t.Helper()
	windows := idempotency.Windows{Replay: time.Hour, Purge: 2 * time.Hour}
	r, err := idempotency.NewRecord(scope, "r-1", idempotency.NewCanonical("submit").Fingerprint(), "/tasks/1", noon, windows)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func task() worktask.Task {
	return worktask.NewTask(ref, "reply", "alice", "{}", "req", worktask.RetryUnknown, noon, worktask.DefaultTimers())
}

func TestBothSidesOfWritesAreRecorded(t *testing.T) {
	t.Parallel()
	r, mem := recorder(), memstore.New(memstore.Options{})
	api, worker := r.Actor("api"), r.Actor("worker")
	threads := api.Conversations(r.StoreConversations(mem))
	ctx := t.Context()
	message := conversation.Message{Workspace: "acme", Conversation: "01JDC000000000000000000000", ID: "01JDM000000000000000000000", CreatedAt: noon}
	if err := threads.AcceptMessage(ctx, record(t), message, task()); err != nil {
		t.Fatal(err)
	}
	if err := threads.AcceptTask(ctx, record(t), task()); !errors.Is(err, storeerror.ErrRecordExists) {
		t.Errorf("the repeat gave %v", err)
	}
	if found, err := api.Records(mem).Record(ctx, scope, "r-1"); err != nil || found.Target != "/tasks/1" {
		t.Errorf("record %+v, %v", found, err)
	}
	tasks := worker.Tasks(r.StoreTasks(mem))
	if _, err := tasks.Apply(ctx, ref, worktask.Cancel{Now: noon}); err != nil {
		t.Fatal(err)
	}
	_, err := tasks.Apply(ctx, ref, worktask.Cancel{Now: noon})
	if refused, ok := errors.AsType[*taskflow.ConditionError](err); !ok || refused.Seen == nil {
		t.Errorf("the second cancel gave %v", err)
	}
	other := ref
	other.ID = "01JDT000000000000000000009"
	if _, err := tasks.Get(ctx, other); !errors.Is(err, storeerror.ErrNotFound) {
		t.Errorf("no task gave %v", err)
	}
	wantTold(t, r,
		"api create_sent", "store created of #1", "api create_done of #1 landed",
		"api create_sent", "api create_done of #4 refused",
		"api record_sent", "api record_done of #6 landed",
		"worker write_sent", "store stored of #8", "worker write_done of #8 landed",
		"worker write_sent", "worker write_done of #11 refused",
		"worker read_sent", "worker read_done of #13 not_found",
	)
	stored := r.History().Events[8]
	if stored.Before.Status != "pending" || stored.After.Status != "cancelled" || stored.After.AssignmentVersion != 1 {
		t.Errorf("stored from %+v to %+v", stored.Before, stored.After)
	}
}

// failing is a store and a queue of which nothing works.
type failing struct {
	taskflow.Tasks
	taskflow.EvidenceStore
	taskflow.Objects
	conversation.Store
	err error
}

func (f failing) Apply(context.Context, worktask.Ref, worktask.Transition) (worktask.Task, error) {
	return worktask.Task{}, f.err
}

func (f failing) Publish(context.Context, worktask.Ref) error { return f.err }

func (f failing) DueHandoffs(context.Context, int, time.Time, int, string) (taskflow.DuePage, error) {
	return taskflow.DuePage{}, f.err
}
func (f failing) PutEvidence(context.Context, worktask.Evidence) error { return f.err }
func (f failing) PutObject(context.Context, string, []byte) error      { return f.err }
func (f failing) CreateConversation(context.Context, idempotency.Record, conversation.Conversation) error {
	return f.err
}

func TestErrorsPassUnchangedAndAreNamed(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		err  error
		want history.Outcome
	}{
		{storeerror.ErrWriteUnknown, history.Lost},
		{storeerror.ErrConflict, history.Lost},
		{storeerror.ErrUnavailable, history.Unavailable},
		{storeerror.ErrExists, history.RefusedBy},
		{&storeerror.TooLargeError{What: "task"}, history.Failed},
	} {
		r := recorder()
		a, f := r.Actor("worker"), failing{err: fmt.Errorf("tried: %w", c.err)}
		ctx := t.Context()
		_, applied := a.Tasks(f).Apply(ctx, ref, worktask.Cancel{})
		_, listed := a.Handoffs(f).DueHandoffs(ctx, 0, noon, 1, "")
		for _, err := range []error{
			applied, listed, a.Queue(f).Publish(ctx, ref), a.Evidence(f).PutEvidence(ctx, worktask.Evidence{Ref: ref}),
			a.Objects(f).PutObject(ctx, "key", []byte("body")), a.Conversations(f).CreateConversation(ctx, record(t), conversation.Conversation{}),
		} {
			if err != f.err { //nolint:errorlint // the very error
				t.Errorf("%v came out as %v", f.err, err)
			}
		}
		outcome := " " + string(c.want)
		wantTold(t, r,
			"worker write_sent", "worker write_done of #1"+outcome, "worker index_read"+outcome,
			"worker publish_sent", "worker publish_done of #4 lost", // it may be in the queue all the same
			"worker evidence_sent", "worker evidence_done of #6"+outcome,
			"worker object_sent", "worker object_done of #8"+outcome,
			"worker create_sent", "worker create_done of #10"+outcome,
		)
	}
}

// runner holds the message, makes one call and is done.
type runner struct{ kind taskflow.Kind }

func (r runner) Run(ctx context.Context, d taskflow.Delivery) taskflow.Action {
	d.Hold(ctx)
	work, err := r.kind.Prepare(ctx, worktask.Task{Ref: d.Ref, AssignmentID: "a1", AssignmentVersion: 1})
	if err != nil {
		return taskflow.Action{Kind: taskflow.Back}
	}
	work.LookUp(ctx, "op")
	work.Call(ctx, nil)
	return taskflow.Action{Kind: taskflow.Wait, After: time.Second}
}

type answers struct{ err error }

func (a answers) Prepare(context.Context, worktask.Task) (taskflow.Work, error) { return a, a.err }

func (a answers) Call(context.Context, func(context.Context, string) error) worktask.Outcome {
	return worktask.Outcome{Kind: worktask.Answered, Result: worktask.Result{Body: "answer"}}
}

func (a answers) LookUp(context.Context, string) worktask.Outcome {
	return worktask.Outcome{Kind: worktask.OperationLost}
}

func TestDeliveriesAndCallsAreRecorded(t *testing.T) {
	t.Parallel()
	r := recorder()
	a := r.Actor("worker")
	held := 0
	delivery := taskflow.Delivery{Ref: ref, ReceiveCount: 3, Hold: func(context.Context) { held++ }}
	a.Runner(runner{a.Kind(answers{})}).Run(history.WithMessageID(t.Context(), "m-1"), delivery)
	a.Runner(runner{a.Kind(answers{errors.New("no document")})}).Run(t.Context(), delivery)
	wantTold(t, r,
		"worker delivered", "worker hidden", "worker lookup_sent", "worker lookup_ended of #3", "worker call_sent", "worker call_ended of #5", "worker handled of #1",
		"worker delivered", "worker hidden", "worker handled of #8",
	)
	events := r.History().Events
	if held != 2 {
		t.Errorf("the message was held %d times", held)
	}
	if m := *events[6].Message; m != (history.Message{ID: "m-1", ReceiveCount: 3, Action: "wait", AfterMS: 1000}) {
		t.Errorf("handled: %+v", m)
	}
	if c := *events[5].Call; c.Outcome != history.CallAnswer || c.Result.SHA256 != history.Hash("answer") || c.AssignmentID != "a1" {
		t.Errorf("call ended: %+v", c)
	}
	if c := *events[3].Call; c.Outcome != history.CallMissing {
		t.Errorf("look-up ended: %+v", c)
	}
}

func TestCallersAndProcessesAreRecorded(t *testing.T) {
	t.Parallel()
	r := recorder()
	answered := r.Actor("alice").Ask(history.Request{Caller: "alice", Operation: history.OperationRead}, history.RefOf(ref))
	view := history.ViewOf(conversation.TaskView{
		Status: "failed", Calls: 2, CallsLeft: 6, Failure: &conversation.FailureView{Reason: "deadline"}, Reply: &conversation.ReplyView{Text: "t"},
		Spend: conversation.TaskSpendView{CallsKnown: 1, CallsUnknown: 1, RefusedAnswers: []conversation.RefusedAnswer{{}}},
	})
	answered(history.Answer{Status: 200, View: &view}, history.RefOf(ref))
	worker := r.Actor("worker")
	worker.Start()
	worker.Freeze()
	worker.Thaw()
	worker.StepClock(-5)
	worker.Sweep(func() taskflow.Sweep { return taskflow.Sweep{Seen: 3, Complete: true} })
	worker.Kill()
	worker.Freeze() // a dead process does nothing
	wantTold(t, r,
		"alice request_sent", "alice request_answered of #1", "worker process_started", "worker process_frozen", "worker process_thawed",
		"worker clock_stepped", "worker sweep_begun", "worker sweep_done of #7", "worker process_killed",
	)
	want := history.View{Status: "failed", Calls: 2, CallsLeft: 6, CallsKnown: 1, CallsUnknown: 1, RefusedAnswers: 1, Failure: "deadline", ReplySHA256: history.Hash("t")}
	if got := *r.History().Events[1].Answer.View; got != want {
		t.Errorf("view %+v, want %+v", got, want)
	}
}

func TestEventsOfSeveralPlacesArePutInOrder(t *testing.T) {
	t.Parallel()
	h := history.Assemble(history.Header{Name: "merged"}, []history.Event{
		{Actor: "worker", Kind: history.ReadDone, Op: 3, Task: "a", Outcome: history.Missing, At: noon.Add(2)},
		{Actor: "provider", Kind: history.CallReceived, Call: &history.Call{}, At: noon.Add(1)},
		{Actor: "worker", Kind: history.ReadSent, Task: "a", At: noon},
	})
	if err := h.Check(); err != nil {
		t.Fatal(err)
	}
	if h.Events[0].Kind != history.ReadSent || h.Events[2].Op != 1 {
		t.Errorf("assembled %+v", h.Events)
	}
}

func TestAReaderFollowsARecord(t *testing.T) {
	t.Parallel()
	r := history.NewRecorder(func() time.Time { return noon }, history.Header{})
	for range 3 {
		r.Record(history.Event{Kind: history.ProcessStarted})
	}
	for seq, want := range map[int64]int{-1: 3, 0: 3, 2: 1, 3: 0, 9: 0} {
		if got := r.After(seq); len(got) != want || (want > 0 && got[0].Seq != max(seq, 0)+1) {
			t.Errorf("after #%d come %v, want %d events", seq, got, want)
		}
	}
}
