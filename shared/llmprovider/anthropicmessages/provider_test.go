package anthropicmessages_test

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/replyonce/replyonce/shared/llmprovider"
	"github.com/replyonce/replyonce/shared/llmprovider/anthropicmessages"
	"github.com/replyonce/replyonce/shared/providertest/conformance"
)

func TestNewNamesEverythingThatIsMissing(t *testing.T) {
	t.Parallel()
	valid := anthropicmessages.Options{Key: fixedKey(conformance.PlantedKey), Model: testModel, Now: time.Now}
	if _, err := anthropicmessages.New(valid); err != nil {
		t.Errorf("valid options: %v", err)
	}
	_, err := anthropicmessages.New(anthropicmessages.Options{})
	for _, missing := range []string{"API key", "model", "clock"} {
		if err == nil || !strings.Contains(err.Error(), missing) {
			t.Errorf("%v does not name the %s", err, missing)
		}
	}
	for name, change := range map[string]func(*anthropicmessages.Options){
		"no scheme":      func(o *anthropicmessages.Options) { o.BaseURL = "127.0.0.1:8080" },
		"other kind":     func(o *anthropicmessages.Options) { o.BaseURL = "file:///etc/passwd" },
		"no host":        func(o *anthropicmessages.Options) { o.BaseURL = "https://" },
		"not a URL":      func(o *anthropicmessages.Options) { o.BaseURL = "https://a b" },
		"password":       func(o *anthropicmessages.Options) { o.BaseURL = "https://u:hunter2@host" },
		"query":          func(o *anthropicmessages.Options) { o.BaseURL = "https://host?a=b" },
		"negative limit": func(o *anthropicmessages.Options) { o.MaxInputTokens = -1 },
	} {
		options := valid
		change(&options)
		if _, err := anthropicmessages.New(options); err == nil || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// What a crash leaves behind cannot be recovered, and the adapter must not say so.
func TestCapabilityPromisesNothing(t *testing.T) {
	t.Parallel()
	capability := newProvider(t, anthropicmessages.Options{}).Capability()
	if capability.RecoverySupported() || capability.Cancel || !capability.LanguageModel {
		t.Errorf("capability is %+v", capability)
	}
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// FuzzAnswer feeds whole responses to the adapter: it must never panic, never
// return half an answer as a whole one, and never an error of another type.
func FuzzAnswer(f *testing.F) {
	const stream = "text/event-stream"
	f.Add(200, stream, "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"delta\":{\"type\":\"text_delta\",\"text\":\"a\"}}\n\n"+
		"event: message_delta\ndata: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\"},\"usage\":{\"output_tokens\":1}}\n\n"+
		"event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n")
	f.Add(200, stream, "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\"}}\n\n")
	f.Add(200, "application/json", `{"type":"message"}`)
	f.Add(429, "application/json", `{"error":{"type":"rate_limit_error","details":{"error_code":"enforced_spend_limit_reached"}}}`)
	f.Add(0, stream, "") // net/http lets a status of "000" through
	f.Add(500, "text/html; charset=\"", "\x00")
	f.Fuzz(func(t *testing.T, status int, mediaType, body string) {
		client := &http.Client{Transport: roundTripper(func(r *http.Request) (*http.Response, error) {
			return &http.Response{
				StatusCode: status, Header: http.Header{"Content-Type": {mediaType}},
				Body: io.NopCloser(strings.NewReader(body)), Request: r,
			}, nil
		})}
		provider := newProvider(t, anthropicmessages.Options{Client: client})
		answer, err := provider.Call(t.Context(), llmprovider.Request{Prompt: conformance.SamplePrompt()})
		if err == nil {
			if status != http.StatusOK || !strings.Contains(body, "message_stop") ||
				llmprovider.CheckAnswer(answer.Text, anthropicmessages.DefaultMaxReplyBytes) != nil {
				t.Fatalf("status %d, %q became the answer %q", status, body, answer.Text)
			}
			return
		}
		failure, ok := errors.AsType[*llmprovider.Error](err)
		if !ok || failure.Kind == llmprovider.StillRunning || failure.Kind == llmprovider.NotFound || answer.Text != "" {
			t.Fatalf("status %d, %q: %v with answer %q", status, body, err, answer.Text)
		}
	})
}
