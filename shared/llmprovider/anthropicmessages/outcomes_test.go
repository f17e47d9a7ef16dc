package anthropicmessages_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/replyonce/replyonce/shared/llmprovider"
	"github.com/replyonce/replyonce/shared/llmprovider/anthropicmessages"
	"github.com/replyonce/replyonce/shared/providertest/fakeanthropic"
	"github.com/replyonce/replyonce/shared/providertest/fakeprovider"
)

func TestCaseM2RetryAfter(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 29, 14, 0, 0, 0, time.UTC)
	date := func(ahead time.Duration) string { return now.Add(ahead).Format(http.TimeFormat) }
	tests := []struct {
		name   string
		status int
		header http.Header
		want   time.Duration
	}{
		{"none", 429, nil, 0},
		{"seconds", 429, http.Header{"Retry-After": {"7"}}, 7 * time.Second},
		{"date", 429, http.Header{"Retry-After": {date(90 * time.Second)}}, 90 * time.Second},
		{"date in the past", 429, http.Header{"Retry-After": {date(-90 * time.Second)}}, 0},
		{"junk", 429, http.Header{"Retry-After": {"abc"}}, 0},
		{"negative", 429, http.Header{"Retry-After": {"-5"}}, 0},
		{"fraction", 429, http.Header{"Retry-After": {"1.5"}}, 2 * time.Second},
		{"two headers", 429, http.Header{"Retry-After": {"7", "12"}}, 12 * time.Second},
		{"absurd", 429, http.Header{"Retry-After": {"99999999999999999999"}}, llmprovider.MaxRetryAfter},
		{"milliseconds", 429, http.Header{"Retry-After-Ms": {"1500"}}, 2 * time.Second},
		{"overloaded", 529, http.Header{"Retry-After": {"3"}}, 3 * time.Second},
		{"ambiguous", 500, http.Header{"Retry-After": {"3"}}, 3 * time.Second},
	}
	types := map[int]string{429: fakeanthropic.TypeRateLimit, 529: fakeanthropic.TypeOverloaded, 500: fakeanthropic.TypeAPI}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			step := status(test.status, types[test.status])
			step.Header = test.header
			s := setupWith(t, func(o *anthropicmessages.Options) { o.Now = func() time.Time { return now } }, step)
			kind := llmprovider.Rejected
			if test.status == 500 {
				kind = llmprovider.Ambiguous
			}
			if failure := s.wantFailure(kind, "", 1, 0); failure.RetryAfter != test.want {
				t.Errorf("retry after %s, want %s", failure.RetryAfter, test.want)
			}
		})
	}
}

func TestCaseM4OverloadInsideSuccess(t *testing.T) {
	t.Parallel()
	const (
		nothing = 0
		start   = fakeanthropic.FrameStart + 1
		block   = fakeanthropic.FrameBlock + 1
		pieces  = fakeanthropic.FrameText + 3
	)
	const rejected, ambiguous, permanent = llmprovider.Rejected, llmprovider.Ambiguous, llmprovider.Permanent
	tests := []struct {
		name      string
		frames    int
		errorType string
		kind      llmprovider.Kind
		reason    string
	}{
		{"overloaded first", nothing, fakeanthropic.TypeOverloaded, rejected, ""},
		{"overloaded after message_start", start, fakeanthropic.TypeOverloaded, rejected, ""},
		{"overloaded after content has begun", block, fakeanthropic.TypeOverloaded, ambiguous, ""},
		{"overloaded after three pieces", pieces, fakeanthropic.TypeOverloaded, ambiguous, ""},
		{"rate limit first", nothing, fakeanthropic.TypeRateLimit, rejected, ""},
		{"rate limit after three pieces", pieces, fakeanthropic.TypeRateLimit, ambiguous, ""},
		{"internal first", nothing, fakeanthropic.TypeAPI, ambiguous, ""},
		{"internal after three pieces", pieces, fakeanthropic.TypeAPI, ambiguous, ""},
		{"time over", pieces, fakeanthropic.TypeTimeout, ambiguous, ""},
		{"invalid", nothing, fakeanthropic.TypeInvalidRequest, permanent, llmprovider.ReasonProviderRefused},
		{"billing", start, fakeanthropic.TypeBilling, permanent, llmprovider.ReasonProviderQuota},
		{"unknown type first", nothing, "new_in_2027", ambiguous, ""},
		{"no type", nothing, "", ambiguous, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			text := strings.Repeat("word ", 40)
			s := setup(t, fakeprovider.Step{
				Action: fakeprovider.FailInStream, Frames: test.frames, Text: &text,
				Failure: fakeprovider.Failure{Type: test.errorType, Message: "rate_limit_error is not what this is"},
			})
			generations := 1
			if test.frames == nothing {
				generations = 0
			}
			failure := s.wantFailure(test.kind, test.reason, 1, generations)
			if known := failure.Spend != (llmprovider.Spend{}); known != (test.frames != nothing) {
				t.Errorf("the spend is %+v after %d events", failure.Spend, test.frames)
			}
		})
	}
	t.Run("plain 529", func(t *testing.T) {
		t.Parallel()
		setup(t, status(529, fakeanthropic.TypeOverloaded)).wantFailure(rejected, "", 1, 0)
	})
}

func TestCaseM6NoAnswerIsNoSuccess(t *testing.T) {
	t.Parallel()
	empty, blank, text := "", " \n\t", "Half of an ans"
	const permanent, misconfigured = llmprovider.Permanent, llmprovider.ReasonProviderMisconfigured
	tests := []struct {
		name   string
		step   fakeprovider.Step
		kind   llmprovider.Kind
		reason string
	}{
		{"refused", fakeprovider.Step{NoContent: true, StopReason: "refusal"}, llmprovider.Declined, llmprovider.ReasonDeclined},
		{"refused with text", fakeprovider.Step{Text: &text, StopReason: "refusal"}, llmprovider.Declined, llmprovider.ReasonDeclined},
		{"no content", fakeprovider.Step{NoContent: true}, llmprovider.Empty, llmprovider.ReasonEmptyReply},
		{"empty", fakeprovider.Step{Text: &empty}, llmprovider.Empty, llmprovider.ReasonEmptyReply},
		{"white space", fakeprovider.Step{Text: &blank}, llmprovider.Empty, llmprovider.ReasonEmptyReply},
		{"cut short before any text", fakeprovider.Step{Text: &empty, StopReason: "max_tokens"}, llmprovider.Empty, llmprovider.ReasonEmptyReply},
		{"no room for an answer", fakeprovider.Step{NoContent: true, StopReason: "model_context_window_exceeded"}, permanent, llmprovider.ReasonInputTooLarge},
		{"tool", fakeprovider.Step{Text: &text, StopReason: "tool_use"}, permanent, misconfigured},
		{"pause", fakeprovider.Step{Text: &text, StopReason: "pause_turn"}, permanent, misconfigured},
		{"unknown reason", fakeprovider.Step{Text: &text, StopReason: "new_in_2027"}, permanent, misconfigured},
		{"no reason", fakeprovider.Step{Text: &text, StopReason: "null"}, llmprovider.Ambiguous, ""},
		{"too large", fakeprovider.Step{Bytes: 5001}, llmprovider.TooLarge, llmprovider.ReasonReplyTooLarge},
		{"far too large", fakeprovider.Step{Bytes: 2 << 20}, llmprovider.TooLarge, llmprovider.ReasonReplyTooLarge},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := setupWith(t, func(o *anthropicmessages.Options) { o.MaxReplyBytes = 5000 }, test.step)
			failure := s.wantFailure(test.kind, test.reason, 1, 1)
			if failure.Spend.InputTokens == 0 || failure.ProviderRequestID == "" {
				t.Errorf("a call that was counted says %+v, request %q", failure.Spend, failure.ProviderRequestID)
			}
		})
	}
	for reason, cutShort := range map[string]bool{
		"end_turn": false, "stop_sequence": false, "max_tokens": true, "model_context_window_exceeded": true,
	} {
		t.Run(reason, func(t *testing.T) {
			t.Parallel()
			s := setup(t, fakeprovider.Step{Text: &text, StopReason: reason})
			if got := s.wantAnswer(); got.Text != text || got.CutShort != cutShort {
				t.Errorf("got %+v", got)
			}
		})
	}
	t.Run("at the limit", func(t *testing.T) {
		t.Parallel()
		s := setupWith(t, func(o *anthropicmessages.Options) { o.MaxReplyBytes = 5000 }, fakeprovider.Step{Bytes: 5000})
		if got := s.wantAnswer(); len(got.Text) != 5000 {
			t.Errorf("%d bytes", len(got.Text))
		}
	})
}

func TestCaseM7PermanentErrors(t *testing.T) {
	t.Parallel()
	const permanent = llmprovider.Permanent
	spendLimit := status(429, fakeanthropic.TypeRateLimit)
	spendLimit.Failure.Code = fakeanthropic.CodeSpendLimit
	unknownCode := status(429, fakeanthropic.TypeRateLimit)
	unknownCode.Failure.Code = "new_in_2027"
	bare := func(code int) fakeprovider.Step { return fakeprovider.Step{Action: fakeprovider.Raw, Status: code} }
	tests := []struct {
		name   string
		step   fakeprovider.Step
		kind   llmprovider.Kind
		reason string
	}{
		{"spend limit of the tier", spendLimit, permanent, llmprovider.ReasonProviderQuota},
		{"another code", unknownCode, llmprovider.Rejected, ""},
		{"billing", status(402, fakeanthropic.TypeBilling), permanent, llmprovider.ReasonProviderQuota},
		{"invalid, or too long, or a limit that was set", status(400, fakeanthropic.TypeInvalidRequest), permanent, llmprovider.ReasonProviderRefused},
		{"not signed in", status(401, fakeanthropic.TypeAuthentication), permanent, llmprovider.ReasonProviderMisconfigured},
		{"not allowed", status(403, fakeanthropic.TypePermission), permanent, llmprovider.ReasonProviderMisconfigured},
		{"no such model", status(404, fakeanthropic.TypeNotFound), permanent, llmprovider.ReasonProviderMisconfigured},
		{"body too large", status(413, fakeanthropic.TypeRequestTooLarge), permanent, llmprovider.ReasonInputTooLarge},
		{"body too large for an intermediary", bare(413), permanent, llmprovider.ReasonInputTooLarge},
		{"429 of an intermediary", bare(429), llmprovider.Rejected, ""},
		{"unknown type", status(400, "new_in_2027"), permanent, llmprovider.ReasonProviderRefused},
		{"unknown type and status", status(599, "new_in_2027"), llmprovider.Ambiguous, ""},
		{"refusal with the status of a failure", status(503, fakeanthropic.TypeOverloaded), llmprovider.Ambiguous, ""},
		{"duplicate members", fakeprovider.Step{
			Action: fakeprovider.Raw, Status: 500,
			Body: `{"error":{"type":"api_error","type":"rate_limit_error"}}`,
		}, llmprovider.Ambiguous, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			setup(t, test.step).wantFailure(test.kind, test.reason, 1, 0)
		})
	}
}

func TestCaseM7TooLongIsNotSent(t *testing.T) {
	t.Parallel()
	s := setupWith(t, func(o *anthropicmessages.Options) { o.MaxInputTokens = 1000 })
	s.wantAnswer()
	for range 300 {
		s.request.Prompt.History = append(s.request.Prompt.History, llmprovider.Turn{Question: "Why?", Answer: "Because."})
	}
	s.wantFailure(llmprovider.Permanent, llmprovider.ReasonInputTooLarge, 1, 1)
}

// Everything that is odd is put on the safe side and logged, each thing once.
func TestOdditiesAreLoggedOnce(t *testing.T) {
	t.Parallel()
	text := "text"
	steps := []fakeprovider.Step{
		{Text: &text, StopReason: "new_stop_reason"},
		status(500, "new_error_type"),
		{Action: fakeprovider.Raw, Status: 418, Body: "<html>"},
		rawStream("event: message_start\ndata: {\"type\":\"message_start\",\"message\":{}}\n\n" +
			"event: new_event\ndata: {\"type\":\"new_event\"}\n\n" +
			"event: content_block_start\ndata: {\"type\":\"content_block_start\",\"content_block\":{\"type\":\"new_block\"}}\n\n" +
			"event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"delta\":{\"type\":\"new_delta\"}}\n\n"),
	}
	s := setup(t, append(steps, steps...)...)
	for range 2 * len(steps) {
		if _, err := s.provider.Call(t.Context(), s.request); err == nil {
			t.Error("an answer")
		}
	}
	for _, oddity := range []string{
		`"field":"stop_reason","value":"new_stop_reason","provider_request_id":"req_000001"`,
		`"field":"error_type","value":"new_error_type","provider_request_id":"req_000002"`,
		`"field":"status","value":"418"`,
		`"field":"error_shape"`,
		`"field":"event","value":"new_event"`,
		`"field":"content_block","value":"new_block"`,
		`"field":"content_delta","value":"new_delta"`,
	} {
		if n := strings.Count(s.log.String(), oddity); n != 1 {
			t.Errorf("%s is logged %d times", oddity, n)
		}
	}
}

func rawStream(body string) fakeprovider.Step {
	return fakeprovider.Step{
		Action: fakeprovider.Raw, Status: http.StatusOK, Body: body, Generates: true,
		Header: http.Header{"Content-Type": {"text/event-stream"}},
	}
}

// An answer that cannot be understood was paid for all the same.
func TestUnreadableAnswerIsAmbiguous(t *testing.T) {
	t.Parallel()
	const stop = "event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n"
	const end = "event: message_delta\ndata: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\"}}\n\n" + stop
	delta := func(text string) string {
		return "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"delta\":{\"type\":\"text_delta\",\"text\":" + text + "}}\n\n"
	}
	document := fakeprovider.Step{
		Action: fakeprovider.Raw, Status: http.StatusOK, Body: `{"type":"message"}`, Generates: true,
		Header: http.Header{"Content-Type": {"application/json"}},
	}
	tests := []struct {
		name string
		step fakeprovider.Step
	}{
		{"a document", document},
		{"no media type", fakeprovider.Step{Action: fakeprovider.Raw, Status: 200, Generates: true, Header: http.Header{"Content-Type": {""}}}},
		{"another success", fakeprovider.Step{Action: fakeprovider.Raw, Status: 204, Generates: true}},
		{"nothing", rawStream("")},
		{"not JSON", rawStream("event: content_block_delta\ndata: {\n\n" + end)},
		{"duplicate members", rawStream(delta(`"a","text":"b"`) + end)},
		{"bad UTF-8", rawStream(delta("\"a\xff\"") + end)},
		{"lone surrogate", rawStream(delta(`"\ud83d"`) + end)},
		{"events without names", rawStream(strings.ReplaceAll(delta(`"a"`)+end, "event: ", ": "))},
		{"end without a reason", rawStream(delta(`"a"`) + stop)},
		{"last line missing", rawStream(strings.TrimSuffix(delta(`"a"`)+end, "\n\n"))},
		{"an error without details", rawStream("event: error\ndata: {}\n\n")},
		{"an error that is not JSON", rawStream("event: error\ndata: overloaded_error\n\n")},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			setup(t, test.step).wantFailure(llmprovider.Ambiguous, "", 1, 1)
		})
	}
	t.Run("the same, whole", func(t *testing.T) {
		t.Parallel()
		if got := setup(t, rawStream(delta(`"a"`)+end)).wantAnswer(); got.Text != "a" || got.Model != testModel {
			t.Errorf("got %+v", got)
		}
	})
}
