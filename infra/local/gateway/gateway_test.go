package gateway

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/events"

	"github.com/replyonce/replyonce/infra/local/lambdaruntime"
)

var update = flag.Bool("update", false, "write the golden files anew")

type function func(ctx context.Context, payload []byte) (string, error)

func (f function) Invoke(ctx context.Context, req lambdaruntime.Request) (lambdaruntime.Result, error) {
	answer, err := f(ctx, req.Payload)
	return lambdaruntime.Result{Payload: []byte(answer)}, err
}

// always answers every event alike.
func always(answer string) function {
	return func(context.Context, []byte) (string, error) { return answer, nil }
}

// fails is a function that reports the error.
func fails(message string) function {
	return func(context.Context, []byte) (string, error) {
		return "", fmt.Errorf("invoke: %w", &lambdaruntime.FunctionError{Type: "errorString", Message: message})
	}
}

const allowAll = `{"principalId":"alice","policyDocument":{"Version":"2012-10-17","Statement":[{"Action":["execute-api:Invoke"],` +
	`"Effect":"Allow","Resource":["arn:aws:execute-api:us-east-1:000000000000:local/prod/*"]}]},` +
	`"context":{"caller":"alice","workspace":"acme","expires_at":1795964400,"admin":false}}`

// deployed are the routes of a deployment: everything goes to the api function, which knows its paths.
var deployed = []Route{
	{Resource: "/"},
	{Resource: "/{proxy+}"},
	{Resource: "/v1"},
	{Resource: "/v1/openapi.json"},
	{Resource: "/v1/{proxy+}", Authorize: true},
}

func setup(t *testing.T, config Config) *httptest.Server {
	t.Helper()
	if config.Routes == nil {
		config.Routes = deployed
	}
	config.Stage, config.AccountID, config.Region, config.AllowedOrigin = "prod", "000000000000", "us-east-1", "*"
	if config.API == nil {
		config.API = always(`{"statusCode":200,"body":"ok"}`)
	}
	if config.Authorizer == nil {
		config.Authorizer = always(allowAll)
	}
	server := httptest.NewServer(New(config))
	t.Cleanup(server.Close)
	return server
}

type reply struct {
	status int
	header http.Header
	body   string
}

func (r reply) code(t *testing.T) string {
	t.Helper()
	var p struct {
		Code      string `json:"code"`
		Type      string `json:"type"`
		Status    int    `json:"status"`
		RequestID string `json:"gateway_request_id"`
	}
	if err := json.Unmarshal([]byte(r.body), &p); err != nil {
		t.Fatalf("not a problem document: %s", r.body)
	}
	if p.Type != "urn:replyonce:problem:"+p.Code || p.Status != r.status || p.RequestID == "" ||
		p.RequestID != r.header.Get("X-Gateway-Request-Id") || r.header.Get("Content-Type") != "application/problem+json" {
		t.Errorf("problem %s with %v", r.body, r.header)
	}
	return p.Code
}

// send makes a request; header is a list of "Name: value".
func send(t *testing.T, server *httptest.Server, method, path, body string, header ...string) reply {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, server.URL+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range header {
		name, value, _ := strings.Cut(line, ": ")
		if name == "Host" {
			req.Host = value
			continue
		}
		req.Header[name] = append(req.Header[name], value)
	}
	resp, err := http.DefaultTransport.RoundTrip(req) // no redirects are followed
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	got, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return reply{resp.StatusCode, resp.Header, string(got)}
}

const token = "Authorization: Bearer t"

// What changes from run to run, set to fixed values.
func normalise(t *testing.T, payload []byte, server *httptest.Server) []byte {
	t.Helper()
	var event map[string]any
	if err := json.Unmarshal(payload, &event); err != nil {
		t.Fatal(err)
	}
	context, _ := event["requestContext"].(map[string]any)
	if id, _ := context["requestId"].(string); len(id) != 36 {
		t.Errorf("request id %q", id)
	}
	if millis, _ := context["requestTimeEpoch"].(float64); time.Since(time.UnixMilli(int64(millis))).Abs() > time.Minute {
		t.Errorf("request time %v", millis)
	}
	context["requestId"], context["extendedRequestId"] = "id", "id"
	context["requestTime"], context["requestTimeEpoch"] = "29/Nov/2026:14:00:00 +0000", 1795960800000
	if authorizer, ok := context["authorizer"].(map[string]any); ok {
		authorizer["integrationLatency"] = 1
	}
	for _, member := range []string{"headers", "multiValueHeaders"} {
		headers, _ := event[member].(map[string]any)
		headers["X-Amzn-Trace-Id"] = "trace"
	}
	text, err := json.MarshalIndent(event, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	port := server.URL[strings.LastIndex(server.URL, ":")+1:]
	return append(bytes.ReplaceAll(text, []byte(port), []byte("8080")), '\n')
}

func TestProxyEventGolden(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		method, path, body string
		header             []string
		config             Config
	}{
		"post": {
			"POST", "/v1/conversations/C1/messages?a=1&a=2&b=x%20y", `{"text":"hé"}`,
			[]string{token, "Content-Type: application/json", "Idempotency-Key: r-1", "X-Twice: one", "X-Twice: two"},
			Config{BinaryMediaTypes: []string{"image/*"}},
		},
		"template": {
			"POST", "/prod/v1/conversations/a%20b/messages/M/regenerate", "\xff\x00",
			[]string{token, "Content-Type: application/json"},
			Config{StageInPath: true, Routes: []Route{
				{Resource: "/v1/conversations/{conversation}/messages/{message}/regenerate", Authorize: true},
				{Resource: "/{proxy+}"},
			}},
		},
		"page": {"GET", "/prod", "", nil, Config{StageInPath: true}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var payload []byte
			c.config.API = function(func(_ context.Context, p []byte) (string, error) {
				payload = p
				return `{"statusCode":200}`, nil
			})
			server := setup(t, c.config)
			if got := send(t, server, c.method, c.path, c.body, append(c.header, "User-Agent: test", "Accept-Encoding: gzip")...); got.status != 200 {
				t.Fatalf("status %d %s", got.status, got.body)
			}
			got := normalise(t, payload, server)
			file := filepath.Join("testdata", "event-"+name+".json")
			if *update {
				if err := os.WriteFile(file, got, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(got, want) {
				t.Errorf("event\n%s\nwant\n%s", got, want)
			}
			// The library's type reads it, nulls included.
			var event events.APIGatewayProxyRequest
			if err := json.Unmarshal(payload, &event); err != nil || event.HTTPMethod != c.method {
				t.Errorf("read by the library: %v", err)
			}
		})
	}
}

func TestAuthorizerIsAskedOncePerTokenWhileItsAnswerIsKept(t *testing.T) {
	t.Parallel()
	var asked atomic.Int64
	var event events.APIGatewayCustomAuthorizerRequest
	authorizer := function(func(_ context.Context, payload []byte) (string, error) {
		asked.Add(1)
		return allowAll, json.Unmarshal(payload, &event)
	})
	var seen atomic.Pointer[map[string]any]
	api := function(func(_ context.Context, payload []byte) (string, error) {
		var e events.APIGatewayProxyRequest
		err := json.Unmarshal(payload, &e)
		seen.Store(&e.RequestContext.Authorizer)
		return `{"statusCode":200}`, err
	})
	server := setup(t, Config{API: api, Authorizer: authorizer, AuthorizerTTL: time.Minute})
	send(t, server, "POST", "/v1/conversations/C1/messages", "", token)
	if event.Type != "TOKEN" || event.AuthorizationToken != "Bearer t" ||
		event.MethodArn != "arn:aws:execute-api:us-east-1:000000000000:local/prod/POST/v1/conversations/C1/messages" {
		t.Errorf("event %+v", event)
	}
	send(t, server, "GET", "/v1/documents", "", token)
	send(t, server, "GET", "/v1/documents", "", "Authorization: Bearer other")
	if asked.Load() != 2 {
		t.Errorf("asked %d times", asked.Load())
	}
	got := *seen.Load()
	if got["principalId"] != "alice" || got["caller"] != "alice" || got["workspace"] != "acme" ||
		got["expires_at"] != "1795964400" || got["admin"] != "false" {
		t.Errorf("context %v", got)
	}

	asked.Store(0)
	uncached := setup(t, Config{Authorizer: authorizer})
	send(t, uncached, "GET", "/v1/documents", "", token)
	send(t, uncached, "GET", "/v1/documents", "", token)
	if asked.Load() != 2 {
		t.Errorf("asked %d times without keeping", asked.Load())
	}
}

func TestKeptAnswerIsForgottenInTime(t *testing.T) {
	t.Parallel()
	a := &authorizer{ttl: time.Minute}
	begun := time.Now()
	a.keep("t", decision{}, begun)
	if _, ok := a.lookUp("t", begun.Add(time.Minute-1)); !ok {
		t.Error("forgotten too early")
	}
	if _, ok := a.lookUp("t", begun.Add(time.Minute)); ok {
		t.Error("kept too long")
	}
}

func TestWhatTheGatewayRefuses(t *testing.T) {
	t.Parallel()
	deny := strings.Replace(allowAll, `"Allow"`, `"Deny"`, 1)
	elsewhere := strings.Replace(allowAll, `/prod/*`, `/prod/POST/*`, 1)
	cases := map[string]struct {
		config       Config
		method, path string
		header       []string
		status       int
		code         string
	}{
		"no token":           {Config{Authorizer: fails("not to be asked")}, "GET", "/v1/documents", nil, 401, "unauthorized"},
		"blank token":        {Config{Authorizer: fails("not to be asked")}, "GET", "/v1/documents", []string{"Authorization:  "}, 401, "unauthorized"},
		"token refused":      {Config{Authorizer: fails("Unauthorized")}, "GET", "/v1/documents", []string{token}, 401, "unauthorized"},
		"authorizer fails":   {Config{Authorizer: fails("no keys")}, "GET", "/v1/documents", []string{token}, 500, "internal"},
		"authorizer babbles": {Config{Authorizer: always(`"yes"`)}, "GET", "/v1/documents", []string{token}, 500, "internal"},
		"denied":             {Config{Authorizer: always(deny)}, "GET", "/v1/documents", []string{token}, 403, "forbidden"},
		"not mentioned":      {Config{Authorizer: always(elsewhere)}, "GET", "/v1/documents", []string{token}, 403, "forbidden"},
		"no route":           {Config{Routes: []Route{{Resource: "/v1/{proxy+}"}}}, "GET", "/v2", nil, 404, "not_found"},
		"outside the stage":  {Config{StageInPath: true}, "GET", "/v1/documents", []string{token}, 404, "not_found"},
		"function fails":     {Config{API: fails("panic")}, "GET", "/", nil, 502, "bad_gateway"},
		"malformed answer":   {Config{API: always(`{"status":200}`)}, "GET", "/", nil, 502, "bad_gateway"},
		"other host":         {Config{LoopbackOnly: true}, "GET", "/", []string{"Host: evil.example:8080"}, 421, "forbidden"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := send(t, setup(t, c.config), c.method, c.path, "", c.header...)
			if got.status != c.status || got.code(t) != c.code {
				t.Errorf("%d %s", got.status, got.body)
			}
			if got.header.Get("Access-Control-Allow-Origin") != "*" ||
				!strings.Contains(got.header.Get("Access-Control-Expose-Headers"), "Retry-After") {
				t.Errorf("CORS headers missing: %v", got.header)
			}
			if (got.status == 401) != (got.header.Get("Www-Authenticate") == "Bearer") {
				t.Errorf("WWW-Authenticate %q", got.header.Get("Www-Authenticate"))
			}
		})
	}
}

func TestWithoutAuthorizer(t *testing.T) {
	t.Parallel()
	server := setup(t, Config{Authorizer: fails("not to be asked")})
	for _, c := range []struct{ method, path string }{
		{"GET", "/"}, {"GET", "/healthz"}, {"GET", "/v1/openapi.json"}, {"OPTIONS", "/v1/conversations/C/messages"},
	} {
		if got := send(t, server, c.method, c.path, ""); got.status != 200 {
			t.Errorf("%s %s: %d %s", c.method, c.path, got.status, got.body)
		}
	}
}

func TestBodyAboveTheLimit(t *testing.T) {
	t.Parallel()
	server := setup(t, Config{})
	got := send(t, server, "POST", "/x", strings.Repeat("a", maxBody+1))
	if got.status != 413 || got.code(t) != "body_too_large" {
		t.Errorf("%d %s", got.status, got.body)
	}
}

// The gateway stops waiting, the function goes on.
func TestCaseA3GatewayGivesUpWhileTheFunctionGoesOn(t *testing.T) {
	t.Parallel()
	finished := make(chan struct{})
	release := make(chan struct{})
	server := setup(t, Config{Timeout: 50 * time.Millisecond, API: function(func(ctx context.Context, _ []byte) (string, error) {
		go func() {
			<-release
			close(finished)
		}()
		<-ctx.Done()
		return "", fmt.Errorf("invoke: %w", context.Cause(ctx))
	})})
	got := send(t, server, "POST", "/x", "{}")
	if got.status != 504 || got.code(t) != "gateway_timeout" || got.header.Get("Retry-After") != "1" {
		t.Errorf("%d %s", got.status, got.body)
	}
	close(release)
	<-finished
}

func TestAnswerReachesTheClient(t *testing.T) {
	t.Parallel()
	image := base64.StdEncoding.EncodeToString([]byte{0, 255, 1})
	cases := map[string]struct {
		answer string
		config Config
		status int
		header string // "Name: values"
		body   string
	}{
		"text":             {`{"statusCode":201,"headers":{"Location":"/x","X-N":5,"X-B":true},"body":"hé"}`, Config{}, 201, "X-N: [5]", "hé"},
		"status as text":   {`{"statusCode":"204"}`, Config{}, 204, "", ""},
		"merged headers":   {`{"statusCode":200,"headers":{"x-a":"1","X-B":"2"},"multiValueHeaders":{"X-A":["1","3"]}}`, Config{}, 200, "X-A: [1 3]", ""},
		"several cookies":  {`{"statusCode":200,"multiValueHeaders":{"Set-Cookie":["a=1","b=2"]}}`, Config{}, 200, "Set-Cookie: [a=1 b=2]", ""},
		"binary":           {`{"statusCode":200,"isBase64Encoded":true,"body":"` + image + `"}`, Config{}, 200, "", "\x00\xff\x01"},
		"binary not asked": {`{"statusCode":200,"isBase64Encoded":true,"body":"` + image + `"}`, Config{BinaryMediaTypes: []string{"image/png"}}, 200, "", image},
		"own challenge":    {`{"statusCode":401,"headers":{"WWW-Authenticate":"Bearer"}}`, Config{}, 401, "X-Amzn-Remapped-Www-Authenticate: [Bearer]", ""},
		"null members":     {`{"statusCode":200,"headers":null,"multiValueHeaders":null,"body":null}`, Config{}, 200, "", ""},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c.config.API = always(c.answer)
			got := send(t, setup(t, c.config), "GET", "/x", "")
			if got.status != c.status || got.body != c.body {
				t.Errorf("%d %q", got.status, got.body)
			}
			if header, values, ok := strings.Cut(c.header, ": "); ok && fmt.Sprint(got.header.Values(header)) != values {
				t.Errorf("%s: %v", header, got.header.Values(header))
			}
		})
	}
}

func TestLocalPathsAreServedInAndOutsideTheStage(t *testing.T) {
	t.Parallel()
	local := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, r.URL.Path) })
	server := setup(t, Config{StageInPath: true, Local: local})
	for _, path := range []string{"/local/sign-in", "/prod/local/sign-in"} {
		if got := send(t, server, "POST", path, ""); got.status != 200 || got.body != "/local/sign-in" {
			t.Errorf("%s: %d %s", path, got.status, got.body)
		}
	}
}

func TestFind(t *testing.T) {
	t.Parallel()
	routes := append(slices.Clone(deployed), Route{Resource: "/v1/conversations/{c}/messages"}, Route{Resource: "/v1/conversations/{c}"})
	cases := []struct{ path, resource, parameters string }{
		{"/", "/", "map[]"},
		{"/index.html", "/{proxy+}", "map[proxy:index.html]"},
		{"/v1/openapi.json", "/v1/openapi.json", "map[]"},
		{"/v1/documents/a%2Fb", "/v1/{proxy+}", "map[proxy:documents/a/b]"},
		{"/v1/conversations/C/messages", "/v1/conversations/{c}/messages", "map[c:C]"},
		{"/v1/conversations/C", "/v1/conversations/{c}", "map[c:C]"},
		{"/v1/conversations/C/x", "/v1/{proxy+}", "map[proxy:conversations/C/x]"},
		{"/v1", "/v1", "map[]"},
	}
	for _, c := range cases {
		route, parameters, ok := find(routes, c.path)
		if !ok || route.Resource != c.resource || fmt.Sprint(parameters) != c.parameters {
			t.Errorf("%s: %s %v %v", c.path, route.Resource, parameters, ok)
		}
	}
}

func TestPolicyEvaluation(t *testing.T) {
	t.Parallel()
	const arn = "arn:aws:execute-api:us-east-1:000000000000:local/prod/GET/v1/documents"
	cases := map[string]struct {
		statements string
		allowed    bool
		usable     bool
	}{
		"one statement, texts":   {`{"Effect":"Allow","Action":"execute-api:Invoke","Resource":"*"}`, true, true},
		"action in other case":   {`[{"Effect":"Allow","Action":"Execute-API:invoke","Resource":"*"}]`, true, true},
		"all actions":            {`[{"Effect":"Allow","Action":"*","Resource":"*"}]`, true, true},
		"other action":           {`[{"Effect":"Allow","Action":"s3:GetObject","Resource":"*"}]`, false, true},
		"method and path":        {`[{"Effect":"Allow","Action":"*","Resource":"arn:aws:execute-api:*:*:local/prod/G?T/v1/*"}]`, true, true},
		"other method":           {`[{"Effect":"Allow","Action":"*","Resource":"arn:aws:execute-api:*:*:local/prod/POST/*"}]`, false, true},
		"denial wins":            {`[{"Effect":"Deny","Action":"*","Resource":"*/documents"},{"Effect":"Allow","Action":"*","Resource":"*"}]`, false, true},
		"condition":              {`[{"Effect":"Allow","Action":"*","Resource":"*","Condition":{"Bool":{"a":"b"}}}]`, false, false},
		"everything except":      {`[{"Effect":"Allow","NotAction":"s3:*","Resource":"*"}]`, false, false},
		"unknown effect":         {`[{"Effect":"allow","Action":"*","Resource":"*"}]`, false, false},
		"without resource":       {`[{"Effect":"Allow","Action":"*"}]`, false, false},
		"no statements":          {`[]`, false, false},
		"statement is no object": {`"Allow"`, false, false},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d, err := parseDecision([]byte(`{"principalId":"p","policyDocument":{"Statement":` + c.statements + `}}`))
			if (err == nil) != c.usable || (err != nil && !errors.Is(err, errAuthorizer)) {
				t.Fatalf("parse: %v", err)
			}
			if err == nil && d.allows(arn) != c.allowed {
				t.Errorf("allows = %v", !c.allowed)
			}
		})
	}
}

func FuzzParseDecision(f *testing.F) {
	f.Add([]byte(allowAll))
	f.Add([]byte(`{"principalId":"p","policyDocument":{"Statement":{"Effect":"Allow","Action":"*","Resource":["a*b","?"]}},"context":{"a":1.5}}`))
	f.Fuzz(func(t *testing.T, payload []byte) {
		d, err := parseDecision(payload)
		if err != nil {
			return
		}
		d.allows("arn:aws:execute-api:us-east-1:000000000000:local/prod/GET/v1")
		for name, value := range d.context {
			if _, ok := value.(string); !ok {
				t.Errorf("context %s is no text", name)
			}
		}
	})
}

func FuzzParseAnswer(f *testing.F) {
	f.Add([]byte(`{"statusCode":200,"headers":{"a":"b"},"body":"x","isBase64Encoded":false}`), true)
	f.Add([]byte(`{"statusCode":"404","multiValueHeaders":{"a":["b"]},"body":"!","isBase64Encoded":true}`), true)
	f.Fuzz(func(t *testing.T, payload []byte, binary bool) {
		got, err := parseAnswer(payload, binary)
		if err != nil && !errors.Is(err, errMalformed) {
			t.Errorf("error %v", err)
		}
		if err == nil && (got.status < 200 || got.status > 599) {
			t.Errorf("status %d", got.status)
		}
	})
}

func FuzzWildcard(f *testing.F) {
	f.Add("a*b?", "axxbc")
	f.Add("*", "")
	f.Fuzz(func(t *testing.T, pattern, text string) {
		if !wildcard(text, text) && !strings.ContainsAny(text, "*?") {
			t.Errorf("%q does not match itself", text)
		}
		if wildcard(pattern, text) && !wildcard("*"+pattern+"*", text) {
			t.Errorf("%q matches %q, but not with more wildcards", pattern, text)
		}
	})
}

func FuzzFind(f *testing.F) {
	f.Add("/v1/conversations/C/messages")
	f.Add("//")
	f.Fuzz(func(t *testing.T, path string) {
		route, _, ok := find(deployed, path)
		if strings.HasPrefix(path, "/v1/") && len(path) > len("/v1/") && path != "/v1/openapi.json" && (!ok || !route.Authorize) {
			t.Errorf("%q needs no token", path)
		}
	})
}
