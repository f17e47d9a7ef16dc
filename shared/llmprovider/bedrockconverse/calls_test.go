package bedrockconverse_test

import (
	"context"
	"errors"
	"net"
	"net/http"
	"testing"

	"github.com/replyonce/replyonce/shared/llmprovider"
	"github.com/replyonce/replyonce/shared/llmprovider/bedrockconverse"
	"github.com/replyonce/replyonce/shared/providertest"
	"github.com/replyonce/replyonce/shared/providertest/fakebedrock"
	"github.com/replyonce/replyonce/shared/providertest/fakeprovider"
)

// forBoth runs a test for Converse and for ConverseStream.
func forBoth(t *testing.T, test func(t *testing.T, streaming bool)) {
	t.Helper()
	for name, streaming := range operations {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, streaming)
		})
	}
}

func TestBasics(t *testing.T) {
	t.Parallel()
	forBoth(t, func(t *testing.T, streaming bool) {
		t.Helper()
		providertest.ExerciseBasics(t, setup(t, streaming).provider)
	})
}

func TestAnswer(t *testing.T) {
	t.Parallel()
	forBoth(t, func(t *testing.T, streaming bool) {
		t.Helper()
		text := "The board decides. 👍🏽 “§1”"
		s := setup(t, streaming, fakeprovider.Step{Text: &text})
		got := s.wantAnswer()
		logged := s.server.Requests()[0]
		want := llmprovider.Answer{
			Text: text, Provider: bedrockconverse.Name, Model: testModel, ProviderRequestID: logged.ID, LanguageModel: true,
			InputTokens: logged.Asked.InputTokens, OutputTokens: llmprovider.EstimateTokens(text),
		}
		if got != want {
			t.Errorf("got  %+v\nwant %+v", got, want)
		}
		if logged.Asked.Stream != streaming {
			t.Errorf("streamed: %t", logged.Asked.Stream)
		}
		s.request.Model, s.request.MaxOutputTokens = "arn:aws:bedrock:eu-central-1:123456789012:inference-profile/eu.other", 7
		if got := s.wantAnswer(); got.Model != s.request.Model || s.server.Requests()[1].Asked.Model != s.request.Model {
			t.Errorf("answered by %s", got.Model)
		}
		s.wantRequests(2, 2)
	})
}

func status(status int, errorType string) fakeprovider.Step {
	return fakeprovider.Step{Action: fakeprovider.Fail, Failure: fakeprovider.Failure{Status: status, Type: errorType, Message: "as the script says"}}
}

// Everything that the SDK and net/http like to repeat, with the SDK's retries on
// in the shared configuration.
func TestCaseM1OneRequestPerCall(t *testing.T) {
	t.Parallel()
	const ambiguous, rejected = llmprovider.Ambiguous, llmprovider.Rejected
	html := fakeprovider.Step{Action: fakeprovider.Raw, Status: 502, Body: "<html>", Header: http.Header{"Content-Type": {"text/html"}}}
	redirect := fakeprovider.Step{Action: fakeprovider.Raw, Status: 307, Header: http.Header{"Location": {"/model/m/converse"}}}
	tests := []struct {
		name        string
		step        fakeprovider.Step
		kind        llmprovider.Kind
		reason      string
		generations int
	}{
		{"reset before the body is read", fakeprovider.Step{Action: fakeprovider.CutBeforeBody}, ambiguous, "", 0},
		{"reset before the first byte", fakeprovider.Step{Action: fakeprovider.CutBeforeAnswer}, ambiguous, "", 1},
		{"408", status(408, fakebedrock.TypeModelTimeout), ambiguous, "", 0},
		{"424", status(424, fakebedrock.TypeModelError), ambiguous, "", 0},
		{"429", status(429, fakebedrock.TypeThrottling), rejected, "", 0},
		{"429, model not ready", status(429, fakebedrock.TypeModelNotReady), rejected, "", 0},
		{"500", status(500, fakebedrock.TypeInternal), ambiguous, "", 0},
		{"503", status(503, fakebedrock.TypeUnavailable), ambiguous, "", 0},
		{"502 of an intermediary", html, ambiguous, "", 0},
		{"504 of an intermediary", fakeprovider.Step{Action: fakeprovider.Raw, Status: 504}, ambiguous, "", 0},
		{"529 of an intermediary", fakeprovider.Step{Action: fakeprovider.Raw, Status: 529}, rejected, "", 0},
		{"307", redirect, llmprovider.Permanent, llmprovider.ReasonProviderMisconfigured, 0},
	}
	forBoth(t, func(t *testing.T, streaming bool) {
		t.Helper()
		for _, test := range tests {
			t.Run(test.name, func(t *testing.T) {
				t.Parallel()
				failure := setup(t, streaming, test.step).wantFailure(test.kind, test.reason, 1, test.generations)
				cut := test.step.Action == fakeprovider.CutBeforeBody || test.step.Action == fakeprovider.CutBeforeAnswer
				if !cut && failure.ProviderRequestID != "req_000001" {
					t.Errorf("the provider's request id is %q", failure.ProviderRequestID)
				}
			})
		}
	})
}

func TestCaseM1BrokenAnswer(t *testing.T) {
	t.Parallel()
	// The text is sent in one piece, and then come contentBlockStop and messageStop.
	const blockStop, messageStop = fakebedrock.FrameText + 1, fakebedrock.FrameText + 2
	text := "One piece."
	tests := []struct {
		name      string
		streaming bool
		step      fakeprovider.Step
	}{
		{"document cut", false, fakeprovider.Step{Action: fakeprovider.CutWhole}},
		{"cut in the first event", true, fakeprovider.Step{Action: fakeprovider.CutStream}},
		{"cut in the text", true, fakeprovider.Step{Action: fakeprovider.CutStream, Frames: fakebedrock.FrameText}},
		{"cut after the text", true, fakeprovider.Step{Action: fakeprovider.CutStream, Frames: blockStop}},
		{"cut in the end marker", true, fakeprovider.Step{Action: fakeprovider.CutStream, Frames: messageStop}},
		{"ended in order without the end marker", true, fakeprovider.Step{Action: fakeprovider.EndStream, Frames: messageStop}},
		{"ended in order without anything", true, fakeprovider.Step{Action: fakeprovider.EndStream}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			test.step.Text = &text
			failure := setup(t, test.streaming, test.step).wantFailure(llmprovider.Ambiguous, "", 1, 1)
			if failure.Spend != (llmprovider.Spend{}) {
				t.Errorf("the cost is not known, got %+v", failure.Spend)
			}
		})
	}
	t.Run("cut after the end marker", func(t *testing.T) {
		t.Parallel()
		s := setup(t, true, fakeprovider.Step{Action: fakeprovider.CutStream, Frames: messageStop + 1, Text: &text})
		if got := s.wantAnswer(); got.Text != text || got.OutputTokens != 0 {
			t.Errorf("got %+v: a whole answer whose cost was not told", got)
		}
		s.wantRequests(1, 1)
	})
	t.Run("cut after everything", func(t *testing.T) {
		t.Parallel()
		s := setup(t, true, fakeprovider.Step{Action: fakeprovider.CutStream, Frames: 100})
		if got := s.wantAnswer(); got.OutputTokens == 0 {
			t.Errorf("got %+v", got)
		}
	})
}

// A kept-alive connection that dies unseen is where net/http repeats by itself.
func TestCaseM1ReusedConnection(t *testing.T) {
	t.Parallel()
	forBoth(t, func(t *testing.T, streaming bool) {
		t.Helper()
		for name, action := range map[string]fakeprovider.Action{
			"reset before the body is read": fakeprovider.CutBeforeBody,
			"reset before the first byte":   fakeprovider.CutBeforeAnswer,
		} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				transport := new(http.Transport)
				t.Cleanup(transport.CloseIdleConnections)
				s := setupWith(t, func(o *bedrockconverse.Options) {
					o.Streaming, o.Client = streaming, &http.Client{Transport: transport}
				}, fakeprovider.Step{}, fakeprovider.Step{Action: action})
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
	})
}

func TestCaseM1NothingSentIsRejected(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	listener.Close()
	forBoth(t, func(t *testing.T, streaming bool) {
		t.Helper()
		s := setupWith(t, func(o *bedrockconverse.Options) {
			o.Streaming, o.BaseURL = streaming, "http://"+listener.Addr().String()
		})
		s.wantFailure(llmprovider.Rejected, "", 0, 0)

		ctx, cancel := context.WithCancelCause(t.Context())
		stopped := errors.New("stopped")
		cancel(stopped)
		s = setup(t, streaming)
		if failure := s.wantFailureOf(ctx, llmprovider.Rejected, "", 0, 0); !errors.Is(failure, stopped) {
			t.Errorf("the cause is missing in %v", failure)
		}
	})
}

// The watchdog, a cancel by the user and the call limit all arrive as the end of
// the context while the provider works.
func TestCaseM9CancelEndsTheCall(t *testing.T) {
	t.Parallel()
	stopped := errors.New("stopped")
	tests := []struct {
		name      string
		streaming bool
		step      fakeprovider.Step
	}{
		{"never answered", false, fakeprovider.Step{Action: fakeprovider.Never}},
		{"stream never answered", true, fakeprovider.Step{Action: fakeprovider.Never}},
		{"hangs before the text", true, fakeprovider.Step{Action: fakeprovider.HangStream, Frames: fakebedrock.FrameStart + 1}},
		{"hangs in the text", true, fakeprovider.Step{Action: fakeprovider.HangStream, Frames: fakebedrock.FrameText + 1}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithCancelCause(t.Context())
			defer cancel(nil)
			stop := func() { cancel(stopped) }
			if test.step.Action == fakeprovider.Never {
				test.step.OnRequest = stop
			} else {
				test.step.OnHang = stop
			}
			s := setup(t, test.streaming, test.step)
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

func TestParallelCallsKeepApart(t *testing.T) {
	t.Parallel()
	s := setup(t, true)
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
