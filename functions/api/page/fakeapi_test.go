package page_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/replyonce/replyonce/functions/api/page"
)

// fakeAPI is the HTTP contract in memory, below a stage prefix, with faults and
// task states that a test scripts. It keeps every request for assertions.
type fakeAPI struct {
	*httptest.Server
	prefix string

	mu       sync.Mutex
	store    fakeStore
	signIn   map[string]any
	revoked  bool // tokens made so far are refused
	tokens   int
	faults   []*fault
	requests []request
	onAccept func(*task) // state of a task right after its accept
	drills   *fakeDrills // nil: a service without drills
	bucket   *fakeBucket
	texts    bool // a service that takes no files
}

type request struct {
	method, path, key, body, ifNoneMatch string
	at                                   time.Time
}

// fault answers the next `times` matching requests in its own way. serve runs
// the real handler and returns what it would have answered.
type fault struct {
	method string
	path   *regexp.Regexp
	times  int
	handle func(w http.ResponseWriter, serve func() *httptest.ResponseRecorder)
}

func newFakeAPI(t *testing.T) *fakeAPI {
	t.Helper()
	api := &fakeAPI{
		prefix: "/prod",
		store:  newFakeStore(),
		signIn: map[string]any{"kind": "local"},
	}
	api.bucket = newFakeBucket(t)
	api.Server = httptest.NewServer(http.HandlerFunc(api.serve))
	t.Cleanup(func() {
		api.CloseClientConnections()
		api.Close()
	})
	return api
}

// pageURL is the address of the page, with a host of the test's choice.
func (a *fakeAPI) pageURL(host string) string {
	u, _ := url.Parse(a.URL)
	return "http://" + host + ":" + u.Port() + a.prefix + "/"
}

func (a *fakeAPI) fail(method, path string, times int, handle func(http.ResponseWriter, func() *httptest.ResponseRecorder)) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.faults = append(a.faults, &fault{method: method, path: regexp.MustCompile(path), times: times, handle: handle})
}

func (a *fakeAPI) heal() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.faults = nil
}

// The ways in which an answer goes missing or is replaced.

func dropBefore(w http.ResponseWriter, _ func() *httptest.ResponseRecorder) { hangUp(w) }

func dropAfterCommit(w http.ResponseWriter, serve func() *httptest.ResponseRecorder) {
	serve()
	hangUp(w)
}

func hangUp(w http.ResponseWriter) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err == nil {
		_ = conn.Close()
	}
}

// gatewayTimeout is the gateway's own 504: no problem document, no CORS header.
func gatewayTimeout(w http.ResponseWriter, serve func() *httptest.ResponseRecorder) {
	serve()
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusGatewayTimeout)
	_, _ = w.Write([]byte(`{"message": "Endpoint request timed out"}`))
}

// blockedAnswer commits and then answers in a way that the browser keeps from
// the page: a redirect to an origin that does not allow this one.
func blockedAnswer(w http.ResponseWriter, serve func() *httptest.ResponseRecorder) {
	serve()
	w.Header().Set("Location", "http://localhost:1/elsewhere")
	w.WriteHeader(http.StatusTemporaryRedirect)
}

func unavailable(retryAfter string) func(http.ResponseWriter, func() *httptest.ResponseRecorder) {
	return func(w http.ResponseWriter, _ func() *httptest.ResponseRecorder) {
		if retryAfter != "" {
			w.Header().Set("Retry-After", retryAfter)
		}
		writeProblem(w, http.StatusServiceUnavailable, "store_unavailable", "Try again soon.", nil)
	}
}

func refuse(status int, code string, extra map[string]any) func(http.ResponseWriter, func() *httptest.ResponseRecorder) {
	return func(w http.ResponseWriter, _ func() *httptest.ResponseRecorder) {
		writeProblem(w, status, code, "Change it and send it again.", extra)
	}
}

// slowly commits at once and answers when the channel is closed.
func slowly(until <-chan struct{}) func(http.ResponseWriter, func() *httptest.ResponseRecorder) {
	return func(w http.ResponseWriter, serve func() *httptest.ResponseRecorder) {
		recorded := serve()
		<-until
		copyAnswer(w, recorded)
	}
}

func copyAnswer(w http.ResponseWriter, recorded *httptest.ResponseRecorder) {
	for name, values := range recorded.Header() {
		w.Header()[name] = values
	}
	w.WriteHeader(recorded.Code)
	_, _ = w.Write(recorded.Body.Bytes())
}

func (a *fakeAPI) serve(w http.ResponseWriter, r *http.Request) {
	path, ok := strings.CutPrefix(r.URL.Path, a.prefix)
	if !ok {
		if r.URL.Path == "/elsewhere.html" {
			w.Header().Set("Content-Type", "text/html")
			_, _ = w.Write([]byte("<!doctype html><html lang=en><title>Elsewhere</title><p>Elsewhere"))
			return
		}
		http.NotFound(w, r)
		return
	}
	if file, ok := page.Lookup(path); ok && r.Method == http.MethodGet {
		a.servePage(w, r, file)
		return
	}
	if path == "/testdata/logic.js" || path == "/testdata/drill_logic.js" {
		w.Header().Set("Content-Type", "text/javascript")
		http.ServeFile(w, r, strings.TrimPrefix(path, "/"))
		return
	}
	if a.drills != nil && strings.HasPrefix(path, "/local/drills") {
		a.drills.serve(w, r, path)
		return
	}
	body := new(bytes.Buffer)
	_, _ = body.ReadFrom(r.Body)
	a.mu.Lock()
	a.requests = append(a.requests, request{
		method: r.Method, path: path, key: r.Header.Get("Idempotency-Key"), body: body.String(),
		ifNoneMatch: r.Header.Get("If-None-Match"), at: time.Now(),
	})
	hit := a.takeFault(r.Method, path)
	a.mu.Unlock()

	serve := func() *httptest.ResponseRecorder {
		recorder := httptest.NewRecorder()
		a.mu.Lock()
		defer a.mu.Unlock()
		a.route(recorder, r, path, body.Bytes())
		return recorder
	}
	if hit != nil {
		hit.handle(w, serve)
		return
	}
	copyAnswer(w, serve())
}

func (a *fakeAPI) takeFault(method, path string) *fault {
	for _, f := range a.faults {
		if f.times > 0 && f.method == method && f.path.MatchString(path) {
			f.times--
			return f
		}
	}
	return nil
}

func (a *fakeAPI) servePage(w http.ResponseWriter, r *http.Request, file page.File) {
	w.Header().Set("Content-Type", file.ContentType)
	w.Header().Set("ETag", file.ETag)
	w.Header().Set("Cache-Control", file.CacheControl)
	w.Header().Set("Content-Security-Policy", page.ContentSecurityPolicy(fmt.Sprint(a.signIn["token_endpoint"]), a.bucket.URL))
	if file.NotModified(r.Header.Get("If-None-Match")) {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	_, _ = w.Write(file.Body)
}

func writeProblem(w http.ResponseWriter, status int, code, detail string, extra map[string]any) {
	problem := map[string]any{
		"type": "urn:replyonce:problem:" + code, "title": code, "status": status, "detail": detail,
		"code": code, "gateway_request_id": "g-1",
	}
	for name, value := range extra {
		problem[name] = value
	}
	w.Header().Set("Content-Type", "application/problem+json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(problem)
}

// sent returns the requests with this method whose path matches.
func (a *fakeAPI) sent(method, path string) []request {
	a.mu.Lock()
	defer a.mu.Unlock()
	expression := regexp.MustCompile(path)
	var found []request
	for _, r := range a.requests {
		if r.method == method && expression.MatchString(r.path) {
			found = append(found, r)
		}
	}
	return found
}

const (
	messagesPath = `/v1/conversations/\w+/messages$`
	tasksPath    = `/v1/conversations/\w+/tasks/\w+$`
	spendPath    = `/v1/conversations/\w+/spend$`
)

// oneQuestion fails the test unless all submits carried one key and one body
// and made one message and one task; it returns the number of submits.
func (a *fakeAPI) oneQuestion(t *testing.T) int {
	t.Helper()
	submits := a.sent(http.MethodPost, messagesPath)
	for _, r := range submits {
		if r.key == "" || r.key != submits[0].key || r.body != submits[0].body {
			t.Errorf("submit with key %q and body %q, the first had %q and %q", r.key, r.body, submits[0].key, submits[0].body)
		}
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if messages, tasks := len(a.store.messages), len(a.store.tasks); messages != 1 || tasks != 1 {
		t.Errorf("%d messages and %d tasks after one Send, want 1 and 1", messages, tasks)
	}
	return len(submits)
}
