package anthropicmessages_test

import (
	"context"
	"errors"
	"net"
	"net/http"
	"testing"

	"github.com/replyonce/replyonce/shared/llmprovider"
	"github.com/replyonce/replyonce/shared/llmprovider/anthropicmessages"
	"github.com/replyonce/replyonce/shared/providertest"
	"github.com/replyonce/replyonce/shared/providertest/fakeanthropic"
	"github.com/replyonce/replyonce/shared/providertest/fakeprovider"
)

func TestBasics(t *testing.T) {
	t.Parallel()
	providertest.ExerciseBasics(t, setup(t).provider)
}

func TestAnswer(t *testing.T) {
	t.Parallel()
	text := "The board decides. 👍🏽 “§1”"
	s := setup(t, fakeprovider.Step{Text: &text})
	got := s.wantAnswer()
	logged := s.server.Requests()[0]
	want := llmprovider.Answer{
		Text: text, Provider: anthropicmessages.Name, Model: testModel, ProviderRequestID: logged.ID, LanguageModel: true,
		InputTokens: logged.Asked.InputTokens, OutputTokens: llmprovider.EstimateTokens(text),
	}
	if got != want {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	if !logged.Asked.Stream {
		t.Error("the answer was not streamed")
	}
	s.request.Model, s.request.MaxOutputTokens = "claude-other", 7
	if got := s.wantAnswer(); got.Model != "claude-other" {
		t.Errorf("answered by %s", got.Model)
	}
	s.wantRequests(2, 2)
}

func status(status int, errorType string) fakeprovider.Step {
	return fakeprovider.Step{Action: fakeprovider.Fail, Failure: fakeprovider.Failure{Status: status, Type: errorType, Message: "as the script says"}}
}

// endMarker is the frame message_stop of an answer whose text is one piece: after
// the text come content_block_stop and message_delta.
const endMarker = fakeanthropic.FrameText + 3

// Everything that the SDK and net/http like to repeat.
func TestCaseM1OneRequestPerCall(t *testing.T) {
	t.Parallel()
	const ambiguous, rejected = llmprovider.Ambiguous, llmprovider.Rejected
	text := "One piece."
	html := fakeprovider.Step{Action: fakeprovider.Raw, Status: 502, Body: "<html>", Header: http.Header{"Content-Type": {"text/html"}}}
	retry := status(500, fakeanthropic.TypeAPI)
	retry.Header = http.Header{"X-Should-Retry": {"true"}, "Retry-After": {"0"}}
	redirect := fakeprovider.Step{Action: fakeprovider.Raw, Status: 307, Header: http.Header{"Location": {"/v1/messages"}}}
	tests := []struct {
		name        string
		step        fakeprovider.Step
		kind        llmprovider.Kind
		reason      string
		generations int
	}{
		{"reset before the body is read", fakeprovider.Step{Action: fakeprovider.CutBeforeBody}, ambiguous, "", 0},
		{"reset before the first byte", fakeprovider.Step{Action: fakeprovider.CutBeforeAnswer}, ambiguous, "", 1},
		{"cut in the first event", fakeprovider.Step{Action: fakeprovider.CutStream}, ambiguous, "", 1},
		{"cut in the text", fakeprovider.Step{Action: fakeprovider.CutStream, Frames: fakeanthropic.FrameText, Text: &text}, ambiguous, "", 1},
		{"cut in the end marker", fakeprovider.Step{Action: fakeprovider.CutStream, Frames: endMarker, Text: &text}, ambiguous, "", 1},
		{"ended in order without the end marker", fakeprovider.Step{Action: fakeprovider.EndStream, Frames: endMarker, Text: &text}, ambiguous, "", 1},
		{"ended in order without anything", fakeprovider.Step{Action: fakeprovider.EndStream}, ambiguous, "", 1},
		{"409", status(409, fakeanthropic.TypeConflict), llmprovider.Permanent, llmprovider.ReasonProviderRefused, 0},
		{"429", status(429, fakeanthropic.TypeRateLimit), rejected, "", 0},
		{"500", status(500, fakeanthropic.TypeAPI), ambiguous, "", 0},
		{"500 that asks for a repeat", retry, ambiguous, "", 0},
		{"504", status(504, fakeanthropic.TypeTimeout), ambiguous, "", 0},
		{"529", status(529, fakeanthropic.TypeOverloaded), rejected, "", 0},
		{"408 of an intermediary", fakeprovider.Step{Action: fakeprovider.Raw, Status: 408}, ambiguous, "", 0},
		{"502 of an intermediary", html, ambiguous, "", 0},
		{"503 of an intermediary", fakeprovider.Step{Action: fakeprovider.Raw, Status: 503}, ambiguous, "", 0},
		{"307", redirect, llmprovider.Permanent, llmprovider.ReasonProviderMisconfigured, 0},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			failure := setup(t, test.step).wantFailure(test.kind, test.reason, 1, test.generations)
			cut := test.step.Action == fakeprovider.CutBeforeBody || test.step.Action == fakeprovider.CutBeforeAnswer
			if !cut && failure.ProviderRequestID != "req_000001" {
				t.Errorf("the provider's request id is %q", failure.ProviderRequestID)
			}
		})
	}
}

// A kept-alive connection that dies unseen is where net/http repeats by itself.
func TestCaseM1ReusedConnection(t *testing.T) {
	t.Parallel()
	for name, action := range map[string]fakeprovider.Action{
		"reset before the body is read": fakeprovider.CutBeforeBody,
		"reset before the first byte":   fakeprovider.CutBeforeAnswer,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			transport := new(http.Transport)
			t.Cleanup(transport.CloseIdleConnections)
			s := setupWith(t, func(o *anthropicmessages.Options) { o.Client = &http.Client{Transport: transport} },
				fakeprovider.Step{}, fakeprovider.Step{Action: action})
			s.wantAnswer()
			generations := 1
			if action == fakeprovider.CutBeforeAnswer {
				generations = 2
			}
			s.wantFailure(llmprovider.Ambiguous, "", 2, generations)
			if logged := s.server.Requests(); logged[0].RemoteAddr != logged[1].RemoteAddr {
				t.Error("the connection was not reused, so the test shows nothing")
			}
		})
	}
}

func TestCaseM1NothingSentIsRejected(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	listener.Close()
	s := setupWith(t, func(o *anthropicmessages.Options) { o.BaseURL = "http://" + listener.Addr().String() })
	s.wantFailure(llmprovider.Rejected, "", 0, 0)

	ctx, cancel := context.WithCancelCause(t.Context())
	stopped := errors.New("stopped")
	cancel(stopped)
	s = setup(t)
	if failure := s.wantFailureOf(ctx, llmprovider.Rejected, "", 0, 0); !errors.Is(failure, stopped) {
		t.Errorf("the cause is missing in %v", failure)
	}
}

// The watchdog, a cancel by the user and the call limit all arrive as the end of
// the context while the provider works.
func TestCaseM9CancelEndsTheCall(t *testing.T) {
	t.Parallel()
	stopped, text := errors.New("stopped"), "One piece."
	for name, step := range map[string]fakeprovider.Step{
		"never answered":          {Action: fakeprovider.Never},
		"hangs before the text":   {Action: fakeprovider.HangStream, Frames: fakeanthropic.FrameStart + 1},
		"hangs in the text":       {Action: fakeprovider.HangStream, Frames: fakeanthropic.FrameText + 1},
		"hangs at the end marker": {Action: fakeprovider.HangStream, Frames: endMarker, Text: &text},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithCancelCause(t.Context())
			defer cancel(nil)
			stop := func() { cancel(stopped) }
			if step.Action == fakeprovider.Never {
				step.OnRequest = stop
			} else {
				step.OnHang = stop
			}
			s := setup(t, step)
			if failure := s.wantFailureOf(ctx, llmprovider.Ambiguous, "", 1, 1); !errors.Is(failure, stopped) {
				t.Errorf("the cause is missing in %v", failure)
			}
			err := s.server.Wait(t.Context(), func(logged []fakeprovider.Request) bool {
				return logged[0].Outcome == fakeprovider.ClientGone
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
}

// A whole message is an answer even if the connection broke after it: it is paid
// for and nothing of it is missing.
func TestAnswerWhoseConnectionBreaksAfterTheEndMarker(t *testing.T) {
	t.Parallel()
	text := "whole"
	s := setup(t, fakeprovider.Step{Action: fakeprovider.CutStream, Text: &text, Frames: 100})
	if got := s.wantAnswer(); got.Text != text || got.OutputTokens == 0 {
		t.Errorf("got %+v", got)
	}
	s.wantRequests(1, 1)
}

func TestParallelCallsKeepApart(t *testing.T) {
	t.Parallel()
	s := setup(t)
	s.request.Prompt.History = nil
	t.Run("calls", func(t *testing.T) {
		for _, text := range []string{"one", "two", "three", "four"} {
			t.Run(text, func(t *testing.T) {
				t.Parallel()
				request := s.request
				request.Prompt.Question = "question " + text + "?"
				s.server.Script(request.Prompt.Question, fakeprovider.Step{Text: &text})
				answer, err := s.provider.Call(t.Context(), request)
				if err != nil || answer.Text != text {
					t.Errorf("got %q, %v", answer.Text, err)
				}
			})
		}
	})
	s.wantRequests(4, 4)
}
