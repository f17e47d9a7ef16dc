package lambdahandler_test

import (
	"strings"
	"testing"

	"github.com/aws/aws-lambda-go/events"
)

func TestMethods(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	th := h.thread(t)
	tests := []struct{ method, path, allow string }{
		{"PUT", "/v1/documents", "GET, HEAD, OPTIONS, POST"},
		{"PATCH", "/v1/documents/" + th.document, "DELETE, GET, HEAD, OPTIONS"},
		{get, "/v1/uploads", "OPTIONS, POST"},
		{"PUT", "/v1/uploads/" + someID + "/complete", "OPTIONS, POST"},
		{get, "/v1/documents/" + th.document + "/versions", "OPTIONS, POST"},
		{"PATCH", "/v1/conversations", "GET, HEAD, OPTIONS, POST"},
		{get, th.messages(), "OPTIONS, POST"},
		{post, th.task(someID), "GET, HEAD, OPTIONS"},
		{get, th.task(someID) + "/cancel", "OPTIONS, POST"},
		{post, "/healthz", "GET, HEAD, OPTIONS"},
		{post, "/", "GET, HEAD, OPTIONS"},
		{"BREW", "/assets/app.js", "GET, HEAD, OPTIONS"},
	}
	for _, tt := range tests {
		res := h.do(t, call{method: tt.method, path: tt.path}).want(405, "method_not_allowed")
		if res.headers["Allow"] != tt.allow {
			t.Errorf("%s %s: Allow %q, want %q", tt.method, tt.path, res.headers["Allow"], tt.allow)
		}
	}
}

// The path arrives without its stage, as documented; with it, from some
// emulators; and behind the base path of a custom domain.
func TestStagesAndBasePaths(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	tests := map[string]struct {
		edit     func(*events.APIGatewayProxyRequest)
		location string // what stands in front of /v1
	}{
		"documented": {func(*events.APIGatewayProxyRequest) {}, "/prod"},
		"stage in the path": {func(e *events.APIGatewayProxyRequest) {
			e.Path = "/prod" + e.Path
		}, "/prod"},
		"custom domain": {func(e *events.APIGatewayProxyRequest) {
			e.PathParameters = map[string]string{"proxy": strings.TrimPrefix(e.Path, "/")}
			e.Path = "/base" + e.Path
			e.RequestContext.Path = e.Path
		}, "/base"},
		"no stage": {func(e *events.APIGatewayProxyRequest) {
			e.RequestContext.Stage, e.RequestContext.Path = "", e.Path
		}, ""},
		"no request path": {func(e *events.APIGatewayProxyRequest) { e.RequestContext.Path = "" }, ""},
		"stage named like a route": {func(e *events.APIGatewayProxyRequest) {
			e.RequestContext.Stage, e.RequestContext.Path = "v1", "/v1"+e.Path
		}, "/v1"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			res := h.do(t, call{method: post, path: "/v1/documents", key: "d-" + strings.ReplaceAll(name, " ", "-"), body: `{"title":"Rules","text":"hi"}`, edit: tt.edit}).want(201, "")
			if want := tt.location + "/v1/documents/" + res.text("id"); res.headers["Location"] != want {
				t.Errorf("Location %q, want %q", res.headers["Location"], want)
			}
		})
	}
}

func TestPageFiles(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	page := h.do(t, call{method: get, path: "/"}).want(200, "")
	if page.headers["Content-Type"] != "text/html; charset=utf-8" || page.headers["Cache-Control"] != "no-cache" || page.headers["ETag"] != `"page"` {
		t.Errorf("page: %v", page.headers)
	}
	if res := h.do(t, call{method: get, path: "/", headers: map[string]string{"If-None-Match": `"page"`}}); res.status != 304 || res.body != "" {
		t.Errorf("conditional: %d %q", res.status, res.body)
	}
	h.do(t, call{method: get, path: "/assets/app.js"}).want(200, "")
	h.do(t, call{method: get, path: "/assets/other.js"}).want(404, "not_found")
	if res := h.do(t, call{method: "OPTIONS", path: "/"}); res.status != 204 || res.headers["Allow"] != "GET, HEAD, OPTIONS" {
		t.Errorf("OPTIONS: %d %v", res.status, res.headers)
	}

	// Relative links need the slash behind the stage.
	bare := h.do(t, call{method: get, path: "/", edit: func(e *events.APIGatewayProxyRequest) { e.RequestContext.Path = "/prod" }})
	if bare.status != 308 || bare.headers["Location"] != "/prod/" {
		t.Errorf("bare stage: %d to %q", bare.status, bare.headers["Location"])
	}
}

func TestServiceDocuments(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	if body := h.do(t, call{method: get, path: "/healthz"}).want(200, "").body; body != `{"status":"ok"}` {
		t.Errorf("health: %s", body)
	}
	want := `{"sign_in":{"kind":"local"},"limits":{"message_bytes":65536,"document_bytes":1048576,"history":8},"on_unknown":{"default":"retry","allowed":["retry","stop"]},"local":true}`
	if body := h.do(t, call{method: get, path: "/config.json"}).want(200, "").body; body != want {
		t.Errorf("configuration: %s", body)
	}
	h.do(t, call{method: get, path: "/v1/openapi.json"}).want(200, "")
}

// One line per request, with the route and the ids that support asks for.
func TestRequestLog(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	th := h.thread(t)
	id := h.do(t, th.submit("r-1", "Who decides?")).want(202, "").text("id")
	h.do(t, call{method: get, path: th.task(id)}).want(200, "")
	for _, want := range []string{
		`"msg":"request","route":"POST /v1/conversations/{conversation}/messages","status":202`,
		`"msg":"task accepted"`, `"task_id":"` + id + `"`, `"idempotency_key":"r-1"`, `"gateway_request_id":"request-1"`,
		`"msg":"request","route":"GET /v1/conversations/{conversation}/tasks/{task}","status":200`, `"workspace":"acme"`, `"caller":"alice"`,
	} {
		if !h.logs.contains(want) {
			t.Errorf("the log lacks %s:\n%s", want, h.logs)
		}
	}
}
