package fakeopenai_test

import (
	"bytes"
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/replyonce/replyonce/shared/providertest/fakeopenai"
	"github.com/replyonce/replyonce/shared/providertest/fakewire/faketest"
)

func newServer(t *testing.T) *fakeopenai.Server {
	t.Helper()
	return fakeopenai.NewServer(t, fakeopenai.Options{Now: time.Now, Keys: []string{"sk-1"}, Models: []string{"m"}})
}

const (
	goodResponse = `{"model":"m","instructions":"i","store":true,"background":true,"input":[{"role":"user","content":"q"}]}`
	goodChat     = `{"model":"m","messages":[{"role":"system","content":"s"},{"role":"user","content":"q"}]}`
)

// send makes a request as a good client would, but for change.
func send(t *testing.T, method, address, body string, change func(*http.Request)) (int, string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, address, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer sk-1")
	if body != "" {
		request.Header.Set("Content-Type", "application/json")
	}
	if change != nil {
		change(request)
	}
	status, _, answer := faketest.Do(t, request)
	return status, answer
}

func TestGoodRequestsAreAnswered(t *testing.T) {
	t.Parallel()
	server := newServer(t)
	if status, body := send(t, http.MethodPost, server.BaseURL+"/chat/completions", goodChat, nil); status != 200 || !strings.Contains(body, "Answer 1") {
		t.Errorf("chat: %d %s", status, body)
	}
	status, body := send(t, http.MethodPost, server.BaseURL+"/responses", goodResponse, nil)
	if status != 200 || !strings.Contains(body, `"status":"queued"`) {
		t.Errorf("response: %d %s", status, body)
	}
	id := server.Requests()[1].Operation
	if status, body := send(t, http.MethodGet, server.BaseURL+"/responses/"+id, "", nil); status != 200 || !strings.Contains(body, "Answer 2") {
		t.Errorf("read: %d %s", status, body)
	}
	if want := (fakeopenai.Totals{Requests: 2, Generations: 2, Reads: 1}); server.Totals() != want {
		t.Errorf("totals %+v", server.Totals())
	}
}

// A fake that takes everything shows nothing.
func TestViolations(t *testing.T) {
	t.Parallel()
	header := func(name, value string) func(*http.Request) {
		return func(r *http.Request) { r.Header.Set(name, value) }
	}
	replace := func(old, by string) string { return strings.Replace(goodResponse, old, by, 1) }
	tests := []struct {
		name   string
		path   string
		body   string
		change func(*http.Request)
	}{
		{"idempotency key", "/responses", goodResponse, header("Idempotency-Key", "k")},
		{"another idempotency key", "/chat/completions", goodChat, header("X-Idempotency-Key", "k")},
		{"header that is not part of the API", "/chat/completions", goodChat, header("X-Trace", "1")},
		{"the client library repeats", "/responses", goodResponse, header("X-Stainless-Retry-Count", "1")},
		{"content type", "/responses", goodResponse, header("Content-Type", "text/plain")},
		{"accepts no answer of the API", "/responses", goodResponse, header("Accept", "text/html")},
		{"header twice", "/chat/completions", goodChat, func(r *http.Request) { r.Header["Accept"] = []string{"application/json", "*/*"} }},
		{"no length", "/responses", goodResponse, func(r *http.Request) { r.ContentLength = -1 }},
		{"store is left out", "/responses", replace(`"store":true,`, ""), nil},
		{"background without store", "/responses", replace(`"store":true`, `"store":false`), nil},
		{"background stream", "/responses", replace(`"store":true`, `"store":true,"stream":true`), nil},
		{"unknown member", "/responses", replace(`"store":true`, `"store":true,"seed":1`), nil},
		{"member twice", "/responses", replace(`"store":true`, `"store":true,"store":true`), nil},
		{"bad UTF-8", "/responses", replace(`"q"`, "\"\xff\""), nil},
		{"no input", "/responses", replace(`{"role":"user","content":"q"}`, ""), nil},
		{"blank turn", "/responses", replace(`"q"`, `" "`), nil},
		{"turns do not alternate", "/responses", replace(`"input":[`, `"input":[{"role":"user","content":"a"},{"role":"user","content":"b"},`), nil},
		{"no instruction", "/responses", replace(`"i"`, `""`), nil},
		{"no model", "/responses", replace(`"m"`, `""`), nil},
		{"limit below the least", "/responses", replace(`"store":true`, `"store":true,"max_output_tokens":1`), nil},
		{"two limits", "/chat/completions", strings.Replace(goodChat, `"m",`, `"m","max_tokens":1,"max_completion_tokens":1,`, 1), nil},
		{"negative limit", "/chat/completions", strings.Replace(goodChat, `"m",`, `"m","max_tokens":-1,`, 1), nil},
		{"stream options without a stream", "/chat/completions", strings.Replace(goodChat, `"m",`, `"m","stream_options":{"include_usage":true},`, 1), nil},
		{"no system message", "/chat/completions", `{"model":"m","messages":[{"role":"user","content":"q"}]}`, nil},
		{"not JSON", "/chat/completions", `{`, nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			server := newServer(t)
			if status, body := send(t, http.MethodPost, server.BaseURL+test.path, test.body, test.change); status != http.StatusBadRequest {
				t.Errorf("status %d: %s", status, body)
			}
			if len(server.TakeViolations()) == 0 {
				t.Error("not in the log")
			}
			if got := server.Totals(); got.Requests != 1 || got.Generations != 0 {
				t.Errorf("totals %+v", got)
			}
		})
	}
}

func TestReadsAreCheckedToo(t *testing.T) {
	t.Parallel()
	server := newServer(t)
	if _, body := send(t, http.MethodPost, server.BaseURL+"/responses", goodResponse, nil); body == "" {
		t.Fatal("no answer")
	}
	address := server.BaseURL + "/responses/" + server.Requests()[0].Operation
	for _, bad := range []func() (int, string){
		func() (int, string) { return send(t, http.MethodGet, address+"?stream=true", "", nil) },
		func() (int, string) { return send(t, http.MethodPost, address+"/cancel", "{}", nil) },
	} {
		if status, body := bad(); status != http.StatusBadRequest {
			t.Errorf("status %d: %s", status, body)
		}
	}
	if len(server.TakeViolations()) != 2 {
		t.Error("not in the log")
	}
	for path, want := range map[string]int{"/responses/resp_unknown": 404, "/models": 404} {
		if status, _ := send(t, http.MethodGet, server.BaseURL+path, "", nil); status != want {
			t.Errorf("%s: status %d", path, status)
		}
	}
}

func TestKeysAndModels(t *testing.T) {
	t.Parallel()
	server := newServer(t)
	wrong := func(r *http.Request) { r.Header.Set("Authorization", "Bearer sk-2") }
	if status, body := send(t, http.MethodPost, server.BaseURL+"/chat/completions", goodChat, wrong); status != 401 || !strings.Contains(body, "sk-2") {
		t.Errorf("wrong key: %d %s", status, body)
	}
	other := strings.Replace(goodChat, `"m"`, `"n"`, 1)
	if status, body := send(t, http.MethodPost, server.BaseURL+"/chat/completions", other, nil); status != 404 || !strings.Contains(body, "model_not_found") {
		t.Errorf("unknown model: %d %s", status, body)
	}
	for _, r := range server.Requests() {
		if r.Header.Get("Authorization") != "" {
			t.Error("the log has the key")
		}
	}
}

func TestScriptsMatchQuestionsInOrder(t *testing.T) {
	t.Parallel()
	server := newServer(t)
	text := func(s string) fakeopenai.Step { return fakeopenai.Step{Text: &s} }
	for _, add := range []error{
		server.Script("first", text("one"), text("two")),
		server.AddScript("q", true, []fakeopenai.Step{text("again")}),
	} {
		if add != nil {
			t.Fatal(add)
		}
	}
	ask := func(question string) string {
		_, body := send(t, http.MethodPost, server.BaseURL+"/chat/completions", strings.Replace(goodChat, `"q"`, `"`+question+`"`, 1), nil)
		return body
	}
	for _, test := range []struct{ question, want string }{
		{"first q", "one"}, {"a q", "again"}, {"first q", "two"}, {"first q", "again"}, {"nothing", "Answer 5"},
	} {
		if got := ask(test.question); !strings.Contains(got, test.want) {
			t.Errorf("%s: got %s, want %s", test.question, got, test.want)
		}
	}
	for name, step := range map[string]fakeopenai.Step{
		"unknown action":          {Action: "dance"},
		"refusal without status":  {Action: fakeopenai.Refuse},
		"redirect without status": {Action: fakeopenai.Redirect, Status: 200},
		"raw without a body":      {Action: fakeopenai.Raw},
		"reset before the match":  {Action: fakeopenai.ResetEarly},
	} {
		if server.Script("x", step) == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}

func TestControl(t *testing.T) {
	t.Parallel()
	server := newServer(t)
	control := strings.TrimSuffix(server.BaseURL, fakeopenai.BasePath) + "/control"
	script := `{"match":"q","repeat":true,"steps":[{"text":"scripted","hold":"gate"}]}`
	if status, body := send(t, http.MethodPost, control+"/scripts", script, nil); status != 201 {
		t.Fatalf("script: %d %s", status, body)
	}
	for _, bad := range []string{`{`, `{"steps":[{"dance":true}]}`, `{"steps":[{"action":"refuse"}]}`} {
		if status, _ := send(t, http.MethodPost, control+"/scripts", bad, nil); status != 400 {
			t.Errorf("%s: status %d", bad, status)
		}
	}
	if status, _ := send(t, http.MethodPost, control+"/gates/gate", "", nil); status != 204 {
		t.Errorf("gate: status %d", status)
	}
	if _, body := send(t, http.MethodPost, server.BaseURL+"/chat/completions", goodChat, nil); !strings.Contains(body, "scripted") {
		t.Errorf("got %s", body)
	}
	if status, _ := send(t, http.MethodDelete, control+"/scripts", "", nil); status != 204 {
		t.Errorf("reset: status %d", status)
	}
	_, body := send(t, http.MethodGet, control+"/log", "", nil)
	var log fakeopenai.LogDocument
	if err := json.Unmarshal([]byte(body), &log); err != nil {
		t.Fatal(err)
	}
	if log.Totals.Requests != 1 || len(log.Requests) != 1 || log.Requests[0].Question != "q" || log.Requests[0].Outcome != fakeopenai.Answered {
		t.Errorf("log is %s", body)
	}
}

func TestCloseEndsWhatWaits(t *testing.T) {
	t.Parallel()
	server := newServer(t)
	if err := server.Script("", fakeopenai.Step{Hold: "never"}); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server.BaseURL+"/chat/completions", bytes.NewReader([]byte(goodChat)))
		if err == nil {
			request.Header = http.Header{"Authorization": {"Bearer sk-1"}, "Content-Type": {"application/json"}}
			var answer *http.Response
			if answer, err = http.DefaultClient.Do(request); err == nil {
				_ = answer.Body.Close()
			}
		}
		ended <- err
	}()
	if err := server.Wait(t.Context(), func([]fakeopenai.Request) bool { return server.Totals().Generations == 1 }); err != nil {
		t.Fatal(err)
	}
	server.Close()
	<-ended
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := server.Wait(ctx, func([]fakeopenai.Request) bool { return false }); err == nil {
		t.Error("found what is not there")
	}
}

func TestNewNeedsAClock(t *testing.T) {
	t.Parallel()
	if _, err := fakeopenai.New(fakeopenai.Options{}); err == nil {
		t.Error("made without a clock")
	}
}
