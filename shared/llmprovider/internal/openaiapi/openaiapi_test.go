package openaiapi_test

import (
	"bytes"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/replyonce/replyonce/shared/llmprovider"
	"github.com/replyonce/replyonce/shared/llmprovider/internal/openaiapi"
	"github.com/replyonce/replyonce/shared/llmprovider/sdkcall"
)

var noon = time.Date(2026, time.November, 29, 12, 0, 0, 0, time.UTC)

func TestParseError(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, body string
		want       openaiapi.ErrorDetail
		ok         bool
	}{
		{"OpenAI", `{"error":{"message":"m","type":"insufficient_quota","param":null,"code":"credit_balance_exhausted"}}`, openaiapi.ErrorDetail{Type: "insufficient_quota", Code: "credit_balance_exhausted"}, true},
		{"no code", `{"error":{"message":"m","type":"invalid_request_error","param":null,"code":null}}`, openaiapi.ErrorDetail{Type: "invalid_request_error"}, true},
		{"vLLM, number as the code", `{"error":{"message":"m","type":"BadRequestError","param":null,"code":400}}`, openaiapi.ErrorDetail{Type: "BadRequestError"}, true},
		{"vLLM of old, bare", `{"object":"error","message":"m","type":"NotFoundError","param":null,"code":404}`, openaiapi.ErrorDetail{Type: "NotFoundError"}, true},
		{"bare, as the description has it for a look-up", `{"code":null,"message":"m","param":null,"type":"invalid_request_error"}`, openaiapi.ErrorDetail{Type: "invalid_request_error"}, true},
		{"Ollama's own API", `{"error":"model not found"}`, openaiapi.ErrorDetail{}, false},
		{"FastAPI", `{"detail":"Not Found"}`, openaiapi.ErrorDetail{}, false},
		{"nothing in it", `{"error":{}}`, openaiapi.ErrorDetail{}, false},
		{"null", `{"error":null}`, openaiapi.ErrorDetail{}, false},
		{"a Response object", `{"id":"resp_1","type":"x","error":null}`, openaiapi.ErrorDetail{}, false},
		{"page", `<html>`, openaiapi.ErrorDetail{}, false},
		{"list", `[1]`, openaiapi.ErrorDetail{}, false},
		{"empty", ``, openaiapi.ErrorDetail{}, false},
		{"twice", `{"error":{"type":"a","type":"b"}}`, openaiapi.ErrorDetail{}, false},
		{"no words", `{"error":{"type":{"a":1},"code":["b"]}}`, openaiapi.ErrorDetail{}, false},
		{"a sentence for a code", `{"error":{"type":"t","code":"Incorrect API key provided: sk-1"}}`, openaiapi.ErrorDetail{Type: "t", Code: "(not a plain word)"}, true},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if got, ok := openaiapi.ParseError([]byte(test.body)); got != test.want || ok != test.ok {
				t.Errorf("got %+v %t, want %+v %t", got, ok, test.want, test.ok)
			}
		})
	}
}

// A code that settles the matter stands next to a status that agrees with it; with
// any other it would be a reason to pay again, or not to.
func TestRefusalByStatusAndCode(t *testing.T) {
	t.Parallel()
	body := func(code string) []byte { return []byte(`{"error":{"message":"m","type":"t","code":"` + code + `"}}`) }
	const ambiguous, permanent, rejected = llmprovider.Ambiguous, llmprovider.Permanent, llmprovider.Rejected
	for _, test := range []struct {
		status int
		code   string
		kind   llmprovider.Kind
		reason string
	}{
		{429, "insufficient_quota", permanent, llmprovider.ReasonProviderQuota},
		{403, "billing_not_active", permanent, llmprovider.ReasonProviderQuota},
		{500, "insufficient_quota", ambiguous, ""},
		{408, "context_length_exceeded", ambiguous, ""},
		{409, "invalid_prompt", ambiguous, ""},
		{422, "string_above_max_length", permanent, llmprovider.ReasonInputTooLarge},
		{400, "new_in_2027", permanent, llmprovider.ReasonProviderRefused},
		{429, "new_in_2027", rejected, ""},
		{529, "", rejected, ""},
		{302, "insufficient_quota", permanent, llmprovider.ReasonProviderMisconfigured},
		{206, "", ambiguous, ""},
	} {
		got := openaiapi.Refusal(t.Context(), llmprovider.Response{
			Status: test.status, Body: body(test.code), Header: http.Header{"X-Request-Id": {"req_1"}, "Retry-After": {"7"}},
		}, noon, sdkcall.NewOddities(nil, "p"))
		if got.Kind != test.kind || got.Reason != test.reason || got.ProviderRequestID != "req_1" || got.RetryAfter != 7*time.Second {
			t.Errorf("status %d, code %q: %v", test.status, test.code, got)
		}
	}
}

func TestFailureByCodeAndPlace(t *testing.T) {
	t.Parallel()
	const ambiguous, empty, rejected = llmprovider.Ambiguous, llmprovider.Empty, llmprovider.Rejected
	for _, test := range []struct {
		code                string
		cutOff, after, ends llmprovider.Kind // an event; an event after text; the end of a response after text
	}{
		{"rate_limit_exceeded", rejected, ambiguous, empty},
		{"slow_down", rejected, ambiguous, empty},
		{"server_error", ambiguous, ambiguous, empty},
		{"server_is_overloaded", ambiguous, ambiguous, empty},
		{"insufficient_quota", llmprovider.Permanent, llmprovider.Permanent, llmprovider.Permanent},
		{"bio_policy", llmprovider.Declined, llmprovider.Declined, llmprovider.Declined},
		{"new_in_2027", ambiguous, ambiguous, ambiguous},
		{"", ambiguous, ambiguous, ambiguous},
	} {
		for _, detail := range []openaiapi.ErrorDetail{{Code: test.code}, {Type: test.code}} {
			failure := func(end openaiapi.End) llmprovider.Kind {
				return openaiapi.Failure(t.Context(), detail, end, sdkcall.NewOddities(nil, "p")).Kind
			}
			if got := failure(openaiapi.End{}); got != test.cutOff {
				t.Errorf("%+v: %s", detail, got)
			}
			if got := failure(openaiapi.End{Generated: true}); got != test.after {
				t.Errorf("%+v after text: %s", detail, got)
			}
			if got := failure(openaiapi.End{Generated: true, Final: true}); got != test.ends {
				t.Errorf("%+v at the end of a response: %s", detail, got)
			}
		}
	}
	if got := openaiapi.Failure(t.Context(), openaiapi.ErrorDetail{Code: "slow_down"}, openaiapi.End{Final: true}, sdkcall.NewOddities(nil, "p")); got.Kind != rejected {
		t.Errorf("a response that ended before it began: %v", got)
	}
}

// The decoder's errors quote what they stumble over.
func TestNotJSONShowsNothingOfTheAnswer(t *testing.T) {
	t.Parallel()
	for _, body := range []string{`{"text":planted}`, `{"n":"planted"}`, `{"planted":1,"planted":2}`, `{"n":1`} {
		var into struct {
			N int `json:"n"`
		}
		err := json.Unmarshal([]byte(body), &into)
		if err == nil {
			t.Fatalf("%s is readable", body)
		}
		got := openaiapi.NotJSON("the answer", err)
		if llmprovider.AsError(got).Kind != llmprovider.Ambiguous || strings.Contains(got.Error(), "planted") {
			t.Errorf("%s: %v", body, got)
		}
	}
}

func FuzzParseError(f *testing.F) {
	f.Add(`{"error":{"message":"m","type":"t","code":"c"}}`)
	f.Add(`{"message":"m","type":"t","code":400}`)
	f.Add(`{"error":"x"}`)
	f.Fuzz(func(t *testing.T, body string) {
		detail, ok := openaiapi.ParseError([]byte(body))
		if ok == (detail == openaiapi.ErrorDetail{}) {
			t.Fatalf("%q: %+v and %t", body, detail, ok)
		}
		var log bytes.Buffer
		failure := openaiapi.Refusal(t.Context(), llmprovider.Response{Status: 401, Body: []byte(body)}, noon,
			sdkcall.NewOddities(slog.New(slog.NewTextHandler(&log, nil)), "p"))
		if failure.Kind == llmprovider.Ambiguous || failure.Kind == llmprovider.Rejected || len(failure.Error()) > 400 {
			t.Fatalf("%q: %v", body, failure)
		}
	})
}
