package providertest_test

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/replyonce/replyonce/shared/llmprovider"
	"github.com/replyonce/replyonce/shared/llmprovider/scripted"
	"github.com/replyonce/replyonce/shared/providertest"
)

func newServer(t *testing.T, options providertest.Options) *providertest.Server {
	t.Helper()
	options.Now = time.Now
	return providertest.NewServer(t, options)
}

func connect(t *testing.T, server *providertest.Server) llmprovider.Provider {
	t.Helper()
	provider, err := scripted.Connect(t.Context(), scripted.Options{
		BaseURL: server.URL, Now: time.Now, PollInterval: time.Millisecond,
	})
	if err != nil {
		t.Fatal(err)
	}
	return provider
}

func ask(question string) llmprovider.Request {
	return llmprovider.Request{Prompt: llmprovider.Prompt{Question: question}, Key: "k"}
}

func script(t *testing.T, server *providertest.Server, s providertest.Script) {
	t.Helper()
	if _, err := server.Script(s); err != nil {
		t.Fatal(err)
	}
}

func kinds(server *providertest.Server) []providertest.EventKind {
	var list []providertest.EventKind
	for _, event := range server.Events() {
		list = append(list, event.Kind)
	}
	return list
}

func TestLogTellsARequestFromItsArrivalToItsEnd(t *testing.T) {
	t.Parallel()
	server := newServer(t, providertest.Options{})
	if _, err := connect(t, server).Call(t.Context(), ask("Who?")); err != nil {
		t.Fatal(err)
	}
	want := []providertest.EventKind{
		providertest.EventReceived, providertest.EventStep, providertest.EventStarted,
		providertest.EventGenerated, providertest.EventDelivered,
	}
	if got := kinds(server); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	for i, event := range server.Events() {
		if event.Seq != i+1 || event.At.IsZero() || event.RequestID != "req_000001" {
			t.Errorf("event %d is %+v", i, event)
		}
	}
	call := server.Calls()[0]
	if call.Question != "Who?" || call.Generation != 1 || !call.Delivered || call.Status != 200 {
		t.Errorf("call is %+v", call)
	}
}

func TestPlainAnswerDependsOnThePromptAlone(t *testing.T) {
	t.Parallel()
	request := ask("Who?")
	request.Prompt.Document = llmprovider.DocumentText{Title: "Rules", Version: 2}
	var texts []string
	for range 2 {
		answer, err := connect(t, newServer(t, providertest.Options{})).Call(t.Context(), request)
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, answer.Text)
	}
	const want = "Scripted answer to “Who?”, from “Rules”, version 2, with 0 earlier turns."
	if texts[0] != want || texts[1] != want {
		t.Errorf("got %q", texts)
	}
}

func TestScriptsAreTakenStepByStep(t *testing.T) {
	t.Parallel()
	server := newServer(t, providertest.Options{})
	provider := connect(t, server)
	text := func(s string) *string { return &s }
	script(t, server, providertest.Script{Match: "once", Steps: []providertest.Step{
		{Action: providertest.Answer, Text: text("one")}, {Action: providertest.Answer, Text: text("two")},
	}})
	script(t, server, providertest.Script{Match: "again", Repeat: true, Steps: []providertest.Step{
		{Action: providertest.Answer, Text: text("first")}, {Action: providertest.Answer, Text: text("number {{generation}}")},
	}})
	script(t, server, providertest.Script{Match: "each", PerPrompt: true, Steps: []providertest.Step{
		{Action: providertest.Answer, Text: text("new here")},
	}})
	for _, test := range []struct{ question, want string }{
		{"once?", "one"},
		{"another once?", "two"},
		{"once?", "Scripted answer"},
		{"again", "first"},
		{"again", "number 2"},
		{"again", "number 3"},
		{"each a", "new here"},
		{"each b", "new here"},
		{"each a", "Scripted answer"},
		{"nothing matches", "Scripted answer"},
	} {
		answer, err := provider.Call(t.Context(), ask(test.question))
		if err != nil || !strings.HasPrefix(answer.Text, test.want) {
			t.Errorf("%q: got %q, %v, want %q", test.question, answer.Text, err, test.want)
		}
	}
}

// A test that kills a worker "after the provider answered and before the save"
// needs to know that the generation is over while nothing has been sent, or that
// everything has been.
func TestHooksStandAtExactPoints(t *testing.T) {
	t.Parallel()
	points := make(chan string, 3)
	var server *providertest.Server
	note := func(name string) func(providertest.Call) {
		return func(call providertest.Call) {
			events := server.Events()
			points <- name + " after " + string(events[len(events)-1].Kind) + " of " + call.Question
		}
	}
	server = newServer(t, providertest.Options{
		OnRequest: note("request"), OnGenerated: note("generated"), OnAnswered: note("answered"),
	})
	if _, err := connect(t, server).Call(t.Context(), ask("Q")); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"request after received of Q", "generated after generated of Q", "answered after delivered of Q"} {
		if got := <-points; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// waitForEvents waits until the log holds this many events of the kind.
func waitForEvents(t *testing.T, server *providertest.Server, kind providertest.EventKind, n int) {
	t.Helper()
	_, err := server.WaitFor(t.Context(), func(event providertest.Event) bool {
		if event.Kind == kind {
			n--
		}
		return n == 0
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestCloseEndsWhatWaits(t *testing.T) {
	t.Parallel()
	server := newServer(t, providertest.Options{Lookup: true})
	provider := connect(t, server)
	steps := map[string]providertest.Step{
		"never":      {Action: providertest.Never},
		"gate":       {Action: providertest.Answer, HoldRequest: "closed"},
		"slow":       {Action: providertest.Answer, Delay: providertest.Duration(time.Hour)},
		"background": {Action: providertest.Answer, Background: true, Delay: providertest.Duration(time.Hour)},
	}
	ended := make(chan error, len(steps))
	ctx, cancel := context.WithCancel(t.Context())
	for name, step := range steps {
		script(t, server, providertest.Script{Match: name, Steps: []providertest.Step{step}})
		go func() {
			_, err := provider.Call(ctx, ask(name))
			ended <- err
		}()
	}
	waitForEvents(t, server, providertest.EventStep, len(steps))
	if err := server.Close(); err != nil {
		t.Fatal(err)
	}
	cancel()
	for range steps {
		if err := <-ended; err == nil {
			t.Error("a call that was never answered succeeded")
		}
	}
}

type brokenSink struct{ after int }

func (s *brokenSink) Write(p []byte) (int, error) {
	if s.after--; s.after < 0 {
		return 0, errors.New("disk full")
	}
	return len(p), nil
}

func TestLogSink(t *testing.T) {
	t.Parallel()
	t.Run("gets every event", func(t *testing.T) {
		t.Parallel()
		var sink bytes.Buffer
		server := newServer(t, providertest.Options{LogSink: &sink})
		if _, err := connect(t, server).Call(t.Context(), ask("Who?")); err != nil {
			t.Fatal(err)
		}
		waitForEvents(t, server, providertest.EventDelivered, 1)
		if got := strings.Count(sink.String(), "\n"); got != 5 {
			t.Errorf("%d lines:\n%s", got, sink.String())
		}
	})
	t.Run("reports a log that has a hole", func(t *testing.T) {
		t.Parallel()
		server, err := providertest.New(providertest.Options{Now: time.Now, LogSink: &brokenSink{after: 0}})
		if err != nil {
			t.Fatal(err)
		}
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, scripted.PathAnswers, http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		server.ServeHTTP(discard{header: make(http.Header)}, request)
		if err := server.Close(); err == nil || !strings.Contains(err.Error(), "disk full") {
			t.Errorf("got %v", err)
		}
	})
}

type discard struct{ header http.Header }

func (d discard) Header() http.Header         { return d.header }
func (d discard) Write(p []byte) (int, error) { return len(p), nil }
func (d discard) WriteHeader(int)             {}

func TestMalformedRequestIsLoggedAndRefused(t *testing.T) {
	t.Parallel()
	server := newServer(t, providertest.Options{})
	for _, body := range []string{"", "{", `{"prompt":1}`, `{"model":"m","model":"n"}`, `{"prompt":{},"extra":1}`} {
		answer, err := http.Post(server.URL+scripted.PathAnswers, "application/json", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		_ = answer.Body.Close()
		if answer.StatusCode != http.StatusBadRequest {
			t.Errorf("%q: status %d", body, answer.StatusCode)
		}
	}
	if got := server.Totals(); got.Requests != 5 || got.Generations != 0 {
		t.Errorf("totals %+v", got)
	}
}
