package fakeopenai

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/replyonce/replyonce/shared/llmprovider"
)

// lostOrRefused is everything that client libraries like to repeat.
var lostOrRefused = []struct {
	name        string
	step        Step
	kind        llmprovider.Kind
	generations int
}{
	{"reset before the body is read", Step{Action: ResetEarly}, llmprovider.Ambiguous, 0},
	{"reset after the body was read", Step{Action: Reset}, llmprovider.Ambiguous, 1},
	{"cut in the answer", Step{Action: Cut}, llmprovider.Ambiguous, 1},
	{"408", Step{Action: Refuse, Status: 408}, llmprovider.Ambiguous, 0},
	{"409", Step{Action: Refuse, Status: 409, Failure: Failure{Type: "conflict_error"}}, llmprovider.Ambiguous, 0},
	{"500", Step{Action: Refuse, Status: 500, Failure: Failure{Type: "server_error"}}, llmprovider.Ambiguous, 0},
	{"500 after the model ran", Step{Action: Refuse, Status: 500, Ran: true}, llmprovider.Ambiguous, 1},
	{"500 that asks for a repeat", Step{Action: Refuse, Status: 500, Header: http.Header{"X-Should-Retry": {"true"}}}, llmprovider.Ambiguous, 0},
	{"502 of an intermediary", Step{Action: Refuse, Status: 502, Body: html}, llmprovider.Ambiguous, 0},
	{"503", Step{Action: Refuse, Status: 503, Failure: Failure{Code: "server_is_overloaded"}, Header: http.Header{"Retry-After": {"1"}}}, llmprovider.Ambiguous, 0},
	{"503 that says slow down", Step{Action: Refuse, Status: 503, Failure: Failure{Code: "slow_down"}}, llmprovider.Ambiguous, 0},
	{"504", Step{Action: Refuse, Status: 504}, llmprovider.Ambiguous, 0},
	{"500 with the code of a refusal", Step{Action: Refuse, Status: 500, Failure: Failure{Code: "invalid_prompt"}}, llmprovider.Ambiguous, 0},
	{"a status that nobody documents", Step{Action: Refuse, Status: 599}, llmprovider.Ambiguous, 0},
	{"429 rate limit", Step{Action: Refuse, Status: 429, Failure: Failure{Type: "tokens", Code: "rate_limit_exceeded"}}, llmprovider.Rejected, 0},
	{"429 slow down", Step{Action: Refuse, Status: 429, Failure: Failure{Code: "slow_down"}}, llmprovider.Rejected, 0},
	{"429 that asks for a repeat", Step{Action: Refuse, Status: 429, Header: http.Header{"X-Should-Retry": {"true"}, "Retry-After-Ms": {"1"}}}, llmprovider.Rejected, 0},
	{"429 of an intermediary", Step{Action: Refuse, Status: 429, Body: html}, llmprovider.Rejected, 0},
}

var html = func() *string { s := "<html>busy</html>"; return &s }()

func oneRequestPerCall(t *testing.T, a Adapter) {
	t.Helper()
	for _, test := range lostOrRefused {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := newScene(t, a, test.step)
			s.wantFailure(test.kind, "")
			s.wantRequests(1, test.generations)
		})
	}
	for _, status := range []int{301, 302, 303, 307, 308} {
		t.Run(fmt.Sprintf("redirect %d", status), func(t *testing.T) {
			t.Parallel()
			s := newScene(t, a, Step{Action: Redirect, Status: status})
			s.wantFailure(llmprovider.Permanent, llmprovider.ReasonProviderMisconfigured)
			s.wantRequests(1, 0)
		})
	}
	t.Run("timeout", func(t *testing.T) {
		t.Parallel()
		s := newScene(t, a, Step{Action: Hang})
		limit := errors.New("call limit")
		ctx, cancel := context.WithCancelCause(s.ctx)
		s.endAtGeneration(cancel, limit)
		s.ctx = ctx
		if failure := s.wantFailure(llmprovider.Ambiguous, ""); !errors.Is(failure, limit) {
			t.Errorf("the cause is missing in %v", failure)
		}
		s.wantRequests(1, 1)
	})
}

// endAtGeneration ends a context as soon as the model runs.
func (s *scene) endAtGeneration(cancel context.CancelCauseFunc, cause error) {
	var waiting sync.WaitGroup
	ctx := s.ctx // the test goes on with another one
	waiting.Go(func() {
		_, _ = s.server.WaitFor(ctx, func(r Request) bool { return r.Generation })
		cancel(cause)
	})
	s.t.Cleanup(waiting.Wait)
}

// reusedConnection: net/http repeats a request by itself when a kept connection dies
// before the first byte of the answer, if it can rewind the body and takes the request
// for repeatable. A client that keeps connections, which ours does not, shows that the
// adapter gives it no means to.
func reusedConnection(t *testing.T, a Adapter) {
	t.Helper()
	for _, action := range []Action{Reset, ResetEarly} {
		t.Run(string(action), func(t *testing.T) {
			t.Parallel()
			s := newScene(t, a, Step{Action: Refuse, Status: 429}, Step{Action: action})
			s.settings.Client = llmprovider.NewClient()
			keeping, ok := s.settings.Client.Transport.(*http.Transport)
			if !ok {
				t.Fatal("the hardened client has another transport")
			}
			keeping.DisableKeepAlives = false
			s.renew()
			s.wantFailure(llmprovider.Rejected, "")
			s.wantFailure(llmprovider.Ambiguous, "")
			requests := s.server.Requests()
			if len(requests) != 2 || requests[0].Connection != requests[1].Connection {
				t.Fatalf("want two requests on one connection, got %+v", requests)
			}
		})
	}
}

func nothingSent(t *testing.T, a Adapter) {
	t.Helper()
	t.Run("nobody listens", func(t *testing.T) {
		t.Parallel()
		s := newScene(t, a)
		s.settings.BaseURL = closedAddress(t)
		s.renew()
		s.wantFailure(llmprovider.Rejected, "")
	})
	t.Run("not TLS", func(t *testing.T) {
		t.Parallel()
		s := newScene(t, a)
		s.settings.BaseURL = strings.Replace(s.settings.BaseURL, "http:", "https:", 1)
		s.renew()
		s.wantFailure(llmprovider.Rejected, "")
	})
	t.Run("context over", func(t *testing.T) {
		t.Parallel()
		s := newScene(t, a)
		ctx, cancel := context.WithCancel(s.ctx)
		cancel()
		s.ctx = ctx
		s.wantFailure(llmprovider.Rejected, "")
		s.wantRequests(0, 0)
	})
}

// cancelEndsTheCall: the watchdog, a cancel by the user and the call limit all
// arrive as the end of the context while the provider works.
func cancelEndsTheCall(t *testing.T, a Adapter) {
	t.Helper()
	for _, test := range []struct {
		name string
		step Step
	}{
		{"never answered", Step{Action: Hang}},
		{"answered too late", Step{Hold: "late"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := newScene(t, a, test.step)
			stopped := errors.New("stopped")
			ctx, cancel := context.WithCancelCause(s.ctx)
			s.endAtGeneration(cancel, stopped)
			answer, err := s.provider.Call(ctx, s.request)
			checkFailure(t, answer, err, llmprovider.Ambiguous, "")
			if !errors.Is(err, stopped) {
				t.Errorf("the cause is missing in %v", err)
			}
			if !s.provider.Capability().Lookup {
				// The connection is closed, which is all that this API offers.
				if _, err := s.server.WaitFor(s.ctx, func(r Request) bool { return r.Outcome == Gone }); err != nil {
					t.Error(err)
				}
			}
			s.server.Release("late")
			s.wantRequests(1, 1)
		})
	}
}

// oddText: whatever a conversation holds, the provider gets a request that it can
// read, and the text that was typed.
func oddText(t *testing.T, a Adapter) {
	t.Helper()
	for name, text := range map[string]string{
		"torn emoji":       "ok \xf0\x9f\x91",
		"decomposed":       "cafe\u0301",
		"skin tone":        "👍🏽",
		"control":          "a\x00b\u2028c\u202e",
		"markup":           `"</script>&amp;\`,
		"only white space": " \n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newScene(t, a)
			s.request.Prompt.History[0].Answer = text
			s.request.Prompt.Question += " " + text
			s.request.Prompt.Document.Title = text
			s.wantAnswer()
			s.wantRequests(1, 1)
			chat := s.request.Prompt.Chat()
			if got, want := s.server.Requests()[0].Question, chat.Turns[len(chat.Turns)-1].Text; got != want {
				t.Errorf("the provider got %q, sent was %q", got, want)
			}
		})
	}
}

func sameBytes(t *testing.T, a Adapter) {
	t.Helper()
	s := newScene(t, a)
	s.wantAnswer()
	s.renew()
	s.wantAnswer()
	var hashes []string
	for _, r := range s.server.Requests() {
		if r.Starts() {
			hashes = append(hashes, r.BodySHA256)
		}
	}
	if len(hashes) != 2 || hashes[0] != hashes[1] {
		t.Errorf("two attempts sent different bytes: %v", hashes)
	}
}

func parallelCalls(t *testing.T, a Adapter) {
	t.Helper()
	const parallel = 8
	s := newScene(t, a)
	var calls sync.WaitGroup
	for i := range parallel {
		calls.Go(func() {
			text := fmt.Sprintf("answer %d", i)
			prompt := samplePrompt()
			prompt.Question = fmt.Sprintf("Question (%d)?", i)
			if err := s.server.Script(prompt.Question, Step{Text: &text}); err != nil {
				t.Error(err)
				return
			}
			answer, err := s.provider.Call(s.ctx, llmprovider.Request{Prompt: prompt})
			if err != nil || answer.Text != text {
				t.Errorf("call %d: %q, %v", i, answer.Text, err)
			}
		})
	}
	calls.Wait()
	s.wantRequests(parallel, parallel)
}

func keys(t *testing.T, a Adapter) {
	t.Helper()
	t.Run("asked for before each request", func(t *testing.T) {
		t.Parallel()
		s := newScene(t, a)
		key := "sk-old"
		s.settings.Key = func(context.Context) (string, error) { return key, nil }
		s.renew()
		s.wantFailure(llmprovider.Permanent, llmprovider.ReasonProviderMisconfigured)
		key = plantedKey
		s.wantAnswer()
	})
	t.Run("the source fails", func(t *testing.T) {
		t.Parallel()
		s := newScene(t, a)
		broken := errors.New("secret store is down")
		s.settings.Key = func(context.Context) (string, error) { return "", broken }
		s.renew()
		if failure := s.wantFailure(llmprovider.Rejected, ""); !errors.Is(failure, broken) {
			t.Errorf("the cause is missing in %v", failure)
		}
		s.wantRequests(0, 0)
	})
	for name, key := range map[string]string{"empty": "", "line end inside": "sk-\n" + plantedKey, "not ASCII": "ключ"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newScene(t, a)
			s.settings.Key = func(context.Context) (string, error) { return key, nil }
			s.renew()
			s.wantFailure(llmprovider.Permanent, llmprovider.ReasonProviderMisconfigured)
			s.wantRequests(0, 0)
		})
	}
	t.Run("not in errors and logs when the server quotes it", func(t *testing.T) {
		t.Parallel()
		s := newScene(t, a, Step{Action: Refuse, Status: 401, Failure: Failure{Type: plantedKey, Code: plantedKey, Message: plantedKey}})
		s.wantFailure(llmprovider.Permanent, llmprovider.ReasonProviderMisconfigured)
		if s.log.String() == "" {
			t.Error("an operator has to hear of a refused key")
		}
	})
}
