package tracing_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-lambda-go/lambda"
	"github.com/aws/aws-lambda-go/lambdacontext"

	"github.com/replyonce/replyonce/shared/conversation"
	"github.com/replyonce/replyonce/shared/document"
	"github.com/replyonce/replyonce/shared/idempotency"
	"github.com/replyonce/replyonce/shared/identity"
	"github.com/replyonce/replyonce/shared/keyed"
	"github.com/replyonce/replyonce/shared/lambdahandler"
	"github.com/replyonce/replyonce/shared/memstore"
	"github.com/replyonce/replyonce/shared/newid"
	"github.com/replyonce/replyonce/shared/reply"
	"github.com/replyonce/replyonce/shared/sqsqueue"
	"github.com/replyonce/replyonce/shared/taskflow"
	"github.com/replyonce/replyonce/shared/telemetry"
	"github.com/replyonce/replyonce/shared/tracing"
	"github.com/replyonce/replyonce/shared/workerhandler"
	"github.com/replyonce/replyonce/shared/worktask"
)

// Texts that no span may have.
const (
	question     = "Does QUESTION-MARKER know?"
	documentText = "DOCUMENT-MARKER says that the council decides."
	replyText    = "Yes, REPLY-MARKER."
	errorText    = "the provider says ERROR-MARKER"
)

var markers = []string{"QUESTION-MARKER", "DOCUMENT-MARKER", "REPLY-MARKER", "ERROR-MARKER"}

// span is a span as a collector sees it.
type span struct {
	function   string
	traceID    string
	id, parent string
	name       string
	kind       int
	start, end int64
	failed     bool
	attributes map[string]string
}

// collector is a real one's receiving end.
type collector struct {
	*httptest.Server
	mu      sync.Mutex
	spans   []span
	bodies  bytes.Buffer
	headers http.Header
}

func newCollector(t *testing.T) *collector {
	t.Helper()
	c := &collector{}
	c.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/v1/traces" || r.Header.Get("Content-Type") != "application/json" {
			t.Errorf("%s with %s", r.URL.Path, r.Header.Get("Content-Type"))
		}
		c.take(t, r)
		_, _ = w.Write([]byte(`{"partialSuccess":{}}`))
	}))
	t.Cleanup(c.Close)
	return c
}

// received is an export request, read by the field names of the specification.
type received struct {
	ResourceSpans []struct {
		Resource   struct{ Attributes []receivedAttribute }
		ScopeSpans []struct {
			Spans []struct {
				TraceID      string `json:"traceId"`
				SpanID       string `json:"spanId"`
				ParentSpanID string `json:"parentSpanId"`
				Name         string
				Kind         int
				Start        string `json:"startTimeUnixNano"`
				End          string `json:"endTimeUnixNano"`
				Attributes   []receivedAttribute
				Status       struct{ Code int }
			}
		}
	}
}

type receivedAttribute struct {
	Key   string
	Value map[string]any
}

func (c *collector) take(t *testing.T, r *http.Request) {
	t.Helper()
	var body bytes.Buffer
	var request received
	if _, err := body.ReadFrom(r.Body); err != nil {
		t.Error(err)
	}
	if err := json.Unmarshal(body.Bytes(), &request); err != nil {
		t.Errorf("%v: %s", err, &body)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.headers = r.Header
	c.bodies.Write(body.Bytes())
	for _, resource := range request.ResourceSpans {
		function := flat(t, resource.Resource.Attributes)["service.name"]
		for _, scope := range resource.ScopeSpans {
			for _, s := range scope.Spans {
				start, _ := strconv.ParseInt(s.Start, 10, 64)
				end, _ := strconv.ParseInt(s.End, 10, 64)
				c.spans = append(c.spans, span{
					function: function, traceID: s.TraceID, id: s.SpanID, parent: s.ParentSpanID, name: s.Name, kind: s.Kind,
					start: start, end: end, failed: s.Status.Code == 2, attributes: flat(t, s.Attributes),
				})
			}
		}
	}
}

func flat(t *testing.T, attributes []receivedAttribute) map[string]string {
	t.Helper()
	m := map[string]string{}
	for _, a := range attributes {
		if len(a.Value) != 1 {
			t.Errorf("attribute %s has the values %v", a.Key, a.Value)
		}
		for _, value := range a.Value {
			switch value := value.(type) {
			case string:
				m[a.Key] = value
			case bool:
				m[a.Key] = strconv.FormatBool(value)
			default:
				t.Errorf("attribute %s has a value of type %T", a.Key, value)
			}
		}
	}
	return m
}

// named are the spans of a name, in the order in which they began.
func (c *collector) named(name string) []span {
	c.mu.Lock()
	defer c.mu.Unlock()
	var found []span
	for _, s := range c.spans {
		if s.name == name {
			found = append(found, s)
		}
	}
	slices.SortStableFunc(found, func(a, b span) int { return int(a.start - b.start) })
	return found
}

// one is the only span of a name.
func (c *collector) one(t *testing.T, name string) span {
	t.Helper()
	found := c.named(name)
	if len(found) != 1 {
		t.Fatalf("%d spans are named %s: %+v", len(found), name, found)
	}
	return found[0]
}

// world is the product over one store in memory. Each function that a test asks
// for is a process of its own, with a tracer of its own.
type world struct {
	t      *testing.T
	store  *memstore.Store
	timers worktask.Timers
	ids    func() string
	queue  *queue
	call   func(ctx context.Context) worktask.Outcome
	config tracing.Config
	log    *slog.Logger

	mu    sync.Mutex
	ahead time.Duration // of the real clock

	conversation string
	document     string
}

func newWorld(t *testing.T, c tracing.Config) *world {
	t.Helper()
	w := &world{
		t: t, store: memstore.New(memstore.Options{}), timers: worktask.DefaultTimers(), queue: &queue{},
		config: c, log: slog.New(slog.DiscardHandler), call: func(context.Context) worktask.Outcome { return answered() },
	}
	w.ids = newid.NewSource(w.now, rand.Reader).Next
	w.furnish()
	return w
}

func to(c *collector) tracing.Config {
	return tracing.Config{Exporter: tracing.ToOTLP, Endpoint: c.URL + "/v1/traces", Timeout: 5 * time.Second, Ratio: 1}
}

func answered() worktask.Outcome {
	return worktask.Outcome{
		Kind: worktask.Answered, Result: worktask.Result{Body: reply.Result{Text: replyText, Provider: "test"}.Encode()},
		Report: worktask.Report{Tokens: worktask.Tokens{Input: 11, Output: 7}, ProviderRequestID: "p-1"},
	}
}

func (w *world) now() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return time.Now().Add(w.ahead)
}

func (w *world) advance(d time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.ahead += d
}

func (w *world) tracer(function string) *tracing.Tracer {
	return tracing.New(tracing.Options{Function: function, Version: "test", Config: w.config, Log: w.log, Now: w.now})
}

func (w *world) creator(records keyed.Records) keyed.Creator {
	return keyed.Creator{
		Records: records, Windows: idempotency.Windows{Replay: w.timers.ReplayWindow, Purge: w.timers.PurgeAfter}, Now: w.now,
		Pause: func(context.Context, int) error { return nil },
	}
}

func (w *world) furnish() {
	w.t.Helper()
	caller := identity.Caller{ID: "alice", Workspace: "acme"}
	documents := document.Service{Store: w.store, Creator: w.creator(w.store), NewID: w.ids, Now: w.now}
	d, err := documents.Create(w.t.Context(), caller, "d", document.CreateInput{Title: "Rules", Text: documentText})
	if err != nil {
		w.t.Fatal(err)
	}
	service := conversation.Service{Store: w.store, Documents: w.store, Creator: w.creator(w.store), NewID: w.ids, Now: w.now}
	c, err := service.Create(w.t.Context(), caller, "c", conversation.CreateInput{Document: d.ID})
	if err != nil {
		w.t.Fatal(err)
	}
	w.document, w.conversation = d.ID, c.ID
}

// api is the api function, put together as its main package does.
func (w *world) api(traces *tracing.Tracer) lambda.Handler {
	creator := w.creator(traces.Records(w.store))
	return traces.Requests(&lambdahandler.API{
		Conversations: conversation.Service{
			Store: traces.Conversations(w.store), Documents: w.store,
			Writer:   taskflow.Writer{Tasks: traces.Tasks(w.store), Now: w.now, Pause: noPause},
			Evidence: w.store, Objects: w.store, Queue: traces.Queue(w.queue), Creator: creator, NewID: w.ids, Now: w.now,
			Timers: w.timers, OnUnknown: worktask.RetryUnknown, Log: w.log, Metrics: telemetry.NoMetrics{},
		},
		Windows: creator.Windows, AllowedOrigin: "*", NewID: w.ids, Now: w.now, Log: w.log, Metrics: telemetry.NoMetrics{},
	})
}

func noPause(context.Context, int) error { return nil }

// request sends a request and returns the status and the task's id.
func (w *world) request(api lambda.Handler, id, method, path, key, body string) (status int, task string) {
	w.t.Helper()
	payload, err := json.Marshal(events.APIGatewayProxyRequest{
		Resource: "/{proxy+}", Path: path, HTTPMethod: method, Body: body,
		Headers: map[string]string{"Content-Type": "application/json", "Idempotency-Key": key},
		RequestContext: events.APIGatewayProxyRequestContext{
			RequestID: id, Stage: "prod", Path: "/prod" + path,
			Authorizer: map[string]any{"caller": "alice", "workspace": "acme", "expires_at": strconv.FormatInt(w.now().Add(time.Hour).Unix(), 10)},
		},
	})
	if err != nil {
		w.t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(w.t.Context(), 25*time.Second)
	defer cancel()
	out, err := api.Invoke(lambdacontext.NewContext(ctx, &lambdacontext.LambdaContext{AwsRequestID: "invocation-" + id}), payload)
	if err != nil {
		w.t.Fatal(err)
	}
	var response events.APIGatewayProxyResponse
	var view struct{ ID string }
	if err := json.Unmarshal(out, &response); err != nil {
		w.t.Fatal(err)
	}
	_ = json.Unmarshal([]byte(response.Body), &view) // a problem has none
	return response.StatusCode, view.ID
}

// submit is one press of Send.
func (w *world) submit(api lambda.Handler, id, key, text string) (status int, task string) {
	w.t.Helper()
	body, err := json.Marshal(map[string]any{"text": text, "document": w.document, "version": 1})
	if err != nil {
		w.t.Fatal(err)
	}
	return w.request(api, id, http.MethodPost, conversation.Path(w.conversation)+"/messages", key, string(body))
}

func (w *world) cancel(api lambda.Handler, task string) {
	w.t.Helper()
	if status, _ := w.request(api, "g-cancel", http.MethodPost, conversation.TaskPath(w.conversation, task)+"/cancel", "", ""); status != http.StatusOK {
		w.t.Fatalf("cancel: %d", status)
	}
}

// worker is the worker function, put together as its main package does.
func (w *world) worker(traces *tracing.Tracer) func(context.Context, events.SQSEvent) (events.SQSEventResponse, error) {
	start := time.Now()
	runner := taskflow.Runner{
		Writer: taskflow.Writer{Tasks: traces.Tasks(w.store), Now: w.now, Pause: noPause},
		Kinds:  map[string]taskflow.Kind{reply.Kind: traces.Kind(kind{w})}, Evidence: w.store, Objects: w.store, Timers: w.timers,
		NewID: w.ids, Jitter: func() float64 { return 0.5 }, Now: w.now, Monotonic: func() time.Duration { return time.Since(start) },
		Log: w.log, Metrics: telemetry.NoMetrics{},
	}
	handler := workerhandler.Handler{
		Runner: traces.Runner(runner), Visibility: visible{}, Timers: w.timers, Now: w.now, Log: w.log,
		Remaining: func(context.Context) time.Duration { return w.timers.WorkerLimit },
	}
	return tracing.Flushing(traces, handler.Handle)
}

// deliver hands what is on the queue to a worker, as one batch.
func (w *world) deliver(worker func(context.Context, events.SQSEvent) (events.SQSEventResponse, error)) {
	w.t.Helper()
	var batch events.SQSEvent
	for i, ref := range w.queue.take() {
		body, err := sqsqueue.Encode(ref)
		if err != nil {
			w.t.Fatal(err)
		}
		batch.Records = append(batch.Records, events.SQSMessage{
			MessageId: strconv.Itoa(i), Body: body, Attributes: map[string]string{"ApproximateReceiveCount": "1"},
		})
	}
	ctx, cancel := context.WithTimeout(w.t.Context(), w.timers.WorkerLimit)
	defer cancel()
	if _, err := worker(ctx, batch); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) dispatch(traces *tracing.Tracer) {
	w.t.Helper()
	d := &taskflow.Dispatcher{
		Writer: taskflow.Writer{Tasks: traces.Tasks(w.store), Now: w.now, Pause: noPause}, Handoffs: w.store, Queue: traces.Queue(w.queue),
		Timers: w.timers, Now: w.now, Jitter: func() float64 { return 0 }, Log: w.log, Metrics: telemetry.NoMetrics{}, PageSize: 10,
	}
	sweep := func(ctx context.Context, _ struct{}) (taskflow.Sweep, error) { return d.Dispatch(ctx), nil }
	if _, err := tracing.Flushing(traces, sweep)(w.t.Context(), struct{}{}); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) task(id string) worktask.Task {
	w.t.Helper()
	t, err := w.store.Get(w.t.Context(), conversation.TaskRef("acme", w.conversation, id))
	if err != nil {
		w.t.Fatal(err)
	}
	return t
}

// kind is a reply kind whose calls the world scripts.
type kind struct{ w *world }

func (k kind) Prepare(context.Context, worktask.Task) (taskflow.Work, error) { return k, nil }

func (k kind) Call(ctx context.Context, _ func(context.Context, string) error) worktask.Outcome {
	return k.w.call(ctx)
}

func (k kind) LookUp(context.Context, string) worktask.Outcome {
	return worktask.Outcome{Kind: worktask.OperationLost}
}

type visible struct{}

func (visible) Hide(context.Context, string, time.Duration) error { return nil }

// queue keeps handoffs until they are taken.
type queue struct {
	mu   sync.Mutex
	refs []worktask.Ref
}

func (q *queue) Publish(_ context.Context, ref worktask.Ref) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.refs = append(q.refs, ref)
	return nil
}

func (q *queue) take() []worktask.Ref {
	q.mu.Lock()
	defer q.mu.Unlock()
	refs := q.refs
	q.refs = nil
	return refs
}
