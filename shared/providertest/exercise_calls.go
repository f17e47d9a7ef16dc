package providertest

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"testing"

	"github.com/replyonce/replyonce/shared/llmprovider"
	"github.com/replyonce/replyonce/shared/llmprovider/scripted"
)

// oneRequestPerCall goes through everything that client libraries like to repeat.
func (s *suite) oneRequestPerCall(t *testing.T) {
	const ambiguous, rejected = llmprovider.Ambiguous, llmprovider.Rejected
	tests := []struct {
		name        string
		step        Step
		kind        llmprovider.Kind
		generations int
	}{
		{"reset before the body is read", Step{Action: CutBeforeBody}, ambiguous, 0},
		{"reset after the body was read", Step{Action: CutBeforeAnswer}, ambiguous, 1},
		{"cut in the answer", Step{Action: CutInAnswer}, ambiguous, 1},
		{"408", Step{Action: Fail, Status: http.StatusRequestTimeout}, ambiguous, 0},
		{"409", Step{Action: Fail, Status: http.StatusConflict, ErrorType: "state"}, ambiguous, 0},
		{"500", Step{Action: Fail, Status: http.StatusInternalServerError}, ambiguous, 0},
		{"500 after the model ran", Step{Action: Fail, Status: http.StatusInternalServerError, Generates: true}, ambiguous, 1},
		{"502", Step{Action: Fail, Status: http.StatusBadGateway}, ambiguous, 0},
		{"503", Step{Action: Fail, Status: http.StatusServiceUnavailable, RetryAfter: []string{"1"}}, ambiguous, 0},
		{"504", Step{Action: Fail, Status: http.StatusGatewayTimeout}, ambiguous, 0},
		{"425", Step{Action: Fail, Status: http.StatusTooEarly}, rejected, 0},
		{"429", Step{Action: Fail, Status: http.StatusTooManyRequests}, rejected, 0},
		{"529", Step{Action: Fail, Status: llmprovider.StatusOverloaded}, rejected, 0},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			scene := s.scene(t, test.step)
			scene.wantFailure(test.kind, "")
			scene.wantRequests(1, test.generations)
		})
	}
	t.Run("redirect", func(t *testing.T) {
		scene := s.scene(t, Step{Action: Fail, Status: http.StatusTemporaryRedirect})
		scene.wantFailure(llmprovider.Permanent, llmprovider.ReasonProviderMisconfigured)
		scene.wantRequests(1, 0)
	})
	t.Run("answered twice", func(t *testing.T) {
		scene := s.scene(t, Step{Action: Duplicate})
		scene.wantAnswer()
		scene.wantRequests(1, 1)
	})
}

func (s *suite) nothingSent(t *testing.T) {
	t.Run("nobody listens", func(t *testing.T) {
		scene := s.scene(t)
		scene.provider = s.newProvider(t, closedAddress(t))
		scene.wantFailure(llmprovider.Rejected, "")
		scene.wantRequests(0, 0)
	})
	t.Run("context over", func(t *testing.T) {
		scene := s.scene(t)
		ctx, cancel := context.WithCancel(scene.ctx)
		cancel()
		scene.ctx = ctx
		scene.wantFailure(llmprovider.Rejected, "")
		scene.wantRequests(0, 0)
	})
}

// cancelEndsTheCall: the watchdog, a cancel by the user and the call limit all
// arrive as the end of the context while the provider works.
func (s *suite) cancelEndsTheCall(t *testing.T) {
	t.Run("never answered", func(t *testing.T) {
		scene := s.scene(t, Step{Action: Never})
		scene.cancelled(EventStarted)
		scene.waitFor(EventGone)
		scene.wantRequests(1, 1)
	})
	t.Run("answered too late", func(t *testing.T) {
		scene := s.scene(t, Step{Action: Answer, HoldAnswer: "late"})
		scene.cancelled(EventGenerated)
		scene.waitFor(EventGone)
		scene.server.Release("late")
		scene.waitFor(EventLost)
		scene.wantRequests(1, 1)
	})
}

// cancelled makes the call, ends its context at the event and checks the outcome.
func (s *scene) cancelled(at EventKind) {
	s.t.Helper()
	stopped := errors.New("stopped")
	ctx, cancel := context.WithCancelCause(s.ctx)
	var waiting sync.WaitGroup
	waiting.Go(func() {
		_, _ = s.server.WaitFor(s.ctx, func(e Event) bool {
			return e.Kind == at && s.server.log.call(e.RequestID).Question == s.request.Prompt.Question
		})
		cancel(stopped)
	})
	answer, err := s.provider.Call(ctx, s.request)
	waiting.Wait()
	checkFailure(s.t, answer, err, llmprovider.Ambiguous, "")
	if !errors.Is(err, stopped) {
		s.t.Errorf("the cause is missing in %v", err)
	}
}

// oddText: whatever a conversation holds, the provider gets a request that it
// can read, and the text that was typed.
func (s *suite) oddText(t *testing.T) {
	for name, text := range map[string]string{
		"torn emoji":       "ok \xf0\x9f\x91",
		"decomposed":       "cafe\u0301",
		"skin tone":        "👍🏽",
		"control":          "a\x00b\u2028c\u202e",
		"markup":           `"</script>&amp;\`,
		"only white space": " \n",
	} {
		t.Run(name, func(t *testing.T) {
			scene := s.scene(t)
			scene.request.Prompt.History[0].Answer = text
			scene.request.Prompt.Question += " " + text
			scene.wantAnswer()
			scene.wantRequests(1, 1)
			if got, want := scene.calls()[0].PromptSHA256, scene.request.Prompt.Hash(); got != want {
				t.Errorf("the provider got the prompt %s, sent was %s", got, want)
			}
		})
	}
}

func (s *suite) sameBytes(t *testing.T) {
	scene := s.scene(t)
	first := scene.wantAnswer()
	second := scene.wantAnswer()
	calls := scene.calls()
	if len(calls) != 2 || calls[0].BodySHA256 != calls[1].BodySHA256 {
		t.Errorf("two attempts sent different bytes: %+v", calls)
	}
	if first.Text != second.Text {
		t.Errorf("%q and %q", first.Text, second.Text)
	}
}

func (s *suite) parallelCalls(t *testing.T) {
	const parallel = 8
	scene := s.scene(t)
	var calls sync.WaitGroup
	for i := range parallel {
		calls.Go(func() {
			text := fmt.Sprintf("answer %d", i)
			question := fmt.Sprintf("%s (%d)", scene.request.Prompt.Question, i)
			if _, err := s.server.Script(Script{Match: question, Steps: []Step{{Action: Answer, Text: &text}}}); err != nil {
				t.Error(err)
				return
			}
			answer, err := scene.provider.Call(scene.ctx, llmprovider.Request{Prompt: samplePrompt(question)})
			if err != nil || answer.Text != text {
				t.Errorf("call %d: %q, %v", i, answer.Text, err)
			}
		})
	}
	calls.Wait()
	scene.wantRequests(parallel, parallel)
}

// noUndocumentedKey: net/http repeats requests with this header by itself, so it
// must not be there "just in case".
func (s *suite) noUndocumentedKey(t *testing.T) {
	scene := s.scene(t)
	scene.wantAnswer()
	if key := scene.calls()[0].Key; key != "" {
		t.Errorf("the key %q was sent in %s to a provider that documents none", key, scripted.HeaderKey)
	}
}
