package sam_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/replyonce/replyonce/infra/sam"
)

// named answers with its name and what it was asked for.
func named(t *testing.T, name string) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, name+" "+r.Method+" "+r.URL.RequestURI()+" "+r.Header.Get("Authorization"))
	}))
	t.Cleanup(server.Close)
	return server.URL
}

func ask(t *testing.T, method, address string) string {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, address, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer t")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}

func TestFrontSendsSignInToTheStack(t *testing.T) {
	t.Parallel()
	front, err := sam.OpenFront(t.Context(), "127.0.0.1:0", named(t, "api"), named(t, "stack"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(front.Close)
	for path, want := range map[string]string{
		"/":                     "api GET / Bearer t",
		"/v1/documents?limit=2": "api GET /v1/documents?limit=2 Bearer t",
		"/local/jwks.json":      "stack GET /local/jwks.json Bearer t",
		"/localhost":            "api GET /localhost Bearer t",
	} {
		if got := ask(t, http.MethodGet, front.URL()+path); got != want {
			t.Errorf("%s: %q, want %q", path, got, want)
		}
	}
}

func TestRelayHandsOnEverything(t *testing.T) {
	t.Parallel()
	relay, err := sam.OpenRelay(t.Context(), "127.0.0.1", named(t, "aws"))
	if err != nil {
		t.Fatal(err)
	}
	if got := ask(t, http.MethodPost, relay.URL()+"/bucket/key?x=1"); got != "aws POST /bucket/key?x=1 Bearer t" {
		t.Errorf("the relay handed on %q", got)
	}
	relay.Close()
	if _, err := http.Get(relay.URL()); err == nil { //nolint:bodyclose // there is none
		t.Error("a closed relay answers")
	}
}

func TestArchitecture(t *testing.T) {
	t.Parallel()
	for goarch, want := range map[string]string{"amd64": "x86_64", "arm64": "arm64", "riscv64": ""} {
		if got, err := sam.Architecture(goarch); got != want || (err == nil) != (want != "") {
			t.Errorf("%s: %q, %v", goarch, got, err)
		}
	}
	for function, want := range map[string]string{"api": "Api", "dispatcher": "Dispatcher", "": ""} {
		if got := sam.LogicalID(function); got != want {
			t.Errorf("%s: %q, want %q", function, got, want)
		}
	}
}
