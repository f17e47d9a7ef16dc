package workerhandler_test

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"maps"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-lambda-go/events"

	"github.com/replyonce/replyonce/shared/sqsqueue"
	"github.com/replyonce/replyonce/shared/taskflow"
	"github.com/replyonce/replyonce/shared/workerhandler"
	"github.com/replyonce/replyonce/shared/worktask"
)

var timers = worktask.DefaultTimers()

func record(t *testing.T, name string) events.SQSMessage {
	t.Helper()
	id := "01JDT0000000000000000000" + name
	body, err := sqsqueue.Encode(worktask.Ref{Workspace: "acme", Scope: "C#01JDC000000000000000000000", ID: id})
	if err != nil {
		t.Fatal(err)
	}
	return events.SQSMessage{
		MessageId: "message-" + name, ReceiptHandle: "receipt-" + name, Body: body,
		Attributes: map[string]string{"ApproximateReceiveCount": "3"},
	}
}

// runs answers by the last two characters of the task id.
type runs map[string]func(ctx context.Context, d taskflow.Delivery) taskflow.Action

func (r runs) Run(ctx context.Context, d taskflow.Delivery) taskflow.Action {
	return r[d.Ref.ID[24:]](ctx, d)
}

func done(context.Context, taskflow.Delivery) taskflow.Action {
	return taskflow.Action{Kind: taskflow.Delete}
}

// hidden remembers every change of visibility.
type hidden struct {
	mu      sync.Mutex
	changes map[string][]time.Duration
}

func (h *hidden) Hide(_ context.Context, receipt string, d time.Duration) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.changes == nil {
		h.changes = map[string][]time.Duration{}
	}
	h.changes[receipt] = append(h.changes[receipt], d)
	return nil
}

func (h *hidden) of(receipt string) []time.Duration {
	h.mu.Lock()
	defer h.mu.Unlock()
	return maps.Clone(h.changes)[receipt]
}

func handler(r workerhandler.Runner, v workerhandler.Visibility, log io.Writer) workerhandler.Handler {
	return workerhandler.Handler{
		Runner: r, Visibility: v, Timers: timers, Now: time.Now,
		Remaining: func(context.Context) time.Duration { return timers.WorkerLimit },
		Log:       slog.New(slog.NewJSONHandler(log, nil)),
	}
}

// TestCaseW2OneBadMessage: the batch of the incident, an unknown schema and a
// panic. The good ones are done, each bad one is reported alone, under the keys
// that Lambda reads.
func TestCaseW2OneBadMessage(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		cut, unknown := record(t, "02"), record(t, "04")
		cut.Body = `{"task":`
		unknown.Body = strings.Replace(unknown.Body, `"schema":1`, `"schema":7`, 1)
		batch := events.SQSEvent{Records: []events.SQSMessage{record(t, "01"), cut, record(t, "03"), unknown, record(t, "05")}}
		h := handler(runs{"01": done, "03": done, "05": func(context.Context, taskflow.Delivery) taskflow.Action {
			panic("what a person wrote")
		}}, &hidden{}, io.Discard)
		response, err := h.Handle(t.Context(), batch)
		if err != nil {
			t.Fatal(err)
		}
		body, err := json.Marshal(response)
		if err != nil {
			t.Fatal(err)
		}
		want := `{"batchItemFailures":[{"itemIdentifier":"message-02"},{"itemIdentifier":"message-04"},{"itemIdentifier":"message-05"}]}`
		if string(body) != want {
			t.Errorf("response\n got %s\nwant %s", body, want)
		}
	})
}

func TestPanicDoesNotLogItsText(t *testing.T) {
	t.Parallel()
	var log strings.Builder
	h := handler(runs{"01": func(context.Context, taskflow.Delivery) taskflow.Action { panic("secret question") }}, &hidden{}, &log)
	if _, err := h.Handle(t.Context(), events.SQSEvent{Records: []events.SQSMessage{record(t, "01")}}); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(log.String(), "secret question") || !strings.Contains(log.String(), "panic of type string") {
		t.Errorf("log: %s", log.String())
	}
}

func TestAllDoneIsAnEmptyList(t *testing.T) {
	t.Parallel()
	response, err := handler(runs{"01": done}, &hidden{}, io.Discard).Handle(t.Context(), events.SQSEvent{Records: []events.SQSMessage{record(t, "01")}})
	if err != nil || response.BatchItemFailures == nil || len(response.BatchItemFailures) != 0 {
		t.Errorf("response %+v, %v; want an empty list, not null", response, err)
	}
}

// hangs never answers before its time is over.
type hangs struct{}

func (hangs) Hide(ctx context.Context, _ string, _ time.Duration) error {
	<-ctx.Done()
	return ctx.Err()
}

// TestSlowQueueHoldsUpNoWork: visibility is changed beside the work; five calls
// begin at once although the queue does not answer.
func TestSlowQueueHoldsUpNoWork(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		run := func(ctx context.Context, d taskflow.Delivery) taskflow.Action {
			d.Hold(ctx)
			if waited := time.Since(start); waited != 0 {
				t.Errorf("a call begins after %s", waited)
			}
			time.Sleep(3 * time.Second)
			return taskflow.Action{Kind: taskflow.Delete}
		}
		var batch events.SQSEvent
		all := runs{}
		for _, name := range []string{"01", "02", "03", "04", "05"} {
			batch.Records = append(batch.Records, record(t, name))
			all[name] = run
		}
		response, err := handler(all, hangs{}, io.Discard).Handle(t.Context(), batch)
		if err != nil || len(response.BatchItemFailures) != 0 {
			t.Errorf("response %+v, %v", response, err)
		}
		if took := time.Since(start); took != 3*time.Second {
			t.Errorf("the batch took %s", took)
		}
	})
}

// TestForeignMessageIsDeadLetteredSoon: it comes back in seconds, so that the
// queue gives it up within minutes.
func TestForeignMessageIsDeadLetteredSoon(t *testing.T) {
	t.Parallel()
	v := &hidden{}
	foreign := record(t, "01")
	foreign.Body = "not ours"
	response, err := handler(runs{}, v, io.Discard).Handle(t.Context(), events.SQSEvent{Records: []events.SQSMessage{foreign}})
	if err != nil || len(response.BatchItemFailures) != 1 {
		t.Errorf("response %+v, %v", response, err)
	}
	if got := v.of("receipt-01"); len(got) != 1 || got[0] > time.Minute {
		t.Errorf("hidden %v", got)
	}
}

// TestVisibilityFollowsTheWork: narrowed at the claim, extended while the
// handler runs, also for a record that is finished before the others; a record
// that waits is set once and left alone.
func TestVisibilityFollowsTheWork(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		v := &hidden{}
		h := handler(runs{
			"01": func(ctx context.Context, d taskflow.Delivery) taskflow.Action { // finished at once
				d.Hold(ctx)
				return taskflow.Action{Kind: taskflow.Delete}
			},
			"02": func(ctx context.Context, d taskflow.Delivery) taskflow.Action { // works for 35 s
				d.Hold(ctx)
				time.Sleep(35 * time.Second)
				return taskflow.Action{Kind: taskflow.Delete}
			},
			"03": func(ctx context.Context, d taskflow.Delivery) taskflow.Action {
				d.Hold(ctx)
				return taskflow.Action{Kind: taskflow.Wait, After: 7 * time.Second}
			},
			"04": func(context.Context, taskflow.Delivery) taskflow.Action { return taskflow.Action{Kind: taskflow.Back} },
		}, v, io.Discard)
		response, err := h.Handle(t.Context(), events.SQSEvent{Records: []events.SQSMessage{record(t, "01"), record(t, "02"), record(t, "03"), record(t, "04")}})
		if err != nil || len(response.BatchItemFailures) != 2 {
			t.Errorf("response %+v, %v", response, err)
		}
		narrowed := timers.NarrowedVisibility()
		for _, receipt := range []string{"receipt-01", "receipt-02"} {
			got := v.of(receipt)
			if len(got) != 4 || got[0] != narrowed || got[3] != narrowed {
				t.Errorf("%s hidden %v, want four times %s", receipt, got, narrowed)
			}
		}
		if got := v.of("receipt-03"); len(got) == 0 || got[len(got)-1] != 7*time.Second {
			t.Errorf("the waiting record was hidden %v, want its wait last", got)
		}
		if got := v.of("receipt-04"); len(got) != 0 {
			t.Errorf("a record that goes back was hidden %v", got)
		}
		time.Sleep(10 * time.Minute)
		if got := v.of("receipt-02"); len(got) != 4 {
			t.Errorf("visibility was extended after the handler returned: %v", got)
		}
	})
}
