package lambdahandler_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"maps"
	"math/rand"
	"strconv"
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/events"

	"github.com/replyonce/replyonce/shared/conversation"
	"github.com/replyonce/replyonce/shared/document"
	"github.com/replyonce/replyonce/shared/idempotency"
	"github.com/replyonce/replyonce/shared/keyed"
	"github.com/replyonce/replyonce/shared/lambdahandler"
	"github.com/replyonce/replyonce/shared/memstore"
	"github.com/replyonce/replyonce/shared/newid"
	"github.com/replyonce/replyonce/shared/openapi"
	"github.com/replyonce/replyonce/shared/runtimeconfig"
	"github.com/replyonce/replyonce/shared/taskflow"
	"github.com/replyonce/replyonce/shared/telemetry"
	"github.com/replyonce/replyonce/shared/worktask"
)

// start is when every test begins.
var start = time.Date(2026, 11, 29, 14, 0, 0, 0, time.UTC)

// stores is everything that the API asks of a store.
type stores interface {
	conversation.Store
	document.Store
	keyed.Records
	taskflow.Tasks
	taskflow.EvidenceStore
	taskflow.Objects
}

// harness is an API over a store in memory, with a clock that stands still
// until it is moved.
type harness struct {
	api     *lambdahandler.API
	store   *memstore.Store
	queue   *fakeQueue
	clock   *clock
	logs    *lockedBuffer
	metrics *countingMetrics
	timers  worktask.Timers
}

// newHarness makes one; wrap puts a faulty store in front of the real one.
func newHarness(t *testing.T, wrap ...func(stores) stores) *harness {
	t.Helper()
	h := &harness{
		store: memstore.New(memstore.Options{HideOldItem: true}), queue: &fakeQueue{}, clock: &clock{now: start},
		logs: &lockedBuffer{}, metrics: &countingMetrics{counts: map[telemetry.Metric]int{}}, timers: worktask.DefaultTimers(),
	}
	var store stores = h.store
	for _, w := range wrap {
		store = w(store)
	}
	h.api = h.newAPI(store)
	return h
}

func (h *harness) newAPI(store stores) *lambdahandler.API {
	newID := newid.NewSource(h.clock.Now, rand.New(rand.NewSource(1))).Next
	windows := idempotency.Windows{Replay: h.timers.ReplayWindow, Purge: h.timers.PurgeAfter}
	pause := func(ctx context.Context, _ int) error { return ctx.Err() }
	creator := keyed.Creator{Records: store, Windows: windows, Now: h.clock.Now, Pause: pause}
	log := slog.New(slog.NewJSONHandler(h.logs, nil))
	return &lambdahandler.API{
		Documents: document.Service{Store: store, Creator: creator, NewID: newID, Now: h.clock.Now},
		Conversations: conversation.Service{
			Store: store, Documents: store, Writer: taskflow.Writer{Tasks: store, Now: h.clock.Now, Pause: pause},
			Evidence: store, Objects: store, Queue: h.queue, Creator: creator, NewID: newID, Now: h.clock.Now,
			Timers: h.timers, OnUnknown: worktask.RetryUnknown, OnUnknownAllowed: worktask.UnknownPolicies(),
			Log: log, Metrics: h.metrics,
		},
		Windows: windows, AllowedOrigin: "*", SignIn: runtimeconfig.SignIn{Kind: runtimeconfig.SignInLocal}, Local: true,
		OpenAPI: openapi.Document(), Static: staticFiles, ContentSecurityPolicy: pagePolicy,
		NewID: newID, Now: h.clock.Now, Log: log, Metrics: h.metrics,
	}
}

const pagePolicy = "default-src 'none'; script-src 'self'"

func staticFiles(path string) (lambdahandler.StaticFile, bool) {
	file, found := map[string]lambdahandler.StaticFile{
		"/":              {Body: []byte("<!doctype html>"), ContentType: "text/html; charset=utf-8", ETag: `"page"`, CacheControl: "no-cache"},
		"/assets/app.js": {Body: []byte("export {}"), ContentType: "text/javascript; charset=utf-8", ETag: `"app"`, CacheControl: "no-cache"},
	}[path]
	return file, found
}

// call is a request as a test describes it.
type call struct {
	method, path string
	query        map[string]string
	key          string // Idempotency-Key; empty: none
	body         string
	headers      map[string]string
	caller       string // empty: alice
	workspace    string // empty: acme
	edit         func(*events.APIGatewayProxyRequest)
}

const (
	get  = "GET"
	post = "POST"
)

// event is the documented proxy event of the call, with null maps where there
// is nothing, as API Gateway sends them.
func (c call) event(now time.Time) events.APIGatewayProxyRequest {
	headers := map[string]string{"Content-Type": "application/json", "X-Forwarded-Proto": "https"}
	if c.key != "" {
		headers["Idempotency-Key"] = c.key
	}
	maps.Copy(headers, c.headers)
	multi := map[string][]string{}
	for name, value := range headers {
		multi[name] = []string{value}
	}
	event := events.APIGatewayProxyRequest{
		Resource: "/{proxy+}", Path: c.path, HTTPMethod: c.method, Headers: headers, MultiValueHeaders: multi,
		QueryStringParameters: c.query, Body: c.body,
		RequestContext: events.APIGatewayProxyRequestContext{
			RequestID: "request-1", Stage: "prod", Path: "/prod" + c.path, HTTPMethod: c.method,
			Authorizer: map[string]any{
				"caller": orElse(c.caller, "alice"), "workspace": orElse(c.workspace, "acme"),
				"expires_at": strconv.FormatInt(now.Add(time.Hour).Unix(), 10),
			},
		},
	}
	if c.edit != nil {
		c.edit(&event)
	}
	return event
}

func orElse(text, otherwise string) string {
	if text == "" {
		return otherwise
	}
	return text
}

// result is an answer as a test looks at it.
type result struct {
	t       *testing.T
	status  int
	headers map[string]string
	body    string
}

func (h *harness) do(t *testing.T, c call) result {
	t.Helper()
	return h.send(t, t.Context(), c)
}

func (h *harness) send(t *testing.T, ctx context.Context, c call) result {
	t.Helper()
	res, err := h.api.Handle(ctx, c.event(h.clock.Now()))
	if err != nil {
		t.Fatalf("%s %s: %v", c.method, c.path, err)
	}
	r := result{t, res.StatusCode, res.Headers, res.Body}
	r.checkCommon(c)
	return r
}

// checkCommon holds every answer to what all have.
func (r result) checkCommon(c call) {
	r.t.Helper()
	for _, name := range []string{
		"Access-Control-Allow-Origin", "Access-Control-Expose-Headers", "X-Content-Type-Options",
		"Content-Security-Policy", "Referrer-Policy", "X-Gateway-Request-Id", "Cache-Control",
	} {
		if r.headers[name] == "" {
			r.t.Errorf("%s %s: %d without %s", c.method, c.path, r.status, name)
		}
	}
	if r.status >= 400 && r.body != "" {
		r.checkProblem(c)
	}
	validate(r.t, c, r)
}

func (r result) checkProblem(c call) {
	r.t.Helper()
	p := r.json()
	if r.headers["Content-Type"] != "application/problem+json" {
		r.t.Errorf("%s %s: problem of type %q", c.method, c.path, r.headers["Content-Type"])
	}
	code, _ := p["code"].(string)
	if p["type"] != "urn:replyonce:problem:"+code || p["status"] != float64(r.status) || p["title"] == "" || p["detail"] == "" ||
		p["gateway_request_id"] != r.headers["X-Gateway-Request-Id"] {
		r.t.Errorf("%s %s: incomplete problem %s", c.method, c.path, r.body)
	}
}

// json is the body as an object.
func (r result) json() map[string]any {
	r.t.Helper()
	var object map[string]any
	if err := json.Unmarshal([]byte(r.body), &object); err != nil {
		r.t.Fatalf("status %d, body %q: %v", r.status, r.body, err)
	}
	return object
}

func (r result) text(field string) string {
	r.t.Helper()
	value, _ := r.json()[field].(string)
	return value
}

// want checks status and, for problems, the code.
func (r result) want(status int, code string) result {
	r.t.Helper()
	got := ""
	if r.status >= 400 {
		got = r.text("code")
	}
	if r.status != status || got != code {
		r.t.Fatalf("answer %d %q, want %d %q: %s", r.status, got, status, code, r.body)
	}
	return r
}

// wantReplayed checks the headers of a keyed call.
func (r result) wantReplayed(key, replayed string) result {
	r.t.Helper()
	if r.headers["Idempotency-Key"] != key || r.headers["Idempotency-Replayed"] != replayed || r.headers["Idempotency-Expires"] == "" {
		r.t.Errorf("headers of keyed call: %v, want key %q, replayed %s", r.headers, key, replayed)
	}
	return r
}

// claim takes a task as a worker does.
func (h *harness) claim(t *testing.T, ref worktask.Ref, id string) worktask.Assignment {
	t.Helper()
	now := h.clock.Now()
	task, err := h.store.Apply(t.Context(), ref, worktask.Claim{
		AssignmentID: id, Now: now, LeaseUntil: now.Add(h.timers.Lease), Margin: h.timers.SkewMargin, Reserve: h.timers.LeaseReserve,
	})
	if err != nil {
		t.Fatal(err)
	}
	a, ok := worktask.AssignmentOf(task, id)
	if !ok {
		t.Fatal("no assignment")
	}
	return a
}

// apply makes a worker's write.
func (h *harness) apply(t *testing.T, ref worktask.Ref, tr worktask.Transition) worktask.Task {
	t.Helper()
	task, err := h.store.Apply(t.Context(), ref, tr)
	if err != nil {
		t.Fatal(err)
	}
	return task
}
