package lambdaruntime

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

const testARN = "arn:aws:lambda:us-east-1:000000000000:function:worker"

// sandbox counts what the environment does to its process.
type sandbox struct{ frozen, freezes, kills atomic.Int64 }

func (s *sandbox) Freeze() { s.frozen.Add(1); s.freezes.Add(1) }
func (s *sandbox) Thaw()   { s.frozen.Add(-1) }
func (s *sandbox) Kill()   { s.kills.Add(1) }

type bundle struct {
	function *Function
	env      *Environment
	sandbox  *sandbox
}

func setup(t *testing.T, limit time.Duration) *bundle {
	t.Helper()
	server, err := Listen(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Close() })
	function := server.NewFunction(Settings{Name: "worker", ARN: testARN, Timeout: limit})
	box := &sandbox{}
	return &bundle{function: function, env: function.NewEnvironment("worker-1", box), sandbox: box}
}

func (b *bundle) url(path string) string {
	return "http://" + b.env.Address() + "/2018-06-01/runtime/" + path
}

// next asks for work as a runtime does.
func (b *bundle) next(ctx context.Context) (event, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, b.url("invocation/next"), nil)
	if err != nil {
		return event{}, fmt.Errorf("make request: %w", err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return event{}, fmt.Errorf("next: %w", err)
	}
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return event{}, fmt.Errorf("read event: %w", err)
	}
	return event{resp.StatusCode, resp.Header, string(body)}, nil
}

// event is what a runtime gets for its poll.
type event struct {
	status  int
	header  http.Header
	payload string
}

func (e event) id() string { return e.header.Get("Lambda-Runtime-Aws-Request-Id") }

func (b *bundle) post(t *testing.T, path string, body io.Reader) int {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, b.url(path), body)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	return resp.StatusCode
}

type outcome struct {
	result Result
	err    error
}

func (b *bundle) invoke(ctx context.Context, payload string) <-chan outcome {
	done := make(chan outcome, 1)
	go func() {
		result, err := b.function.Invoke(ctx, Request{Payload: []byte(payload)})
		done <- outcome{result, err}
	}()
	return done
}

// take hands the payload to the environment and returns the request id.
func (b *bundle) take(t *testing.T, payload string) (string, <-chan outcome) {
	t.Helper()
	done := b.invoke(t.Context(), payload)
	got, err := b.next(t.Context())
	if err != nil || got.status != http.StatusOK || got.payload != payload {
		t.Fatalf("next = %+v, %v", got, err)
	}
	return got.id(), done
}

func TestInvocationCarriesTheDocumentedHeaders(t *testing.T) {
	t.Parallel()
	b := setup(t, time.Minute)
	done := b.invoke(t.Context(), `{"a":1}`)
	before := time.Now()
	polled, err := b.next(t.Context())
	if err != nil || polled.payload != `{"a":1}` {
		t.Fatalf("next = %+v, %v", polled, err)
	}
	id := polled.id()
	if len(id) != 36 {
		t.Errorf("request id %q", id)
	}
	if got := polled.header.Get("Lambda-Runtime-Invoked-Function-Arn"); got != testARN {
		t.Errorf("function ARN %q", got)
	}
	if got := polled.header.Get("Lambda-Runtime-Trace-Id"); !strings.HasPrefix(got, "Root=1-") {
		t.Errorf("trace id %q", got)
	}
	millis, err := strconv.ParseInt(polled.header.Get("Lambda-Runtime-Deadline-Ms"), 10, 64)
	if left := time.UnixMilli(millis).Sub(before); err != nil || left < 59*time.Second || left > 61*time.Second {
		t.Errorf("deadline is %v away, %v", left, err)
	}
	if status := b.post(t, "invocation/"+id+"/response", strings.NewReader("yes")); status != http.StatusAccepted {
		t.Errorf("response: status %d", status)
	}
	got := <-done
	if got.err != nil || string(got.result.Payload) != "yes" || got.result.Process != "worker-1" || got.result.RequestID != id {
		t.Errorf("invoke = %+v", got)
	}
	if status := b.post(t, "invocation/"+id+"/response", strings.NewReader("again")); status != http.StatusBadRequest {
		t.Errorf("second response: status %d", status)
	}
}

func TestInvocationBeforeTheFirstPollWaits(t *testing.T) {
	t.Parallel()
	b := setup(t, time.Minute)
	done := b.invoke(t.Context(), "early")
	select {
	case got := <-done:
		t.Fatalf("invoke ended without an environment: %+v", got)
	case <-b.env.Ready():
		t.Fatal("ready before the first poll")
	case <-time.After(50 * time.Millisecond):
	}
	polled, err := b.next(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	<-b.env.Ready()
	b.post(t, "invocation/"+polled.id()+"/response", strings.NewReader("ok"))
	if got := <-done; got.err != nil {
		t.Error(got.err)
	}
}

func TestEndOfTheProcessEndsItsInvocationAtOnce(t *testing.T) {
	t.Parallel()
	b := setup(t, time.Minute)
	id, done := b.take(t, "work")
	b.env.Exited(errors.New("signal: killed"))
	got := <-done
	failure, ok := errors.AsType[*FunctionError](got.err)
	if !ok || failure.Type != TypeExit || !strings.Contains(failure.Message, "signal: killed") || failure.RequestID != id {
		t.Errorf("invoke = %+v", got)
	}
	// The former incarnation cannot answer any more.
	if status := b.post(t, "invocation/"+id+"/response", strings.NewReader("late")); status != http.StatusForbidden {
		t.Errorf("late response: status %d", status)
	}
}

func TestInvocationNotHandedOverGoesToAnotherEnvironment(t *testing.T) {
	t.Parallel()
	b := setup(t, time.Minute)
	ctx, cancel := context.WithCancel(t.Context())
	polled := make(chan struct{})
	go func() {
		defer close(polled)
		_, _ = b.next(ctx)
	}()
	<-b.env.Ready()
	cancel() // the process dies while it waits
	<-polled
	b.env.Exited(nil)

	second := &bundle{function: b.function, env: b.function.NewEnvironment("worker-2", &sandbox{})}
	id, done := second.take(t, "work")
	second.post(t, "invocation/"+id+"/response", strings.NewReader("ok"))
	if got := <-done; got.err != nil || got.result.Process != "worker-2" {
		t.Errorf("invoke = %+v", got)
	}
}

func TestProcessThatPassesTheLimitIsKilled(t *testing.T) {
	t.Parallel()
	b := setup(t, 30*time.Millisecond)
	id, done := b.take(t, "slow")
	got := <-done
	failure, ok := errors.AsType[*FunctionError](got.err)
	if !ok || failure.Type != TypeTimeout || failure.Message != "Task timed out after 0.03 seconds" {
		t.Errorf("invoke = %+v", got)
	}
	if status := b.post(t, "invocation/"+id+"/response", strings.NewReader("late")); status != http.StatusBadRequest {
		t.Errorf("late response: status %d", status)
	}
	for deadline := time.Now().Add(5 * time.Second); b.sandbox.kills.Load() != 1; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("process was not killed")
		}
	}
}

func TestFunctionErrorIsReported(t *testing.T) {
	t.Parallel()
	cases := map[string]struct{ body, kind, message string }{
		"as documented": {`{"errorMessage":"no","errorType":"errorString"}`, "errorString", "no"},
		"without type":  {`{"errorMessage":"no"}`, TypeUnhandled, "no"},
		"not JSON":      {`boom`, TypeUnhandled, "the function reported an error of unknown shape"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t, time.Minute)
			id, done := b.take(t, "work")
			b.post(t, "invocation/"+id+"/error", strings.NewReader(c.body))
			got := <-done
			failure, ok := errors.AsType[*FunctionError](got.err)
			if !ok || failure.Type != c.kind || failure.Message != c.message || string(failure.Payload) != c.body {
				t.Errorf("invoke = %+v", got)
			}
		})
	}
}

func TestInitErrorIsKept(t *testing.T) {
	t.Parallel()
	b := setup(t, time.Minute)
	if status := b.post(t, "init/error", strings.NewReader(`{"errorMessage":"no table","errorType":"Config"}`)); status != http.StatusAccepted {
		t.Errorf("status %d", status)
	}
	if failure := b.env.InitError(); failure == nil || failure.Message != "no table" {
		t.Errorf("init error = %+v", failure)
	}
}

func TestOversizedPayloads(t *testing.T) {
	t.Parallel()
	b := setup(t, time.Minute)
	_, err := b.function.Invoke(t.Context(), Request{Payload: make([]byte, MaxPayload+1)})
	if !errors.Is(err, ErrPayloadTooLarge) {
		t.Errorf("event: %v", err)
	}
	id, done := b.take(t, "work")
	status := b.post(t, "invocation/"+id+"/response", bytes.NewReader(make([]byte, MaxPayload+1)))
	if status != http.StatusRequestEntityTooLarge {
		t.Errorf("answer: status %d", status)
	}
	if failure, ok := errors.AsType[*FunctionError]((<-done).err); !ok || failure.Type != TypeTooLarge {
		t.Errorf("answer: %+v", failure)
	}
}

func TestCallerGivesUpWhileTheFunctionGoesOn(t *testing.T) {
	t.Parallel()
	b := setup(t, time.Minute)
	ctx, cancel := context.WithCancel(t.Context())
	done := b.invoke(ctx, "work")
	polled, err := b.next(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	if got := <-done; !errors.Is(got.err, context.Canceled) {
		t.Errorf("invoke = %+v", got)
	}
	if status := b.post(t, "invocation/"+polled.id()+"/response", strings.NewReader("done")); status != http.StatusAccepted {
		t.Errorf("response after the caller left: status %d", status)
	}
}

func TestProcessIsFrozenWhileItWaits(t *testing.T) {
	t.Parallel()
	b := setup(t, time.Minute)
	first := make(chan string, 1)
	go func() {
		polled, err := b.next(t.Context())
		if err != nil {
			t.Error(err)
		}
		first <- polled.id()
	}()
	for deadline := time.Now().Add(5 * time.Second); b.sandbox.frozen.Load() != 1; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("process was not frozen")
		}
	}
	done := b.invoke(t.Context(), "work")
	id := <-first
	if b.sandbox.frozen.Load() != 0 {
		t.Error("process is frozen while it works")
	}
	b.post(t, "invocation/"+id+"/response", strings.NewReader("ok"))
	if got := <-done; got.err != nil {
		t.Error(got.err)
	}
}

func TestServerCloseEndsWaitingInvocations(t *testing.T) {
	t.Parallel()
	b := setup(t, time.Minute)
	done := b.invoke(t.Context(), "work")
	if err := b.function.server.Close(); err != nil {
		t.Fatal(err)
	}
	if got := <-done; !errors.Is(got.err, ErrClosed) {
		t.Errorf("invoke = %+v", got)
	}
}
