package bedrockconverse_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/replyonce/replyonce/shared/llmprovider"
	"github.com/replyonce/replyonce/shared/llmprovider/bedrockconverse"
	"github.com/replyonce/replyonce/shared/providertest/fakebedrock"
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
		{"absurd", 429, http.Header{"Retry-After": {"99999999999999999999"}}, llmprovider.MaxRetryAfter},
		{"milliseconds of AWS", 429, http.Header{"X-Amz-Retry-After": {"1500"}}, 2 * time.Second},
		{"absurd milliseconds of AWS", 429, http.Header{"X-Amz-Retry-After": {"99999999999999999999"}}, llmprovider.MaxRetryAfter},
		{"junk of AWS", 429, http.Header{"X-Amz-Retry-After": {"-5"}}, 0},
		{"ambiguous", 503, http.Header{"Retry-After": {"3"}}, 3 * time.Second},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			step, kind := status(429, fakebedrock.TypeThrottling), llmprovider.Rejected
			if test.status == 503 {
				step, kind = status(503, fakebedrock.TypeUnavailable), llmprovider.Ambiguous
			}
			step.Header = test.header
			s := setupWith(t, func(o *bedrockconverse.Options) { o.Now = func() time.Time { return now } }, step)
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
		start   = fakebedrock.FrameStart + 1
		pieces  = fakebedrock.FrameText + 3
	)
	const rejected, ambiguous, permanent = llmprovider.Rejected, llmprovider.Ambiguous, llmprovider.Permanent
	exception := func(name string) fakeprovider.Failure {
		return fakeprovider.Failure{Type: name, Message: "ThrottlingException is not what this is"}
	}
	tests := []struct {
		name    string
		frames  int
		failure fakeprovider.Failure
		kind    llmprovider.Kind
		reason  string
	}{
		{"throttled first", nothing, exception(fakebedrock.TypeThrottling), rejected, ""},
		{"throttled after messageStart", start, exception(fakebedrock.TypeThrottling), rejected, ""},
		{"throttled after three pieces", pieces, exception(fakebedrock.TypeThrottling), ambiguous, ""},
		{"internal first", nothing, exception(fakebedrock.TypeInternal), ambiguous, ""},
		{"internal after three pieces", pieces, exception(fakebedrock.TypeInternal), ambiguous, ""},
		{"unavailable first", nothing, exception(fakebedrock.TypeUnavailable), ambiguous, ""},
		{"model's stream failed", pieces, exception(fakebedrock.TypeModelStream), ambiguous, ""},
		{"invalid", nothing, exception(fakebedrock.TypeValidation), permanent, llmprovider.ReasonProviderRefused},
		{"unknown exception first", nothing, exception("NewIn2027Exception"), ambiguous, ""},
		{"no exception type", nothing, exception(""), ambiguous, ""},
		{"message of type error, known code", nothing, fakeprovider.Failure{Code: fakebedrock.TypeThrottling}, rejected, ""},
		{"message of type error, unknown code", nothing, fakeprovider.Failure{Code: "InternalError"}, ambiguous, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			text := strings.Repeat("word ", 40)
			s := setup(t, true, fakeprovider.Step{Action: fakeprovider.FailInStream, Frames: test.frames, Text: &text, Failure: test.failure})
			generations := 1
			if test.frames == nothing {
				generations = 0
			}
			failure := s.wantFailure(test.kind, test.reason, 1, generations)
			if failure.Spend != (llmprovider.Spend{}) {
				t.Errorf("the cost is not known, got %+v", failure.Spend)
			}
		})
	}
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
		{"filtered", fakeprovider.Step{NoContent: true, StopReason: "content_filtered"}, llmprovider.Declined, llmprovider.ReasonDeclined},
		{"guardrail with its own text", fakeprovider.Step{Text: &text, StopReason: "guardrail_intervened"}, llmprovider.Declined, llmprovider.ReasonDeclined},
		{"no content", fakeprovider.Step{NoContent: true}, llmprovider.Empty, llmprovider.ReasonEmptyReply},
		{"empty", fakeprovider.Step{Text: &empty}, llmprovider.Empty, llmprovider.ReasonEmptyReply},
		{"white space", fakeprovider.Step{Text: &blank}, llmprovider.Empty, llmprovider.ReasonEmptyReply},
		{"cut short before any text", fakeprovider.Step{Text: &empty, StopReason: "max_tokens"}, llmprovider.Empty, llmprovider.ReasonEmptyReply},
		{"no room for an answer", fakeprovider.Step{NoContent: true, StopReason: "model_context_window_exceeded"}, permanent, llmprovider.ReasonInputTooLarge},
		{"tool", fakeprovider.Step{Text: &text, StopReason: "tool_use"}, permanent, misconfigured},
		{"malformed output", fakeprovider.Step{Text: &text, StopReason: "malformed_model_output"}, permanent, misconfigured},
		{"malformed tool use", fakeprovider.Step{Text: &text, StopReason: "malformed_tool_use"}, permanent, misconfigured},
		{"unknown reason", fakeprovider.Step{Text: &text, StopReason: "new_in_2027"}, permanent, misconfigured},
		{"no reason", fakeprovider.Step{Text: &text, StopReason: "null"}, llmprovider.Ambiguous, ""},
		{"too large", fakeprovider.Step{Bytes: 5001}, llmprovider.TooLarge, llmprovider.ReasonReplyTooLarge},
		{"far too large", fakeprovider.Step{Bytes: 5 << 20}, llmprovider.TooLarge, llmprovider.ReasonReplyTooLarge},
	}
	forBoth(t, func(t *testing.T, streaming bool) {
		t.Helper()
		for _, test := range tests {
			t.Run(test.name, func(t *testing.T) {
				t.Parallel()
				s := setupWith(t, func(o *bedrockconverse.Options) { o.Streaming, o.MaxReplyBytes = streaming, 5000 }, test.step)
				failure := s.wantFailure(test.kind, test.reason, 1, 1)
				counted := test.name != "far too large" // its count is behind the limit
				if (failure.Spend.InputTokens != 0) != counted || failure.ProviderRequestID == "" {
					t.Errorf("the spend is %+v, the request %q", failure.Spend, failure.ProviderRequestID)
				}
			})
		}
		for reason, cutShort := range map[string]bool{
			"end_turn": false, "stop_sequence": false, "max_tokens": true, "model_context_window_exceeded": true,
		} {
			t.Run(reason, func(t *testing.T) {
				t.Parallel()
				s := setup(t, streaming, fakeprovider.Step{Text: &text, StopReason: reason})
				if got := s.wantAnswer(); got.Text != text || got.CutShort != cutShort {
					t.Errorf("got %+v", got)
				}
			})
		}
		t.Run("at the limit", func(t *testing.T) {
			t.Parallel()
			s := setupWith(t, func(o *bedrockconverse.Options) { o.Streaming, o.MaxReplyBytes = streaming, 5000 }, fakeprovider.Step{Bytes: 5000})
			if got := s.wantAnswer(); len(got.Text) != 5000 {
				t.Errorf("%d bytes", len(got.Text))
			}
		})
	})
}

func TestCaseM7PermanentErrors(t *testing.T) {
	t.Parallel()
	const permanent, rejected, ambiguous = llmprovider.Permanent, llmprovider.Rejected, llmprovider.Ambiguous
	const misconfigured = llmprovider.ReasonProviderMisconfigured
	bare := func(code int) fakeprovider.Step { return fakeprovider.Step{Action: fakeprovider.Raw, Status: code} }
	inBody := func(code int, body string) fakeprovider.Step {
		return fakeprovider.Step{Action: fakeprovider.Raw, Status: code, Body: body}
	}
	tests := []struct {
		name   string
		step   fakeprovider.Step
		kind   llmprovider.Kind
		reason string
	}{
		{"invalid, or too long", status(400, fakebedrock.TypeValidation), permanent, llmprovider.ReasonProviderRefused},
		{"quota of the account", status(400, fakebedrock.TypeServiceQuota), rejected, ""},
		{"signature too old", status(400, fakebedrock.TypeRequestExpired), rejected, ""},
		{"credentials too old", status(403, fakebedrock.TypeExpiredToken), rejected, ""},
		{"subscription in the making", status(403, "MPAgreementBeingCreated"), permanent, misconfigured},
		{"not allowed", status(403, fakebedrock.TypeAccessDenied), permanent, misconfigured},
		{"not signed right", status(403, fakebedrock.TypeInvalidSignature), permanent, misconfigured},
		{"no such model", status(404, fakebedrock.TypeNotFound), permanent, misconfigured},
		{"no use case details", status(404, "FTUFormNotFilled"), permanent, misconfigured},
		{"code in the body", inBody(429, `{"__type":"com.amazon.coral#ThrottlingException"}`), rejected, ""},
		{"429 of an intermediary", bare(429), rejected, ""},
		{"403 of an intermediary", bare(403), permanent, misconfigured},
		{"body too large for an intermediary", bare(413), permanent, llmprovider.ReasonInputTooLarge},
		{"unknown code", status(400, "NewIn2027Exception"), permanent, llmprovider.ReasonProviderRefused},
		{"unknown code and status", status(599, "NewIn2027Exception"), ambiguous, ""},
		{"refusal with the status of a failure", status(500, fakebedrock.TypeThrottling), ambiguous, ""},
	}
	forBoth(t, func(t *testing.T, streaming bool) {
		t.Helper()
		for _, test := range tests {
			t.Run(test.name, func(t *testing.T) {
				t.Parallel()
				setup(t, streaming, test.step).wantFailure(test.kind, test.reason, 1, 0)
			})
		}
	})
}

func TestModelErrorNamesTheModelsStatus(t *testing.T) {
	t.Parallel()
	s := setup(t, false, fakeprovider.Step{
		Action: fakeprovider.Raw, Status: 424, Body: `{"message":"m","originalStatusCode":503,"resourceName":"r"}`,
		Header: http.Header{"X-Amzn-Errortype": {fakebedrock.TypeModelError}},
	})
	if failure := s.wantFailure(llmprovider.Ambiguous, "", 1, 0); !strings.Contains(failure.Error(), "the model's status 503") {
		t.Errorf("got %v", failure)
	}
}

func TestCaseM7TooLongIsNotSent(t *testing.T) {
	t.Parallel()
	s := setupWith(t, func(o *bedrockconverse.Options) { o.MaxInputTokens = 1000 })
	s.wantAnswer()
	for range 300 {
		s.request.Prompt.History = append(s.request.Prompt.History, llmprovider.Turn{Question: "Why?", Answer: "Because."})
	}
	s.wantFailure(llmprovider.Permanent, llmprovider.ReasonInputTooLarge, 1, 1)
}

// events is a stream of these frames.
func events(frames ...[]byte) fakeprovider.Step {
	var body strings.Builder
	for _, frame := range frames {
		body.Write(frame)
	}
	return fakeprovider.Step{
		Action: fakeprovider.Raw, Status: http.StatusOK, Body: body.String(), Generates: true,
		Header: http.Header{"Content-Type": {fakebedrock.MediaTypeStream}},
	}
}

func document(body string) fakeprovider.Step {
	return fakeprovider.Step{
		Action: fakeprovider.Raw, Status: http.StatusOK, Body: body, Generates: true,
		Header: http.Header{"Content-Type": {"application/json"}},
	}
}

func delta(payload string) []byte {
	return fakebedrock.RawEvent("contentBlockDelta", []byte(`{"contentBlockIndex":0,"delta":`+payload+`}`))
}

var endTurn = fakebedrock.RawEvent("messageStop", []byte(`{"stopReason":"end_turn"}`))

// Everything that is odd is put on the safe side and logged, each thing once.
func TestOdditiesAreLoggedOnce(t *testing.T) {
	t.Parallel()
	text := "text"
	steps := []fakeprovider.Step{
		{Text: &text, StopReason: "new_stop_reason"},
		status(500, "NewException"),
		{Action: fakeprovider.Raw, Status: 418, Body: "<html>"},
		events(fakebedrock.RawEvent("newEvent", []byte(`{}`)), delta(`{"newDelta":{}}`), delta(`{"toolUse":{"input":"{}"}}`)),
		status(403, fakebedrock.TypeAccessDenied),
	}
	s := setup(t, true, append(steps, steps...)...)
	for range 2 * len(steps) {
		if _, err := s.provider.Call(t.Context(), s.request); err == nil {
			t.Error("an answer")
		}
	}
	whole := setup(t, false, document(`{"output":{"message":{"role":"assistant","content":[{"newBlock":{}},{"toolUse":{"name":"n"}}]}}}`))
	whole.wantFailure(llmprovider.Ambiguous, "", 1, 1)
	logged := s.log.String() + whole.log.String()
	for _, oddity := range []string{
		`"field":"stop_reason","value":"new_stop_reason","provider_request_id":"req_000001"`,
		`"field":"error_code","value":"NewException","provider_request_id":"req_000002"`,
		`"field":"status","value":"418"`,
		`"field":"event","value":"newEvent"`,
		`"field":"content_delta","value":"unknown_member"`,
		`"field":"content_delta","value":"ContentBlockDeltaMemberToolUse"`,
		`"field":"content_block","value":"unknown_member"`,
		`"field":"content_block","value":"ContentBlockMemberToolUse"`,
		`"reason":"provider_misconfigured","error":"status 403: bedrock: error of type \"AccessDeniedException\""`,
	} {
		if n := strings.Count(logged, oddity); n != 1 {
			t.Errorf("%s is logged %d times in %s", oddity, n, logged)
		}
	}
}

// An answer that cannot be understood was paid for all the same.
func TestUnreadableAnswerIsAmbiguous(t *testing.T) {
	t.Parallel()
	broken := delta(`{"text":"a"}`)
	broken[len(broken)-1] ^= 1 // the checksum
	noType := events(endTurn)
	noType.Header = http.Header{"Content-Type": {""}}
	const answer = `{"output":{"message":{"role":"assistant","content":[{"text":"a"}]}},"stopReason":"end_turn"}`
	tests := []struct {
		name      string
		streaming bool
		step      fakeprovider.Step
	}{
		{"a document for a stream", true, document(answer)},
		{"no media type", true, noType},
		{"nothing", true, events()},
		{"not an event", true, events([]byte("data: {}\n\n"))},
		{"payload is not JSON", true, events(delta(`{`), endTurn)},
		{"duplicate members", true, events(delta(`{"text":"a","text":"b"}`), endTurn)},
		{"bad UTF-8", true, events(delta("{\"text\":\"a\xff\"}"), endTurn)},
		{"lone surrogate", true, events(delta(`{"text":"\ud83d"}`), endTurn)},
		{"checksum", true, events(broken, endTurn)},
		{"end without a reason", true, events(delta(`{"text":"a"}`), fakebedrock.RawEvent("messageStop", []byte(`{}`)))},

		{"a stream for a document", false, events(delta(`{"text":"a"}`), endTurn)},
		{"empty document", false, document("")},
		{"half a document", false, document(answer[:len(answer)/2])},
		{"two documents", false, document(answer + answer)},
		{"document with duplicate members", false, document(strings.Replace(answer, `"text":"a"`, `"text":"a","text":"b"`, 1))},
		{"document with bad UTF-8", false, document(strings.Replace(answer, `"a"`, "\"\xff\"", 1))},
		{"document without a reason", false, document(strings.Replace(answer, `,"stopReason":"end_turn"`, "", 1))},
		{"another success", false, fakeprovider.Step{Action: fakeprovider.Raw, Status: 204, Generates: true}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			setup(t, test.streaming, test.step).wantFailure(llmprovider.Ambiguous, "", 1, 1)
		})
	}
	t.Run("the same, whole", func(t *testing.T) {
		t.Parallel()
		if got := setup(t, false, document(answer)).wantAnswer(); got.Text != "a" {
			t.Errorf("got %+v", got)
		}
		if got := setup(t, true, events(delta(`{"text":"a"}`), endTurn)).wantAnswer(); got.Text != "a" {
			t.Errorf("got %+v", got)
		}
	})
}

// What a cache read or wrote is input too.
func TestSpendCountsTheCache(t *testing.T) {
	t.Parallel()
	s := setup(t, false, document(`{"output":{"message":{"role":"assistant","content":[{"reasoningContent":{}},{"text":"a"}]}},"stopReason":"end_turn",`+
		`"usage":{"inputTokens":1,"outputTokens":2,"totalTokens":33,"cacheReadInputTokens":10,"cacheWriteInputTokens":20}}`))
	if got := s.wantAnswer(); got.InputTokens != 31 || got.OutputTokens != 2 || got.Text != "a" {
		t.Errorf("got %+v", got)
	}
}
