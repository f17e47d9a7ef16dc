package providertest_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/replyonce/replyonce/shared/llmprovider"
	"github.com/replyonce/replyonce/shared/llmprovider/scripted"
	"github.com/replyonce/replyonce/shared/providertest"
	"github.com/replyonce/replyonce/shared/providertest/fakewire/faketest"
)

func control(t *testing.T, server *providertest.Server, method, path, body string) (status int, answer string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, server.URL+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	status, _, answer = faketest.Do(t, request)
	return status, answer
}

func readLog(t *testing.T, server *providertest.Server, query string) providertest.LogDocument {
	t.Helper()
	status, body := control(t, server, http.MethodGet, "/control/log"+query, "")
	var document providertest.LogDocument
	if err := json.Unmarshal([]byte(body), &document); err != nil || status != http.StatusOK {
		t.Fatalf("status %d, %v: %s", status, err, body)
	}
	return document
}

// Another process can do everything over HTTP: write a script, see that a request
// waits at a gate, let it go, and read what happened.
func TestControlFromAnotherProcess(t *testing.T) {
	t.Parallel()
	server := newServer(t, providertest.Options{})
	status, body := control(t, server, http.MethodPost, "/control/scripts",
		`{"match":"decide","steps":[{"action":"answer","hold_answer":"kill the worker now","text":"The board."}]}`)
	if status != http.StatusCreated || !strings.Contains(body, `"id":"script-1"`) {
		t.Fatalf("status %d: %s", status, body)
	}
	ended := make(chan llmprovider.Answer, 1)
	provider := connect(t, server)
	go func() {
		answer, err := provider.Call(t.Context(), ask("Who shall decide?"))
		if err != nil {
			t.Error(err)
		}
		ended <- answer
	}()
	after := 0
	for held := false; !held; {
		document := readLog(t, server, "?wait=30s&after="+itoa(after))
		for _, event := range document.Events {
			held = held || event.Kind == providertest.EventHeld && event.Gate == "kill the worker now"
			after = event.Seq
		}
	}
	if got := readLog(t, server, "").Totals; got.Generations != 1 || got.Answers != 0 {
		t.Errorf("while held: %+v", got)
	}
	if status, _ := control(t, server, http.MethodPost, "/control/gates/kill%20the%20worker%20now", ""); status != http.StatusNoContent {
		t.Errorf("release: status %d", status)
	}
	if answer := <-ended; answer.Text != "The board." {
		t.Errorf("got %q", answer.Text)
	}
	waitForEvents(t, server, providertest.EventDelivered, 1)
	document := readLog(t, server, "?after=1000000")
	if got := document.Totals; got.Requests != 1 || got.Answers != 1 || len(document.Events) != 0 || len(document.Calls) != 1 {
		t.Errorf("at the end: %+v", document)
	}
}

func itoa(n int) string {
	text, _ := json.Marshal(n)
	return string(text)
}

func TestControlScriptsListedAndRemoved(t *testing.T) {
	t.Parallel()
	server := newServer(t, providertest.Options{})
	script(t, server, providertest.Script{Match: "a", Steps: []providertest.Step{{
		Action: providertest.Answer, Delay: providertest.Duration(1500 * time.Millisecond),
	}}})
	_, body := control(t, server, http.MethodGet, "/control/scripts", "")
	const want = `[{"id":"script-1","match":"a","steps":[{"action":"answer","delay":"1.5s"}]}]`
	if body != want {
		t.Errorf("got  %s\nwant %s", body, want)
	}
	if status, _ := control(t, server, http.MethodDelete, "/control/scripts", ""); status != http.StatusNoContent {
		t.Errorf("status %d", status)
	}
	if _, body := control(t, server, http.MethodGet, "/control/scripts", ""); body != "[]" {
		t.Errorf("left: %s", body)
	}
}

func TestControlRefusesScriptsThatCannotWork(t *testing.T) {
	t.Parallel()
	server := newServer(t, providertest.Options{})
	for body, want := range map[string]string{
		``:                        "decode",
		`[]`:                      "decode",
		`{"match":"a"}`:           "no steps",
		`{"steps":[{}],"x":1}`:    "unknown",
		`{"steps":[{"delay":1}]}`: "decode",
		`{"steps":[{"action":"answer","delay":"-1s"}]}`:                         "negative",
		`{"steps":[{"action":"answer","delay":"soon"}]}`:                        "duration",
		`{"steps":[{"action":"explode"}]}`:                                      "unknown action",
		`{"steps":[{"action":"error"}]}`:                                        "status 0",
		`{"steps":[{"action":"error","status":200}]}`:                           "status 200",
		`{"steps":[{"action":"error_in_body"}]}`:                                "error_type",
		`{"steps":[{"action":"lose_operation"}]}`:                               "background",
		`{"steps":[{"action":"answer","background":true}]}`:                     "look-up",
		`{"match":"a","steps":[{"action":"cut_before_body"}]}`:                  "cannot depend",
		`{"steps":[{"action":"answer","bytes":-1}]}`:                            "bytes",
		`{"steps":[{"action":"error_in_stream","error_type":"x","pieces":-1}]}`: "pieces",
	} {
		status, answer := control(t, server, http.MethodPost, "/control/scripts", body)
		if status != http.StatusBadRequest || !strings.Contains(answer, want) {
			t.Errorf("%s: status %d, %s, want %q", body, status, answer, want)
		}
	}
	for _, query := range []string{"?after=x", "?wait=soon"} {
		if status, _ := control(t, server, http.MethodGet, "/control/log"+query, ""); status != http.StatusBadRequest {
			t.Errorf("%s: status %d", query, status)
		}
	}
}

// FuzzScript adds whatever is accepted and asks a question: a script that passed
// its checks must not break the server.
func FuzzScript(f *testing.F) {
	f.Add(`{"steps":[{"action":"answer","text":"{{generation}}"}]}`)
	f.Add(`{"match":"?","repeat":true,"steps":[{"action":"error","status":429,"retry_after":["date:+1s","x"]}]}`)
	f.Add(`{"per_prompt":true,"steps":[{"action":"error_in_stream","error_type":"overloaded","pieces":2},{"action":"no_answer"}]}`)
	f.Fuzz(func(t *testing.T, body string) {
		server, err := providertest.New(providertest.Options{Now: time.Now})
		if err != nil {
			t.Fatal(err)
		}
		if err := server.LoadScripts(strings.NewReader("[" + body + "]")); err != nil {
			return
		}
		if strings.Contains(body, "never") || strings.Contains(body, "hold") || strings.Contains(body, "delay") ||
			strings.Contains(body, "cut") || strings.Contains(body, "duplicate") || strings.Contains(body, "bytes") {
			return // waits, or needs a connection
		}
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, scripted.PathAnswers,
			strings.NewReader(`{"model":"","max_output_tokens":0,"prompt":{"question":"Who?"}}`))
		if err != nil {
			t.Fatal(err)
		}
		server.ServeHTTP(discard{header: make(http.Header)}, request)
		if got := server.Totals().Requests; got != 1 {
			t.Fatalf("%d requests in the log", got)
		}
	})
}
