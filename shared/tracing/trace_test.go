package tracing_test

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/replyonce/replyonce/shared/tracing"
	"github.com/replyonce/replyonce/shared/worktask"
)

// From the browser's request to the saved reply: two functions that never meet,
// one trace, and every span has its place in it.
func TestOneQuestionIsOneTrace(t *testing.T) {
	t.Parallel()
	c := newCollector(t)
	w := newWorld(t, to(c))
	status, task := w.submit(w.api(w.tracer("api")), "g-1", "k-1", question)
	if status != http.StatusAccepted {
		t.Fatalf("status %d", status)
	}
	w.deliver(w.worker(w.tracer("worker")))
	if got := w.task(task); got.Status != worktask.Completed {
		t.Fatalf("the task is %s", got.Status)
	}
	accept := c.one(t, "accept")
	wantTree(t, c, task, accept)
	for name, under := range map[string]string{
		"accept_write": "accept", "handoff": "accept", "attempt": "accept",
		"claim": "attempt", "prepare": "attempt", "call": "attempt", "complete": "attempt",
	} {
		if c.one(t, name).parent != c.one(t, under).id {
			t.Errorf("%s does not stand under %s", name, under)
		}
	}
	for name, function := range map[string]string{"accept": "api", "handoff": "api", "attempt": "worker", "complete": "worker"} {
		if got := c.one(t, name).function; got != function {
			t.Errorf("%s is of %q", name, got)
		}
	}
	wantAttributes(t, accept, map[string]string{
		"gateway_request_id": "g-1", "idempotency_key": "k-1", "operation": "submit", "replayed": "false", "http.response.status_code": "202",
		"faas.invocation_id": "invocation-g-1",
	})
	wantAttributes(t, c.one(t, "attempt"), map[string]string{
		"gateway_request_id": "g-1", "assignment_version": "1", "attempt": "1", "receive_count": "1", "action": "delete",
	})
	wantAttributes(t, c.one(t, "call"), map[string]string{
		"assignment_version": "1", "outcome": "answered", "input_tokens": "11", "output_tokens": "7", "provider_request_id": "p-1",
	})
	wantAttributes(t, c.one(t, "complete"), map[string]string{"assignment_version": "1", "task_status": "completed"})
	for name, kind := range map[string]int{"accept": 2, "accept_write": 3, "handoff": 4, "attempt": 5, "prepare": 1, "call": 3} {
		if got := c.one(t, name).kind; got != kind {
			t.Errorf("%s has the kind %d, want %d", name, got, kind)
		}
	}
}

// wantTree: all spans are of the task's trace, and each stands under one that is
// there, in the end under the accepting request.
func wantTree(t *testing.T, c *collector, task string, root span) {
	t.Helper()
	want := tracing.TraceID(task).String()
	known := map[string]bool{}
	for _, s := range c.spans {
		if known[s.id] {
			t.Errorf("two spans have the id %s", s.id)
		}
		known[s.id] = true
	}
	for _, s := range c.spans {
		if s.traceID != want {
			t.Errorf("%s is of trace %s, want %s", s.name, s.traceID, want)
		}
		if (s.parent == "") != (s.id == root.id) || (s.parent != "" && !known[s.parent]) {
			t.Errorf("%s has the parent %q", s.name, s.parent)
		}
		if s.start > s.end || s.start == 0 {
			t.Errorf("%s begins at %d and ends at %d", s.name, s.start, s.end)
		}
		wantAttributes(t, s, map[string]string{"workspace": "acme", "task_id": task})
	}
}

func wantAttributes(t *testing.T, s span, want map[string]string) {
	t.Helper()
	for key, value := range want {
		if s.attributes[key] != value {
			t.Errorf("%s: %s is %q, want %q", s.name, key, s.attributes[key], value)
		}
	}
}

// The first worker dies with the spans it had; the dispatcher and the second
// worker go on in the same trace.
func TestTakeoverGoesOnInTheTrace(t *testing.T) {
	t.Parallel()
	c := newCollector(t)
	w := newWorld(t, to(c))
	_, task := w.submit(w.api(w.tracer("api")), "g-1", "k-1", question)
	w.call = func(context.Context) worktask.Outcome { panic(errorText) }
	dead := w.tracer("worker") // never flushed
	for _, ref := range w.queue.take() {
		claim := worktask.Claim{AssignmentID: "dead", Now: w.now(), LeaseUntil: w.now().Add(w.timers.Lease), Margin: w.timers.SkewMargin}
		if _, err := dead.Tasks(w.store).Apply(t.Context(), ref, claim); err != nil {
			t.Fatal(err)
		}
	}
	w.advance(w.timers.Lease + w.timers.SkewMargin)
	w.dispatch(w.tracer("dispatcher"))
	w.call = func(context.Context) worktask.Outcome { return answered() }
	w.deliver(w.worker(w.tracer("worker")))
	wantTree(t, c, task, c.one(t, "accept"))
	wantAttributes(t, c.one(t, "dispatch"), map[string]string{"reason": "worker_lost", "assignment_version": "1"})
	wantAttributes(t, c.one(t, "claim"), map[string]string{"reason": "worker_lost", "assignment_version": "2"})
	if handoffs := c.named("handoff"); len(handoffs) != 2 || handoffs[1].function != "dispatcher" {
		t.Errorf("handoffs %+v", handoffs)
	}
}

// Why the dispatcher came upon a task.
func TestDispatchHasItsReason(t *testing.T) {
	t.Parallel()
	c := newCollector(t)
	w := newWorld(t, to(c))
	_, task := w.submit(w.api(w.tracer("api")), "g-1", "k-1", question)
	w.queue.take() // lost
	w.advance(w.timers.HandoffGrace)
	w.dispatch(w.tracer("dispatcher"))
	w.call = func(context.Context) worktask.Outcome { return worktask.Outcome{Kind: worktask.Rejected} }
	w.deliver(w.worker(w.tracer("worker")))
	w.advance(w.timers.TaskDeadline / 2)
	w.dispatch(w.tracer("dispatcher"))
	w.queue.take()
	w.advance(w.timers.TaskDeadline)
	w.dispatch(w.tracer("dispatcher"))
	var reasons []string
	for _, s := range c.named("dispatch") {
		reasons = append(reasons, s.attributes["reason"])
	}
	if !slices.Equal(reasons, []string{"handoff_lost", "retry_due"}) {
		t.Errorf("reasons %v", reasons)
	}
	wantAttributes(t, c.one(t, "release"), map[string]string{"reason": "rejected", "assignment_version": "1", "task_status": "pending"})
	wantAttributes(t, c.one(t, "end"), map[string]string{"reason": "deadline", "task_status": "failed"})
	wantTree(t, c, task, c.one(t, "accept"))
}

// The browser sends again: its requests are one trace, also one that is refused.
func TestRepeatsStandInTheTraceOfTheirTask(t *testing.T) {
	t.Parallel()
	c := newCollector(t)
	w := newWorld(t, to(c))
	api := w.api(w.tracer("api"))
	_, task := w.submit(api, "g-1", "k-1", question)
	if status, again := w.submit(api, "g-2", "k-1", question); status != http.StatusOK || again != task {
		t.Fatalf("%d, task %s", status, again)
	}
	if status, _ := w.submit(api, "g-3", "k-1", "something else"); status != http.StatusUnprocessableEntity {
		t.Fatalf("status %d", status)
	}
	accepts := c.named("accept")
	if len(accepts) != 3 {
		t.Fatalf("%+v", accepts)
	}
	wantTree(t, c, task, accepts[0])
	wantAttributes(t, accepts[1], map[string]string{"gateway_request_id": "g-2", "replayed": "true", "http.response.status_code": "200"})
	wantAttributes(t, accepts[2], map[string]string{"gateway_request_id": "g-3", "http.response.status_code": "422"})
	if writes := c.named("accept_write"); len(writes) != 1 {
		t.Errorf("a write that was refused has begun a trace: %+v", writes)
	}
}

// An answer that comes after a cancel is refused, and the trace says why.
func TestRefusedWriteHasItsReason(t *testing.T) {
	t.Parallel()
	c := newCollector(t)
	w := newWorld(t, to(c))
	api := w.api(w.tracer("api"))
	_, task := w.submit(api, "g-1", "k-1", question)
	w.call = func(context.Context) worktask.Outcome {
		w.cancel(api, task)
		return answered()
	}
	w.deliver(w.worker(w.tracer("worker")))
	complete := c.one(t, "complete")
	wantAttributes(t, complete, map[string]string{"outcome": "refused", "reason": worktask.ErrCancelled.Error(), "assignment_version": "2"})
	if complete.failed {
		t.Error("that the fence holds is marked as a fault")
	}
	if cancel := c.one(t, "cancel"); cancel.parent != c.one(t, "accept").id || cancel.function != "api" {
		t.Errorf("%+v", cancel)
	}
}

// What people write, what providers say, what panics: none of it is in a span.
func TestNoTextInSpans(t *testing.T) {
	t.Parallel()
	c := newCollector(t)
	w := newWorld(t, to(c))
	api, worker := w.api(w.tracer("api")), w.worker(w.tracer("worker"))
	ends := []func(context.Context) worktask.Outcome{
		func(context.Context) worktask.Outcome { return answered() },
		func(context.Context) worktask.Outcome { panic(errorText) },
		func(context.Context) worktask.Outcome {
			return worktask.Outcome{Kind: worktask.Permanent, Reason: worktask.Declined}
		},
		func(context.Context) worktask.Outcome { return worktask.Outcome{Kind: worktask.Ambiguous} },
	}
	for i, end := range ends {
		w.call = end
		if status, _ := w.submit(api, "g", string(rune('a'+i)), question); status != http.StatusAccepted {
			t.Fatalf("status %d", status)
		}
		w.deliver(worker)
	}
	if len(c.named("call")) != len(ends) {
		t.Errorf("%d calls", len(c.named("call")))
	}
	wantNoMarker(t, c.bodies.String())
}

func wantNoMarker(t *testing.T, text string) {
	t.Helper()
	for _, marker := range markers {
		if strings.Contains(text, marker) {
			t.Errorf("%s is in %s", marker, text)
		}
	}
}
