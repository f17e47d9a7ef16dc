package fakeanthropic_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/replyonce/replyonce/shared/providertest/fakeanthropic"
	"github.com/replyonce/replyonce/shared/providertest/fakeprovider"
	"github.com/replyonce/replyonce/shared/providertest/fakewire/faketest"
)

const (
	key       = "sk-1"
	validBody = `{"model":"m","max_tokens":5,"system":[{"type":"text","text":"s"}],"messages":[{"role":"user","content":[{"type":"text","text":"q"}]}]}`
)

// answered is a response that was read.
type answered struct {
	status int
	header http.Header
	body   string
}

// ask sends a valid request after a change and returns the response.
func ask(t *testing.T, server *fakeprovider.Server, change func(*http.Request), body string) answered {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL+fakeanthropic.Path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	request.Header = http.Header{"X-Api-Key": {key}, "Anthropic-Version": {fakeanthropic.Version}, "Content-Type": {"application/json"}}
	change(request)
	status, header, read := faketest.Do(t, request)
	return answered{status, header, read}
}

func unchanged(*http.Request) {}

func TestValidRequestsAreAnswered(t *testing.T) {
	t.Parallel()
	server := fakeanthropic.Start(t, key)
	got := ask(t, server, unchanged, validBody)
	var message struct {
		Type       string `json:"type"`
		StopReason string `json:"stop_reason"`
		Content    []struct{ Text string }
	}
	if err := json.Unmarshal([]byte(got.body), &message, json.MatchCaseInsensitiveNames(true)); err != nil {
		t.Fatal(err)
	}
	if got.status != 200 || message.Type != "message" || message.StopReason != "end_turn" || len(message.Content) != 1 ||
		got.header.Get("Request-Id") == "" {
		t.Errorf("got %+v", got)
	}
	got = ask(t, server, unchanged, strings.Replace(validBody, "{", `{"stream":true,`, 1))
	if got.status != 200 || !strings.HasPrefix(got.body, "event: message_start\ndata: {") ||
		!strings.HasSuffix(got.body, "event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n") {
		t.Errorf("got %+v", got)
	}
	if server.Totals().Generations != 2 {
		t.Errorf("%d generations", server.Totals().Generations)
	}
}

func TestRequestsAgainstTheDescriptionAreRefused(t *testing.T) {
	t.Parallel()
	replace := func(old, next string) string { return strings.Replace(validBody, old, next, 1) }
	header := func(name string, values ...string) func(*http.Request) {
		return func(r *http.Request) { r.Header[name] = values }
	}
	tests := []struct {
		name      string
		change    func(*http.Request)
		body      string
		status    int
		errorType string
	}{
		{"other path", func(r *http.Request) { r.URL.Path = "/v1/complete" }, validBody, 404, fakeanthropic.TypeNotFound},
		{"query", func(r *http.Request) { r.URL.RawQuery = "beta=true" }, validBody, 404, fakeanthropic.TypeNotFound},
		{"method", func(r *http.Request) { r.Method = http.MethodPut }, validBody, 405, fakeanthropic.TypeInvalidRequest},
		{"no key", header("X-Api-Key"), validBody, 401, fakeanthropic.TypeAuthentication},
		{"wrong key", header("X-Api-Key", "other"), validBody, 401, fakeanthropic.TypeAuthentication},
		{"no version", header("Anthropic-Version"), validBody, 400, fakeanthropic.TypeInvalidRequest},
		{"wrong version", header("Anthropic-Version", "2099-01-01"), validBody, 400, fakeanthropic.TypeInvalidRequest},
		{"content type", header("Content-Type", "text/plain"), validBody, 400, fakeanthropic.TypeInvalidRequest},
		{"idempotency key", header("Idempotency-Key", "k"), validBody, 400, fakeanthropic.TypeInvalidRequest},
		{"not JSON", unchanged, "{", 400, fakeanthropic.TypeInvalidRequest},
		{"unknown field", unchanged, replace("{", `{"idempotency_key":"k",`), 400, fakeanthropic.TypeInvalidRequest},
		{"duplicate field", unchanged, replace("{", `{"model":"m",`), 400, fakeanthropic.TypeInvalidRequest},
		{"bad UTF-8", unchanged, replace(`"q"`, "\"\xff\""), 400, fakeanthropic.TypeInvalidRequest},
		{"no model", unchanged, replace(`"m"`, `""`), 400, fakeanthropic.TypeInvalidRequest},
		{"no limit", unchanged, replace(`"max_tokens":5`, `"max_tokens":0`), 400, fakeanthropic.TypeInvalidRequest},
		{"no messages", unchanged, `{"model":"m","max_tokens":5,"messages":[]}`, 400, fakeanthropic.TypeInvalidRequest},
		{"assistant first", unchanged, replace(`"user"`, `"assistant"`), 400, fakeanthropic.TypeInvalidRequest},
		{"unknown role", unchanged, replace(`[{"role"`, `[{"role":"user","content":[{"type":"text","text":"q"}]},{"role":"tool","content":[{"type":"text","text":"q"}]},{"role"`), 400, fakeanthropic.TypeInvalidRequest},
		{"blank text", unchanged, replace(`"q"`, `" \n"`), 400, fakeanthropic.TypeInvalidRequest},
		{"blank system", unchanged, replace(`"s"`, `""`), 400, fakeanthropic.TypeInvalidRequest},
		{"other block", unchanged, replace(`"text","text":"q"`, `"image","text":"q"`), 400, fakeanthropic.TypeInvalidRequest},
		{"no content", unchanged, replace(`[{"type":"text","text":"q"}]`, `[]`), 400, fakeanthropic.TypeInvalidRequest},
		{"too large", unchanged, replace(`"q"`, `"`+strings.Repeat("q", 32<<20)+`"`), 413, fakeanthropic.TypeRequestTooLarge},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			server := fakeanthropic.Start(t, key)
			got := ask(t, server, test.change, test.body)
			if got.status != test.status || !strings.Contains(got.body, `"type":"`+test.errorType+`"`) {
				t.Errorf("got %+v", got)
			}
			if logged := server.Requests(); len(logged) != 1 || logged[0].Problem == "" || logged[0].Generated {
				t.Errorf("logged %+v", logged)
			}
		})
	}
}
