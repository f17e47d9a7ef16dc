package lambdahandler_test

import (
	"strings"
	"testing"

	"github.com/aws/aws-lambda-go/events"

	"github.com/replyonce/replyonce/shared/storeerror"
)

// A page on another origin: the preflight allows what the page sends, and every
// answer, refusals included, may be read by it.
func TestCaseA4CORSOnEveryAnswer(t *testing.T) {
	t.Parallel()
	f := &faulty{}
	h := newHarness(t, withFaults(f))
	h.api.AllowedOrigin = "https://app.example.com"
	th := h.thread(t)
	preflight := h.do(t, call{method: "OPTIONS", path: th.messages(), edit: func(e *events.APIGatewayProxyRequest) {
		e.RequestContext.Authorizer = nil // browsers send no token with it
		e.Headers["Access-Control-Request-Method"] = post
	}})
	if preflight.status != 204 || preflight.body != "" {
		t.Fatalf("preflight %d %q", preflight.status, preflight.body)
	}
	for _, name := range []string{"Idempotency-Key", "Authorization", "Content-Type", "If-None-Match"} {
		if !strings.Contains(preflight.headers["Access-Control-Allow-Headers"], name) {
			t.Errorf("preflight does not allow %s", name)
		}
	}
	if preflight.headers["Access-Control-Allow-Methods"] != "OPTIONS, POST" || preflight.headers["Access-Control-Max-Age"] == "" {
		t.Errorf("preflight: %v", preflight.headers)
	}

	results := map[string]result{
		"preflight":     preflight,
		"accepted":      h.do(t, th.submit("r-1", "Who decides?")).want(202, ""),
		"replayed":      h.do(t, th.submit("r-1", "Who decides?")).want(200, ""),
		"reused":        h.do(t, th.submit("r-1", "Who pays?")).want(422, "idempotency_key_reused"),
		"refused":       h.do(t, th.submit("", "Who decides?")).want(400, "idempotency_key_missing"),
		"unknown":       h.do(t, call{method: get, path: "/nothing"}).want(404, "not_found"),
		"wrong method":  h.do(t, call{method: "DELETE", path: th.messages()}).want(405, "method_not_allowed"),
		"read":          h.do(t, call{method: get, path: "/v1/documents"}).want(200, ""),
		"page":          h.do(t, call{method: get, path: "/"}).want(200, ""),
		"configuration": h.do(t, call{method: get, path: "/config.json"}).want(200, ""),
	}
	f.accept = inOrder(refusing(storeerror.ErrUnavailable))
	results["unavailable"] = h.do(t, th.submit("r-2", "Who decides?")).want(503, "store_unavailable")
	for name, res := range results {
		if res.headers["Access-Control-Allow-Origin"] != "https://app.example.com" || !strings.Contains(res.headers["Vary"], "Origin") {
			t.Errorf("%s: origin %q, vary %q", name, res.headers["Access-Control-Allow-Origin"], res.headers["Vary"])
		}
		for _, exposed := range []string{"Location", "ETag", "Retry-After", "Idempotency-Key", "Idempotency-Replayed", "Idempotency-Expires", "X-Gateway-Request-Id"} {
			if !strings.Contains(res.headers["Access-Control-Expose-Headers"], exposed) {
				t.Errorf("%s: %s is not exposed", name, exposed)
			}
		}
	}
}

func TestSecurityHeaders(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	page := h.do(t, call{method: get, path: "/"}).want(200, "")
	if page.headers["Content-Security-Policy"] != pagePolicy {
		t.Errorf("policy of the page: %q", page.headers["Content-Security-Policy"])
	}
	api := h.do(t, call{method: get, path: "/healthz"}).want(200, "")
	if !strings.Contains(api.headers["Content-Security-Policy"], "default-src 'none'") {
		t.Errorf("policy of an API answer: %q", api.headers["Content-Security-Policy"])
	}
	for _, res := range []result{page, api} {
		for name, want := range map[string]string{
			"X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer", "Cross-Origin-Opener-Policy": "same-origin",
			"Strict-Transport-Security": "max-age=31536000",
		} {
			if res.headers[name] != want {
				t.Errorf("%s: %q, want %q", name, res.headers[name], want)
			}
		}
		if !strings.Contains(res.headers["Permissions-Policy"], "camera=()") {
			t.Errorf("Permissions-Policy %q", res.headers["Permissions-Policy"])
		}
	}
	plain := h.do(t, call{method: get, path: "/", headers: map[string]string{"X-Forwarded-Proto": "http"}})
	if plain.headers["Strict-Transport-Security"] != "" {
		t.Error("a page on plain http demands https for a year")
	}
}
