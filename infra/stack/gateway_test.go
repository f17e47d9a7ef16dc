package stack_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/events"

	"github.com/replyonce/replyonce/infra/local/gateway"
	"github.com/replyonce/replyonce/infra/local/lambdaruntime"
	"github.com/replyonce/replyonce/infra/stack/extract"
	"github.com/replyonce/replyonce/shared/lambdahandler"
)

// invoker is a function of the one-machine gateway.
type invoker func(context.Context) (string, error)

func (f invoker) Invoke(ctx context.Context, _ lambdaruntime.Request) (lambdaruntime.Result, error) {
	payload, err := f(ctx)
	return lambdaruntime.Result{Payload: []byte(payload)}, err
}

func answers(payload string) invoker {
	return func(context.Context) (string, error) { return payload, nil }
}

func fails(err error) invoker {
	return func(context.Context) (string, error) { return "", err }
}

func policy(effect string) invoker {
	return answers(fmt.Sprintf(`{"principalId":"alice","policyDocument":{"Version":"2012-10-17","Statement":[`+
		`{"Effect":%q,"Action":"execute-api:Invoke","Resource":"*"}]}}`, effect))
}

// TestGatewaysRefuseAlike brings the one-machine gateway to each of its own
// errors: a page that copes with them there copes with the deployed ones.
func TestGatewaysRefuseAlike(t *testing.T) {
	t.Parallel()
	deployed, err := extract.Load()
	if err != nil {
		t.Fatal(err)
	}
	slow := invoker(func(ctx context.Context) (string, error) {
		<-ctx.Done()
		return "", context.Cause(ctx)
	})
	good := answers(`{"statusCode":200,"body":"{}"}`)
	for kind, c := range map[string]struct {
		api, authorizer invoker
		path, token     string
		body            int
	}{
		"UNAUTHORIZED":                   {api: good, authorizer: policy("Allow")},
		"ACCESS_DENIED":                  {api: good, authorizer: policy("Deny"), token: "t"},
		"AUTHORIZER_FAILURE":             {api: good, authorizer: fails(errors.New("down")), token: "t"},
		"AUTHORIZER_CONFIGURATION_ERROR": {api: good, authorizer: answers(`{}`), token: "t"},
		"MISSING_AUTHENTICATION_TOKEN":   {api: good, authorizer: policy("Allow"), path: "/elsewhere"},
		"REQUEST_TOO_LARGE":              {api: good, authorizer: policy("Allow"), token: "t", body: 10<<20 + 1},
		"INTEGRATION_TIMEOUT":            {api: slow, authorizer: policy("Allow"), token: "t"},
		"INTEGRATION_FAILURE":            {api: fails(errors.New("crashed")), authorizer: policy("Allow"), token: "t"},
		"DEFAULT_5XX":                    {api: answers(`"no proxy answer"`), authorizer: policy("Allow"), token: "t"},
	} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			local := gateway.New(gateway.Config{
				API: c.api, Authorizer: c.authorizer, AllowedOrigin: "*", Stage: "prod", Timeout: 50 * time.Millisecond,
				Routes: []gateway.Route{{Resource: "/v1/{proxy+}", Authorize: true}},
			})
			path := c.path
			if path == "" {
				path = "/v1/documents"
			}
			request := httptest.NewRequestWithContext(t.Context(), http.MethodPost, path, strings.NewReader(strings.Repeat("x", c.body)))
			if c.token != "" {
				request.Header.Set("Authorization", "Bearer "+c.token)
			}
			recorder := httptest.NewRecorder()
			local.ServeHTTP(recorder, request)
			compareAnswers(t, deployed.GatewayResponses[kind], recorder)
		})
	}
}

func compareAnswers(t *testing.T, deployed extract.Response, local *httptest.ResponseRecorder) {
	t.Helper()
	if local.Code != deployed.Status {
		t.Fatalf("status %d, deployed %d", local.Code, deployed.Status)
	}
	id := local.Header().Get("X-Gateway-Request-Id")
	if id == "" {
		t.Error("no id for support")
	}
	body := strings.ReplaceAll(deployed.Body, "$context.requestId", id)
	if got := strings.TrimSpace(local.Body.String()); got != body {
		t.Errorf("body\n%s\ndeployed\n%s", got, body)
	}
	for _, name := range []string{"Content-Type", "Cache-Control", "Retry-After"} {
		if got, want := local.Header().Get(name), strings.Trim(deployed.Headers[name], "'"); got != want {
			t.Errorf("%s: %q, deployed %q", name, got, want)
		}
	}
	const exposed = "Access-Control-Expose-Headers"
	if got, want := words(local.Header().Get(exposed)), words(strings.Trim(deployed.Headers[exposed], "'")); !slices.Equal(got, want) {
		t.Errorf("%s: %v, deployed %v", exposed, got, want)
	}
	for _, name := range []string{"Www-Authenticate"} {
		if (local.Header().Get(name) != "") != (deployed.Headers["WWW-Authenticate"] != "") {
			t.Errorf("%s: %q, deployed %q", name, local.Header().Get(name), deployed.Headers["WWW-Authenticate"])
		}
	}
}

func words(header string) []string {
	list := strings.Split(header, ", ")
	slices.Sort(list)
	return list
}

// TestGatewayAndFunctionAgree: a page reads the same headers of an answer,
// whoever made it, and a problem has the same members.
func TestGatewayAndFunctionAgree(t *testing.T) {
	t.Parallel()
	deployed, err := extract.Load()
	if err != nil {
		t.Fatal(err)
	}
	api := &lambdahandler.API{
		AllowedOrigin: "*", Now: time.Now, NewID: func() string { return "id" }, Log: slog.New(slog.DiscardHandler),
	}
	answer, err := api.Handle(t.Context(), events.APIGatewayProxyRequest{HTTPMethod: http.MethodGet, Path: "/v1/documents"})
	if err != nil || answer.StatusCode != http.StatusUnauthorized {
		t.Fatalf("answer %+v, %v", answer, err)
	}
	gateway := deployed.GatewayResponses["UNAUTHORIZED"]
	for _, name := range []string{"Access-Control-Expose-Headers", "Content-Type", "Cache-Control", "X-Content-Type-Options", "WWW-Authenticate"} {
		if got, want := strings.Trim(gateway.Headers[name], "'"), answer.Headers[name]; got != want {
			t.Errorf("%s: the gateway says %q, the function %q", name, got, want)
		}
	}
	if got, want := members(t, gateway.Body), members(t, answer.Body); !slices.Equal(got, want) {
		t.Errorf("members of a problem: the gateway has %v, the function %v", got, want)
	}
}

func members(t *testing.T, body string) []string {
	t.Helper()
	var problem map[string]any
	if err := json.Unmarshal([]byte(body), &problem); err != nil {
		t.Fatalf("%s: %v", body, err)
	}
	var names []string
	for name := range problem {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// TestGatewaysRouteAlike: the one-machine gateway takes its routes from the
// deployment, as far as it knows kinds of them: any method, and preflights that
// need no token.
func TestGatewaysRouteAlike(t *testing.T) {
	t.Parallel()
	deployed, err := extract.Load()
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range deployed.API.Routes {
		if r.Method != "ANY" && (r.Method != http.MethodOptions || r.Authorize) {
			t.Errorf("the one-machine gateway knows no route like %+v", r)
		}
	}
	if got := time.Duration(deployed.API.IntegrationTimeoutMilliseconds) * time.Millisecond; got != gateway.IntegrationTimeout {
		t.Errorf("the gateway waits %s, deployed %s", gateway.IntegrationTimeout, got)
	}
}
