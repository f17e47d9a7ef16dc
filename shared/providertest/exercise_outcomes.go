package providertest

import (
	"net/http"
	"testing"
	"time"

	"github.com/replyonce/replyonce/shared/llmprovider"
	"github.com/replyonce/replyonce/shared/llmprovider/scripted"
)

func (s *suite) retryAfter(t *testing.T) {
	tests := []struct {
		name     string
		values   []string
		min, max time.Duration
	}{
		{"none", nil, 0, 0},
		{"seconds", []string{"7"}, 7 * time.Second, 7 * time.Second},
		// Between writing the date and reading it time passes, and a date has no
		// fraction: the second is lost on the way or it is not.
		{"date", []string{"date:+90s"}, 80 * time.Second, 90 * time.Second},
		{"date in the past", []string{"date:-90s"}, 0, 0},
		{"junk", []string{"abc"}, 0, 0},
		{"negative", []string{"-5"}, 0, 0},
		{"fraction", []string{"1.5"}, 2 * time.Second, 2 * time.Second},
		{"empty", []string{""}, 0, 0},
		{"two headers", []string{"7", "12"}, 12 * time.Second, 12 * time.Second},
		{"absurd", []string{"99999999999999999999"}, llmprovider.MaxRetryAfter, llmprovider.MaxRetryAfter},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			scene := s.scene(t, Step{Action: Fail, Status: http.StatusTooManyRequests, RetryAfter: test.values})
			failure := scene.wantFailure(llmprovider.Rejected, "")
			if failure.RetryAfter < test.min || failure.RetryAfter > test.max {
				t.Errorf("retry after %s, want %s to %s", failure.RetryAfter, test.min, test.max)
			}
			if failure.ProviderRequestID == "" {
				t.Error("the provider's request id is missing")
			}
			scene.wantRequests(1, 0)
		})
	}
	t.Run("with a status that is not a refusal", func(t *testing.T) {
		scene := s.scene(t, Step{Action: Fail, Status: http.StatusServiceUnavailable, RetryAfter: []string{"3"}})
		if failure := scene.wantFailure(llmprovider.Ambiguous, ""); failure.RetryAfter != 3*time.Second {
			t.Errorf("retry after %s", failure.RetryAfter)
		}
	})
}

func (s *suite) overloadInsideSuccess(t *testing.T) {
	overloaded := scripted.TypeOverloaded
	tests := []struct {
		name        string
		step        Step
		kind        llmprovider.Kind
		generations int
	}{
		{"plain 529", Step{Action: Fail, Status: llmprovider.StatusOverloaded}, llmprovider.Rejected, 0},
		{"status 200, error in place of the answer", Step{Action: FailInBody, ErrorType: overloaded}, llmprovider.Rejected, 0},
		{"status 200, error first in the stream", Step{Action: FailInStream, ErrorType: overloaded}, llmprovider.Rejected, 0},
		{"status 200, error after three pieces", Step{Action: FailInStream, ErrorType: overloaded, Pieces: 3}, llmprovider.Ambiguous, 1},
		{"unknown error type", Step{Action: FailInBody, ErrorType: "new_in_2027"}, llmprovider.Ambiguous, 0},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			scene := s.scene(t, test.step)
			failure := scene.wantFailure(test.kind, "")
			if failure.Spend != (llmprovider.Spend{}) {
				t.Errorf("the cost is not known, got %+v", failure.Spend)
			}
			scene.wantRequests(1, test.generations)
		})
	}
	t.Run("a whole stream is an answer", func(t *testing.T) {
		scene := s.scene(t, Step{Action: Answer, Stream: true})
		whole := s.scene(t).wantAnswer()
		if got := scene.wantAnswer(); got.Text != whole.Text || got.OutputTokens != whole.OutputTokens {
			t.Errorf("streamed %+v, whole %+v", got, whole)
		}
	})
}

func (s *suite) noAnswerIsNoSuccess(t *testing.T) {
	empty, blank, text := "", " \n\t", "Half of an ans"
	tests := []struct {
		name   string
		step   Step
		kind   llmprovider.Kind
		reason string
	}{
		{"filtered", Step{NoText: true, StopReason: scripted.StopContentFilter}, llmprovider.Declined, llmprovider.ReasonDeclined},
		{"filtered with text", Step{Text: &text, StopReason: scripted.StopContentFilter}, llmprovider.Declined, llmprovider.ReasonDeclined},
		{"refused", Step{NoText: true, StopReason: scripted.StopRefusal}, llmprovider.Declined, llmprovider.ReasonDeclined},
		{"no answer at all", Step{Action: NoAnswer}, llmprovider.Empty, llmprovider.ReasonEmptyReply},
		{"null", Step{NoText: true}, llmprovider.Empty, llmprovider.ReasonEmptyReply},
		{"empty", Step{Text: &empty}, llmprovider.Empty, llmprovider.ReasonEmptyReply},
		{"white space", Step{Text: &blank}, llmprovider.Empty, llmprovider.ReasonEmptyReply},
		{"empty stream", Step{Text: &empty, Stream: true}, llmprovider.Empty, llmprovider.ReasonEmptyReply},
		{"cut short before any text", Step{Text: &empty, StopReason: scripted.StopLength}, llmprovider.Empty, llmprovider.ReasonEmptyReply},
		{"unknown reason", Step{Text: &text, StopReason: "paused"}, llmprovider.Permanent, llmprovider.ReasonProviderMisconfigured},
		{"too large", Step{Bytes: scripted.DefaultMaxReplyBytes + 1}, llmprovider.TooLarge, llmprovider.ReasonReplyTooLarge},
		{"far too large", Step{Bytes: 16 << 20}, llmprovider.TooLarge, llmprovider.ReasonReplyTooLarge},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if test.step.Action == "" {
				test.step.Action = Answer
			}
			scene := s.scene(t, test.step)
			failure := scene.wantFailure(test.kind, test.reason)
			if failure.ProviderRequestID == "" {
				t.Error("the provider's request id is missing")
			}
			scene.wantRequests(1, 1)
		})
	}
	t.Run("cut short", func(t *testing.T) {
		scene := s.scene(t, Step{Action: Answer, Text: &text, StopReason: scripted.StopLength})
		if got := scene.wantAnswer(); got.Text != text || !got.CutShort {
			t.Errorf("got %+v", got)
		}
	})
	t.Run("at the limit", func(t *testing.T) {
		scene := s.scene(t, Step{Action: Answer, Bytes: scripted.DefaultMaxReplyBytes})
		if got := scene.wantAnswer(); len(got.Text) != scripted.DefaultMaxReplyBytes || got.CutShort {
			t.Errorf("%d bytes, cut short: %t", len(got.Text), got.CutShort)
		}
	})
	t.Run("spend is kept", func(t *testing.T) {
		scene := s.scene(t, Step{Action: Answer, Text: &text, StopReason: scripted.StopContentFilter})
		failure := scene.wantFailure(llmprovider.Declined, llmprovider.ReasonDeclined)
		if failure.Spend.InputTokens == 0 || failure.Spend.OutputTokens == 0 {
			t.Errorf("a declined call that was counted says %+v", failure.Spend)
		}
	})
}

func (s *suite) permanentErrors(t *testing.T) {
	const permanent = llmprovider.Permanent
	tests := []struct {
		name   string
		status int
		typ    string
		kind   llmprovider.Kind
		reason string
	}{
		{"quota used up", http.StatusTooManyRequests, scripted.TypeInsufficientQuota, permanent, llmprovider.ReasonProviderQuota},
		{"payment needed", http.StatusPaymentRequired, "", permanent, llmprovider.ReasonProviderQuota},
		{"history too long", http.StatusBadRequest, scripted.TypeContextTooLong, permanent, llmprovider.ReasonInputTooLarge},
		{"body too long", http.StatusRequestEntityTooLarge, "", permanent, llmprovider.ReasonInputTooLarge},
		{"not signed in", http.StatusUnauthorized, "", permanent, llmprovider.ReasonProviderMisconfigured},
		{"not allowed", http.StatusForbidden, "", permanent, llmprovider.ReasonProviderMisconfigured},
		{"no such model", http.StatusNotFound, "", permanent, llmprovider.ReasonProviderMisconfigured},
		{"invalid", http.StatusBadRequest, "", permanent, llmprovider.ReasonProviderRefused},
		{"against the rules", http.StatusBadRequest, scripted.TypeContentPolicy, llmprovider.Declined, llmprovider.ReasonDeclined},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			scene := s.scene(t, Step{Action: Fail, Status: test.status, ErrorType: test.typ})
			scene.wantFailure(test.kind, test.reason)
			scene.wantRequests(1, 0)
		})
	}
}
