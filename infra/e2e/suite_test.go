package e2e_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/replyonce/replyonce/infra/e2e"
	"github.com/replyonce/replyonce/infra/local/stack"
)

// running is the stack that all tests check, nil with -short.
var running *stack.Stack

func TestMain(m *testing.M) { os.Exit(runTests(m)) }

func runTests(m *testing.M) int {
	if slices.Contains(os.Args, "-test.short=true") {
		return m.Run()
	}
	var err error
	if running, err = stack.Start(context.Background(), stack.Options{APIs: 4}); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer func() { _ = running.Close() }()
	return m.Run()
}

// fault breaks what comes back for a request, or the request itself.
type fault struct {
	request func(*http.Request)
	answer  func(*http.Request, *answered)
}

// answered is an answer whose body the proxy closes.
type answered http.Response

// broken serves the stack with a fault.
func broken(t *testing.T, f fault) string {
	t.Helper()
	target, err := url.Parse(running.URL())
	if err != nil {
		t.Fatal(err)
	}
	proxy := &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(target)
			if f.request != nil {
				f.request(r.Out)
			}
		},
		ModifyResponse: func(r *http.Response) error {
			if f.answer != nil {
				f.answer(r.Request, (*answered)(r))
			}
			return nil
		},
	}
	server := httptest.NewServer(proxy)
	t.Cleanup(server.Close)
	return server.URL
}

func play(t *testing.T, endpoint string, engine e2e.Engine) []e2e.Outcome {
	t.Helper()
	if running == nil {
		t.Skip("it starts processes: run without -short")
	}
	outcomes, err := e2e.Run(t.Context(), e2e.Options{
		Endpoint: endpoint, SignIn: running.URL(), Patience: 30 * time.Second, Engine: engine,
	})
	if err != nil {
		t.Fatal(err)
	}
	return outcomes
}

func TestTheStackIsAsItMustBe(t *testing.T) {
	t.Parallel()
	if running == nil {
		t.Skip("it starts processes: run without -short")
	}
	for _, o := range play(t, running.URL(), e2e.Engine{}) {
		if o.Result != e2e.Good {
			t.Errorf("%s: %s %s", o.Check.Name, o.Result, o.Why)
		}
	}
}

// replace puts a text into the body in place of another.
func replace(r *answered, from, to string) {
	body, _ := io.ReadAll(r.Body)
	body = bytes.ReplaceAll(body, []byte(from), []byte(to))
	r.Body = io.NopCloser(bytes.NewReader(body))
	r.ContentLength = int64(len(body))
	r.Header.Del("Content-Length")
}

// faults are one for each check, which has to find it.
func faults() map[string]fault {
	on := func(method, part string, do func(*answered)) fault {
		return fault{answer: func(request *http.Request, r *answered) {
			if request.Method == method && strings.Contains(request.URL.Path, part) {
				do(r)
			}
		}}
	}
	status := func(from, to int) func(*answered) {
		return func(r *answered) {
			if r.StatusCode == from {
				r.StatusCode = to
			}
		}
	}
	without := func(name string) func(*answered) {
		return func(r *answered) { r.Header.Del(name) }
	}
	return map[string]fault{
		"health":    on("GET", "/healthz", status(200, 503)),
		"page":      on("GET", "/assets/", func(r *answered) { r.Header.Set("Content-Type", "text/plain") }),
		"settings":  on("GET", "/config.json", func(r *answered) { replace(r, `"kind":"local"`, `"kind":""`) }),
		"contract":  on("GET", "/openapi.json", status(200, 401)),
		"preflight": on("OPTIONS", "", without("Access-Control-Allow-Headers")),
		"no token": {request: func(r *http.Request) {
			if r.Header.Get("Authorization") == "" && r.Method == "GET" {
				token, _ := running.SignIn("anybody", "anywhere")
				r.Header.Set("Authorization", "Bearer "+token)
			}
		}},
		"forged token": {request: func(r *http.Request) {
			if strings.HasSuffix(r.Header.Get("Authorization"), ".") {
				token, _ := running.SignIn("anybody", "anywhere")
				r.Header.Set("Authorization", "Bearer "+token)
			}
		}},
		"CORS on refusals": {answer: func(_ *http.Request, r *answered) {
			if r.StatusCode == 401 {
				r.Header.Del("Access-Control-Allow-Origin")
			}
		}},
		"document":     on("POST", "/documents", without("Idempotency-Replayed")),
		"field errors": on("POST", "/messages", func(r *answered) { replace(r, `"field":"temperature"`, `"field":"text"`) }),
		"unknown path": on("GET", "/nothing", func(r *answered) { r.Header.Set("Content-Type", "text/html") }),
		"submit":       on("POST", "/messages", without("Location")),
		"repeat": {request: func(r *http.Request) {
			if strings.HasSuffix(r.URL.Path, "/messages") && r.Header.Get("Idempotency-Key") != "" {
				r.Header.Set("Idempotency-Key", uuid.NewString())
			}
		}},
		"conflict":          on("POST", "/messages", status(422, 202)),
		"reply":             on("GET", "/tasks/", func(r *answered) { replace(r, `"status":"completed"`, `"status":"failed"`) }),
		"repeat afterwards": on("POST", "/messages", func(r *answered) { replace(r, `"calls":1`, `"calls":2`) }),
		"reload":            on("GET", "/conversations/", status(304, 200)),
		"regenerate":        on("POST", "/regenerate", status(200, 202)),
		"cancel": {request: func(r *http.Request) {
			if strings.HasSuffix(r.URL.Path, "/cancel") {
				r.URL.Path, r.Method, r.Body = "/healthz", http.MethodGet, http.NoBody
			}
		}},
		"exact text": on("GET", "/conversations/", func(r *answered) { replace(r, "図書館", "???") }),
		"foreign ids": {request: func(r *http.Request) {
			if token := r.Header.Get("Authorization"); token != "" && strings.Contains(r.URL.Path, "/documents/") {
				alices, _ := running.SignIn("alice", "acme")
				r.Header.Set("Authorization", "Bearer "+alices)
				r.URL.Path = "/v1/documents"
			}
		}},
	}
}

// A check that cannot fail is a defect: each one finds a service that is broken
// where it looks.
func TestEachCheckFindsItsFault(t *testing.T) {
	t.Parallel()
	broken, checks := faults(), e2e.Checks()
	if len(broken) != len(checks) {
		t.Errorf("%d faults for %d checks", len(broken), len(checks))
	}
	for _, check := range checks {
		t.Run(check.Name, func(t *testing.T) {
			t.Parallel()
			findsFault(t, check.Name, broken[check.Name])
		})
	}
}

func findsFault(t *testing.T, name string, f fault) {
	t.Helper()
	if running == nil {
		t.Skip("it starts processes: run without -short")
	}
	outcomes := play(t, broken(t, f), e2e.Engine{})
	i := slices.IndexFunc(outcomes, func(o e2e.Outcome) bool { return o.Check.Name == name })
	if i < 0 || outcomes[i].Result != e2e.Deviates || e2e.Passed(outcomes) {
		t.Errorf("the fault was not found: %+v", outcomes)
	}
}

// What an engine is known for is printed and is no failure, as long as it is
// exactly that.
func TestKnownDeviations(t *testing.T) {
	t.Parallel()
	if running == nil {
		t.Skip("it starts processes: run without -short")
	}
	address := broken(t, faults()["health"])
	for says, passes := range map[string]bool{"answered 503": true, "answered 500": false} {
		outcomes := play(t, address, e2e.Engine{Name: "odd", Deviations: map[string]e2e.Deviation{"health": {Says: says, Reason: "it is odd"}}})
		if e2e.Passed(outcomes) != passes {
			t.Errorf("known for %q: passed is %t: %+v", says, !passes, outcomes[0])
		}
	}
}
