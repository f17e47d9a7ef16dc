package openapitest

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
)

const taskPath = "/v1/conversations/01KB7Q0000C0NVERSAT1000001/tasks/01KB7Q1G01TASK000000000001"

// example is a documented answer of one call.
func example(t *testing.T, method, path string, status int, name string) answer {
	t.Helper()
	a := answer{method: method, path: path, status: status}
	found, response := documented(t, a)
	a.keyed = found.keyed()
	for media, content := range response.Content {
		a.header = a.headerOf(response, media)
		body, err := json.Marshal(content.Examples[name].Value.Value)
		if err != nil {
			t.Fatal(err)
		}
		a.body = body
	}
	if len(response.Content) == 0 {
		a.header = a.headerOf(response, "")
	}
	return a
}

func wantError(t *testing.T, a answer, part string) {
	t.Helper()
	if err := a.check(); err == nil || !strings.Contains(err.Error(), part) {
		t.Errorf("error = %v, want one about %q", err, part)
	}
}

func TestUnknownPathsAndMethods(t *testing.T) {
	t.Parallel()
	unknown := example(t, http.MethodGet, taskPath, 404, "not_found")
	unknown.path = "/v2/everything"
	if err := unknown.check(); err != nil {
		t.Errorf("404 for an unknown path: %v", err)
	}
	unknown.status = http.StatusOK
	wantError(t, unknown, "not documented")

	other := example(t, http.MethodDelete, "/v1/documents", 405, "method_not_allowed")
	if err := other.check(); err != nil {
		t.Errorf("405 for another method: %v", err)
	}
	other.header.Set("Allow", "GET")
	wantError(t, other, "POST is documented and not in Allow")
	other.header.Set("Allow", "GET, POST, DELETE")
	wantError(t, other, "DELETE is in Allow")
	other.method = http.MethodGet
	wantError(t, other, "not documented")
}

func TestHeadIsGetWithoutABody(t *testing.T) {
	t.Parallel()
	head := example(t, http.MethodGet, taskPath, 200, "waiting")
	head.method = http.MethodHead
	wantError(t, head, "where there is none")
	head.body = nil
	if err := head.check(); err != nil {
		t.Error(err)
	}
}

func TestNotModifiedHasNoBody(t *testing.T) {
	t.Parallel()
	same := example(t, http.MethodGet, taskPath, 304, "")
	if err := same.check(); err != nil {
		t.Error(err)
	}
	same.body = []byte("{}")
	wantError(t, same, "where there is none")
}

func TestBodiesThatParsersReadDifferentlyAreRefused(t *testing.T) {
	t.Parallel()
	for name, body := range map[string]string{
		"duplicate names":    `{"status":"ok","status":"ok"}`,
		"bad UTF-8":          "{\"status\":\"ok\xff\"}",
		"unpaired surrogate": `{"status":"ok","x":"\ud800"}`,
		"text behind":        `{"status":"ok"} {}`,
		"nothing":            ``,
	} {
		a := example(t, http.MethodGet, "/healthz", 200, "running")
		a.body = []byte(body)
		if a.check() == nil {
			t.Errorf("%s accepted", name)
		}
	}
}

func TestOtherMediaTypesAreRefused(t *testing.T) {
	t.Parallel()
	for _, media := range []string{"", "text/plain", "application/problem+json", "text/html"} {
		a := example(t, http.MethodGet, "/healthz", 200, "running")
		a.header.Set("Content-Type", media)
		if a.check() == nil {
			t.Errorf("%q accepted", media)
		}
	}
	a := example(t, http.MethodGet, "/healthz", 200, "running")
	a.header.Set("Content-Type", "application/json; charset=utf-8")
	if err := a.check(); err != nil {
		t.Error(err)
	}
	problem := example(t, http.MethodGet, taskPath, 404, "not_found")
	problem.header.Set("Content-Type", "application/json")
	wantError(t, problem, "404")
}

func TestProblemsTellTheSameInEveryPlace(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ from, to, part string }{
		{`"status":404`, `"status":400`, "status"},
		{`"code":"not_found"`, `"code":"gone"`, "code"},
		{`problem:not_found`, `problem:gone`, "problem has type"},
		{`5f1c0a52`, `00000000`, "request id"},
	} {
		a := example(t, http.MethodGet, taskPath, 404, "not_found")
		a.body = []byte(strings.Replace(string(a.body), tt.from, tt.to, 1))
		wantError(t, a, tt.part)
	}
}

func TestProblemsCarryWhatTheirCodePromises(t *testing.T) {
	t.Parallel()
	const messages = "/v1/conversations/01KB7Q0000C0NVERSAT1000001/messages"
	for _, tt := range []struct {
		path, code, member string
		status             int
	}{
		{messages, "field_missing", "field", 400},
		{messages, "message_too_large", "field", 413},
		{messages, "idempotency_window_over", "location", 410},
		{messages, "gone", "location", 410},
		{taskPath + "/cancel", "task_ended", "task", 409},
	} {
		a := example(t, http.MethodPost, tt.path, tt.status, tt.code)
		var body map[string]any
		if err := json.Unmarshal(a.body, &body); err != nil {
			t.Fatal(err)
		}
		delete(body, tt.member)
		var err error
		if a.body, err = json.Marshal(body); err != nil {
			t.Fatal(err)
		}
		if a.check() == nil {
			t.Errorf("%s accepted without %s", tt.code, tt.member)
		}
	}
}

// Members of a task that contradict its status.
func TestTasksThatContradictThemselvesAreRefused(t *testing.T) {
	t.Parallel()
	reply := map[string]any{"text": "x", "cut_short": false, "provider": "p", "model": "", "language_model": true}
	const time = "2026-11-29T14:07:02.310Z"
	for _, tt := range []struct {
		example, what string
		change        func(task map[string]any)
	}{
		{"waiting", "reply while pending", func(task map[string]any) { task["reply"] = reply }},
		{"working", "reply while running", func(task map[string]any) { task["reply"] = reply }},
		{"failed", "reply when failed", func(task map[string]any) { task["reply"] = reply }},
		{"cancelled", "reply when cancelled", func(task map[string]any) { task["reply"] = reply }},
		{"saved", "no reply when completed", func(task map[string]any) { delete(task, "reply") }},
		{"saved", "empty reply", func(task map[string]any) { task["reply"].(map[string]any)["text"] = "" }},
		{"saved", "no end", func(task map[string]any) { delete(task, "ended_at") }},
		{"saved", "failure when completed", func(task map[string]any) { task["failure"] = map[string]any{"reason": "deadline"} }},
		{"saved", "previous attempt when completed", func(task map[string]any) { task["previous_attempt"] = "unknown" }},
		{"failed", "no reason", func(task map[string]any) { delete(task, "failure") }},
		{"failed", "reason of our own", func(task map[string]any) { task["failure"] = map[string]any{"reason": "bad luck"} }},
		{"working", "end while running", func(task map[string]any) { task["ended_at"] = time }},
		{"working", "next attempt while running", func(task map[string]any) { task["next_attempt_at"] = time }},
		{"waiting", "time without milliseconds", func(task map[string]any) { task["created_at"] = "2026-11-29T14:07:02Z" }},
		{"waiting", "time with an offset", func(task map[string]any) { task["created_at"] = "2026-11-29T14:07:02.310+01:00" }},
		{"waiting", "id in lower case", func(task map[string]any) { task["id"] = "01kb7q1g01task000000000001" }},
		{"waiting", "lease", func(task map[string]any) { task["lease_expires_at"] = time }},
	} {
		a := example(t, http.MethodGet, taskPath, 200, tt.example)
		var task map[string]any
		if err := json.Unmarshal(a.body, &task); err != nil {
			t.Fatal(err)
		}
		if !goesOn(a.body) {
			a.header.Del("Retry-After")
		}
		if err := a.check(); err != nil {
			t.Fatal(err)
		}
		tt.change(task)
		var err error
		if a.body, err = json.Marshal(task); err != nil {
			t.Fatal(err)
		}
		if a.check() == nil {
			t.Errorf("%s accepted", tt.what)
		}
	}
}

func TestReadersOfATaskThatGoesOnLearnWhenToAskAgain(t *testing.T) {
	t.Parallel()
	waiting := example(t, http.MethodGet, taskPath, 200, "waiting")
	waiting.header.Del("Retry-After")
	wantError(t, waiting, "Retry-After")
	saved := example(t, http.MethodGet, taskPath, 200, "saved")
	wantError(t, saved, "Retry-After")
}

func TestSentHeadersAreExposed(t *testing.T) {
	t.Parallel()
	for _, name := range exposed {
		a := example(t, http.MethodPost, "/v1/conversations/01KB7Q0000C0NVERSAT1000001/messages", 202, "accepted")
		a.header.Set("ETag", `"x"`)
		list := strings.ReplaceAll(a.header.Get("Access-Control-Expose-Headers"), name, "X-Other")
		a.header.Set("Access-Control-Expose-Headers", list)
		wantError(t, a, "sent and not exposed")
		a.header.Set("Access-Control-Expose-Headers", list+","+strings.ToLower(name))
		if err := a.check(); err != nil {
			t.Errorf("%s in lower case: %v", name, err)
		}
	}
}

func TestCallsTellOfTheirKeyOrOfNone(t *testing.T) {
	t.Parallel()
	read := example(t, http.MethodGet, taskPath, 200, "waiting")
	read.header.Set("Idempotency-Replayed", "false")
	wantError(t, read, "takes a key: false")

	for _, name := range []string{headerKey, "Idempotency-Replayed", "Idempotency-Expires"} {
		down := example(t, http.MethodPost, "/v1/conversations", 503, "store_unavailable")
		down.header.Del(name)
		wantError(t, down, "takes a key: true")
	}
	for code, status := range map[string]int{"idempotency_key_missing": 400, "idempotency_key_malformed": 400, "unauthorized": 401} {
		unread := example(t, http.MethodPost, "/v1/conversations", status, code)
		unread.header.Del(headerKey)
		if err := unread.check(); err != nil {
			t.Errorf("%s without a key to echo: %v", code, err)
		}
	}
}

// recorder is a testing.TB that keeps failures.
type recorder struct {
	testing.TB
	failed bool
}

func (r *recorder) Helper()               {}
func (r *recorder) Errorf(string, ...any) { r.failed = true }

func TestValidateFailsTheTest(t *testing.T) {
	t.Parallel()
	good := example(t, http.MethodGet, "/healthz", 200, "running")
	for body, want := range map[string]bool{string(good.body): false, `{"status":"well"}`: true} {
		r := &recorder{TB: t}
		Validate(r, good.method, good.path, good.status, good.header, []byte(body))
		if r.failed != want {
			t.Errorf("%s: failed = %t, want %t", body, r.failed, want)
		}
	}
	r := &recorder{TB: t}
	ValidateRequest(r, http.MethodGet, "/healthz", http.Header{}, nil)
	if r.failed {
		t.Error("a good request fails the test")
	}
	ValidateRequest(r, http.MethodGet, "/nothing", http.Header{}, nil)
	if !r.failed {
		t.Error("an unknown request does not fail the test")
	}
}
