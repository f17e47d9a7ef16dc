package fakeopenai

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/replyonce/replyonce/shared/llmprovider"
)

func retryAfter(t *testing.T, a Adapter) {
	t.Helper()
	tests := []struct {
		name     string
		header   http.Header
		min, max time.Duration
	}{
		{"none", nil, 0, 0},
		{"seconds", http.Header{"Retry-After": {"7"}}, 7 * time.Second, 7 * time.Second},
		// Between writing the date and reading it time passes, and a date has no fraction.
		{"date", http.Header{"Retry-After": {"date:+90s"}}, 80 * time.Second, 90 * time.Second},
		{"date in the past", http.Header{"Retry-After": {"date:-90s"}}, 0, 0},
		{"junk", http.Header{"Retry-After": {"abc"}}, 0, 0},
		{"negative", http.Header{"Retry-After": {"-5"}}, 0, 0},
		{"fraction", http.Header{"Retry-After": {"1.5"}}, 2 * time.Second, 2 * time.Second},
		{"empty", http.Header{"Retry-After": {""}}, 0, 0},
		{"two headers", http.Header{"Retry-After": {"7", "12"}}, 12 * time.Second, 12 * time.Second},
		{"milliseconds", http.Header{"Retry-After-Ms": {"2500"}}, 3 * time.Second, 3 * time.Second},
		{"both", http.Header{"Retry-After-Ms": {"2500"}, "Retry-After": {"2"}}, 3 * time.Second, 3 * time.Second},
		{"absurd", http.Header{"Retry-After": {"99999999999999999999"}}, llmprovider.MaxRetryAfter, llmprovider.MaxRetryAfter},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := newScene(t, a, Step{Action: Refuse, Status: 429, Failure: Failure{Code: "rate_limit_exceeded"}, Header: test.header})
			failure := s.wantFailure(llmprovider.Rejected, "")
			if failure.RetryAfter < test.min || failure.RetryAfter > test.max {
				t.Errorf("retry after %s, want %s to %s", failure.RetryAfter, test.min, test.max)
			}
			if failure.ProviderRequestID == "" {
				t.Error("the provider's request id is missing")
			}
			s.wantRequests(1, 0)
		})
	}
	t.Run("with a status that is not a refusal", func(t *testing.T) {
		t.Parallel()
		s := newScene(t, a, Step{Action: Refuse, Status: 503, Header: http.Header{"Retry-After": {"3"}}})
		if failure := s.wantFailure(llmprovider.Ambiguous, ""); failure.RetryAfter != 3*time.Second {
			t.Errorf("retry after %s", failure.RetryAfter)
		}
	})
}

// failureInsideSuccess: the status was 200, and then it failed. What that means
// depends on whether the provider states the end of a response, and on whether
// anything was generated.
func failureInsideSuccess(t *testing.T, a Adapter) {
	t.Helper()
	const ambiguous, rejected, empty = llmprovider.Ambiguous, llmprovider.Rejected, llmprovider.Empty
	ended := ambiguous
	if a.Responses {
		ended = empty // the response object says that it failed
	}
	const after = 3
	type row struct {
		name   string
		step   Step
		kind   llmprovider.Kind
		reason string
	}
	fails := func(code string, pieces int) Step {
		return Step{Fails: true, Failure: Failure{Code: code}, Pieces: pieces}
	}
	rows := []row{
		{"overloaded, plainly", Step{Action: Refuse, Status: 503, Failure: Failure{Code: "server_is_overloaded"}}, ambiguous, ""},
		{"rate limit before any text", fails("rate_limit_exceeded", 0), rejected, ""},
		{"server error before any text", fails("server_error", 0), ended, ""},
		{"quota", fails("insufficient_quota", 0), llmprovider.Permanent, llmprovider.ReasonProviderQuota},
		{"against the rules", fails("invalid_prompt", 0), llmprovider.Declined, llmprovider.ReasonDeclined},
		{"unknown code", fails("new_in_2027", 0), ambiguous, ""},
		{"no code at all", fails("", 0), ambiguous, ""},
	}
	if a.Stream || a.Responses {
		rows = append(rows,
			row{"rate limit after three pieces", fails("rate_limit_exceeded", after), ended, ""},
			row{"server error after three pieces", fails("server_error", after), ended, ""})
	}
	if a.Stream {
		for _, r := range rows[1:] {
			r.name, r.step.ErrorEvent = "event: "+r.name, true
			if r.kind == ended {
				r.kind = ambiguous // an event is the end of the stream, not of the work
			}
			rows = append(rows, r)
		}
		rows = append(rows,
			row{"stream without its end", Step{NoEnd: true}, ambiguous, ""},
			row{"stream cut off", Step{Action: Cut}, ambiguous, ""})
	}
	for _, test := range rows {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := newScene(t, a, test.step)
			s.wantFailure(test.kind, test.reason)
			s.wantRequests(1, btoi(test.step.generates()))
		})
	}
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

func noAnswerIsNoSuccess(t *testing.T, a Adapter) {
	t.Helper()
	nothing, blank, text := "", " \n\t", "Half of an ans"
	const declined, empty = llmprovider.Declined, llmprovider.Empty
	tests := []struct {
		name   string
		step   Step
		kind   llmprovider.Kind
		reason string
	}{
		{"filtered", Step{NoText: true, Finish: "content_filter"}, declined, llmprovider.ReasonDeclined},
		{"filtered with text", Step{Text: &text, Finish: "content_filter"}, declined, llmprovider.ReasonDeclined},
		{"refused by the model", Step{Refusal: "I will not."}, declined, llmprovider.ReasonDeclined},
		{"no choices", Step{NoChoices: true}, empty, llmprovider.ReasonEmptyReply},
		{"null", Step{NoText: true}, empty, llmprovider.ReasonEmptyReply},
		{"empty", Step{Text: &nothing}, empty, llmprovider.ReasonEmptyReply},
		{"white space", Step{Text: &blank}, empty, llmprovider.ReasonEmptyReply},
		{"cut short before any text", Step{Text: &nothing, Finish: "length"}, empty, llmprovider.ReasonEmptyReply},
		{"unknown reason", Step{Text: &text, Finish: "paused"}, llmprovider.Permanent, llmprovider.ReasonProviderMisconfigured},
		{"text without a reason", Step{Text: &text, Finish: "-"}, llmprovider.Ambiguous, ""},
		{"too large", Step{Bytes: 1<<20 + 1}, llmprovider.TooLarge, llmprovider.ReasonReplyTooLarge},
	}
	if !a.Stream {
		tests = append(tests, struct {
			name   string
			step   Step
			kind   llmprovider.Kind
			reason string
		}{"far too large", Step{Bytes: 16 << 20}, llmprovider.TooLarge, llmprovider.ReasonReplyTooLarge})
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := newScene(t, a, test.step)
			if failure := s.wantFailure(test.kind, test.reason); failure.ProviderRequestID == "" {
				t.Error("the provider's request id is missing")
			}
			s.wantRequests(1, 1)
		})
	}
	t.Run("cut short", func(t *testing.T) {
		t.Parallel()
		s := newScene(t, a, Step{Text: &text, Finish: "length"})
		if got := s.wantAnswer(); got.Text != text || !got.CutShort {
			t.Errorf("got %+v", got)
		}
	})
	t.Run("at the limit", func(t *testing.T) {
		t.Parallel()
		s := newScene(t, a, Step{Bytes: 1 << 20})
		if got := s.wantAnswer(); len(got.Text) != 1<<20 || got.CutShort {
			t.Errorf("%d bytes, cut short: %t", len(got.Text), got.CutShort)
		}
	})
	t.Run("spend is kept", func(t *testing.T) {
		t.Parallel()
		s := newScene(t, a, Step{Text: &text, Finish: "content_filter"})
		failure := s.wantFailure(declined, llmprovider.ReasonDeclined)
		if failure.Spend.InputTokens == 0 || failure.Spend.OutputTokens == 0 {
			t.Errorf("a declined call that was counted says %+v", failure.Spend)
		}
	})
	t.Run("no count of tokens", func(t *testing.T) {
		t.Parallel()
		s := newScene(t, a, Step{NoUsage: true})
		if got := s.wantAnswer(); got.InputTokens != 0 || got.OutputTokens != 0 {
			t.Errorf("nobody counted, and the answer says %+v", got)
		}
	})
}

func permanentErrors(t *testing.T, a Adapter) {
	t.Helper()
	const permanent = llmprovider.Permanent
	const quota, refused, misconfigured = llmprovider.ReasonProviderQuota, llmprovider.ReasonProviderRefused, llmprovider.ReasonProviderMisconfigured
	tests := []struct {
		name    string
		status  int
		failure Failure
		kind    llmprovider.Kind
		reason  string
	}{
		{"quota used up", 429, Failure{Type: "insufficient_quota", Code: "insufficient_quota"}, permanent, quota},
		{"quota, by its type", 429, Failure{Type: "insufficient_quota", Code: "new_in_2027"}, permanent, quota},
		{"credit used up", 429, Failure{Type: "insufficient_quota", Code: "credit_balance_exhausted"}, permanent, quota},
		{"organization's limit", 429, Failure{Code: "organization_spend_limit_exceeded"}, permanent, quota},
		{"project's limit", 429, Failure{Code: "project_spend_limit_exceeded"}, permanent, quota},
		{"usage limit", 429, Failure{Code: "organization_usage_limit_exceeded"}, permanent, quota},
		{"payment needed", 402, Failure{}, permanent, quota},
		{"history too long", 400, Failure{Type: "invalid_request_error", Code: "context_length_exceeded"}, permanent, llmprovider.ReasonInputTooLarge},
		{"body too long", 413, Failure{}, permanent, llmprovider.ReasonInputTooLarge},
		{"wrong key", 401, Failure{Type: "invalid_request_error", Code: "invalid_api_key"}, permanent, misconfigured},
		{"not allowed", 403, Failure{Code: "unsupported_country_region_territory"}, permanent, misconfigured},
		{"no such model", 404, Failure{Code: "model_not_found"}, permanent, misconfigured},
		{"wrong path", 404, Failure{}, permanent, misconfigured},
		{"invalid", 400, Failure{Type: "invalid_request_error"}, permanent, refused},
		{"invalid, as vLLM says it", 400, Failure{Type: "BadRequestError", NumberCode: true}, permanent, refused},
		{"cannot be processed", 422, Failure{}, permanent, refused},
		{"against the rules", 400, Failure{Code: "content_policy_violation"}, llmprovider.Declined, llmprovider.ReasonDeclined},
		{"filtered before the model", 400, Failure{Code: "content_filter"}, llmprovider.Declined, llmprovider.ReasonDeclined},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := newScene(t, a, Step{Action: Refuse, Status: test.status, Failure: test.failure})
			s.wantFailure(test.kind, test.reason)
			s.wantRequests(1, 0)
			alarmed := strings.Contains(s.log.String(), `"level":"ERROR"`)
			if needed := test.reason == quota || test.reason == misconfigured; alarmed != needed {
				t.Errorf("alarmed the operator: %t, want %t: %s", alarmed, needed, s.log.String())
			}
		})
	}
}

// tooLongIsNotSent: a prompt that is over the limit fails before any request, the
// same prompt within it does not.
func tooLongIsNotSent(t *testing.T, a Adapter) {
	t.Helper()
	s := newScene(t, a)
	tokens := s.request.Prompt.Chat().EstimateTokens()
	s.settings.MaxInputTokens = tokens - 1
	s.renew()
	s.wantFailure(llmprovider.Permanent, llmprovider.ReasonInputTooLarge)
	s.wantRequests(0, 0)
	s.settings.MaxInputTokens = tokens
	s.renew()
	s.wantAnswer()
	s.wantRequests(1, 1)
}

// unreadableAnswer: an answer that cannot be understood was paid for all the same.
func unreadableAnswer(t *testing.T, a Adapter) {
	t.Helper()
	for name, body := range map[string]string{
		"error page":       "<html>" + plantedAnswer + "</html>",
		"nothing":          "",
		"half a document":  `{"id":"resp_1","status":"completed","choices":[{"index":0,"message":{"content":"` + plantedAnswer,
		"another type":     `{"id":"resp_1","status":"completed","output":"` + plantedAnswer + `","choices":"` + plantedAnswer + `"}`,
		"number for text":  `{"id":1,"status":2,"output":[],"choices":[{"index":0,"message":{"content":1},"finish_reason":"stop"}]}`,
		"duplicate member": `{"id":"resp_1","id":"resp_2","status":"completed","choices":[],"choices":[]}`,
		"bad UTF-8":        "{\"id\":\"resp_\xff\",\"status\":\"completed\",\"model\":\"\xff\",\"choices\":[]}",
		"lone surrogate":   `{"id":"resp_1","status":"completed","model":"\ud83d","choices":[]}`,
		"event of junk":    "data: {" + plantedAnswer + "\n\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newScene(t, a, Step{Action: Raw, Body: &body})
			s.wantFailure(llmprovider.Ambiguous, "")
			s.wantRequests(1, 1)
		})
	}
}

func unknownIsLoggedOnce(t *testing.T, a Adapter) {
	t.Helper()
	text := "t"
	steps := map[string]Step{
		"finish reason": {Text: &text, Finish: "paused"},
		"error code":    {Fails: true, Failure: Failure{Code: "new_in_2027"}},
		"status code":   {Action: Refuse, Status: 599},
		"code of a 429": {Action: Refuse, Status: 429, Failure: Failure{Code: "new_in_2027"}},
	}
	if a.Responses {
		steps["status"] = Step{State: "paused"}
	}
	for name, step := range steps {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newScene(t, a, step, step, step)
			for range 3 {
				if _, err := s.call(); err == nil {
					t.Error("taken for success")
				}
			}
			if got := strings.Count(s.log.String(), `"level":"WARN"`); got != 1 {
				t.Errorf("logged %d times:\n%s", got, s.log.String())
			}
		})
	}
}
