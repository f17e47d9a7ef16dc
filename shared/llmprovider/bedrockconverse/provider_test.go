package bedrockconverse_test

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/replyonce/replyonce/shared/llmprovider"
	"github.com/replyonce/replyonce/shared/llmprovider/bedrockconverse"
	"github.com/replyonce/replyonce/shared/providertest/conformance"
	"github.com/replyonce/replyonce/shared/providertest/fakebedrock"
	"github.com/replyonce/replyonce/shared/providertest/fakeprovider"
)

func TestNewNamesEverythingThatIsMissing(t *testing.T) {
	t.Parallel()
	valid := bedrockconverse.Options{Config: testConfig(), Model: testModel, Now: time.Now}
	if _, err := bedrockconverse.New(valid); err != nil {
		t.Errorf("valid options: %v", err)
	}
	_, err := bedrockconverse.New(bedrockconverse.Options{})
	for _, missing := range []string{"region", "credentials", "model", "clock"} {
		if err == nil || !strings.Contains(err.Error(), missing) {
			t.Errorf("%v does not name the %s", err, missing)
		}
	}
	for name, change := range map[string]func(*bedrockconverse.Options){
		"no address":     func(o *bedrockconverse.Options) { o.BaseURL = "127.0.0.1:8080" },
		"negative limit": func(o *bedrockconverse.Options) { o.MaxInputTokens = -1 },
		"absurd limit":   func(o *bedrockconverse.Options) { o.MaxOutputTokens = 1 << 31 },
	} {
		options := valid
		change(&options)
		if _, err := bedrockconverse.New(options); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}

// What a crash leaves behind cannot be recovered, and the adapter must not say so.
func TestCapabilityPromisesNothing(t *testing.T) {
	t.Parallel()
	endpoints := make(map[string]bool)
	for _, streaming := range operations {
		capability := newProvider(t, bedrockconverse.Options{Config: testConfig(), Streaming: streaming}).Capability()
		if capability.RecoverySupported() || capability.Cancel || !capability.LanguageModel {
			t.Errorf("capability is %+v", capability)
		}
		endpoints[capability.Endpoint] = true
	}
	if len(endpoints) != len(operations) {
		t.Errorf("endpoints are %v", endpoints)
	}
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// FuzzAnswer feeds whole responses to the adapter: it must never panic, never
// return half an answer as a whole one, and never an error of another type.
func FuzzAnswer(f *testing.F) {
	stream, whole := fakebedrock.MediaTypeStream, "application/json"
	f.Add(true, 200, stream, "", string(fakebedrock.RawEvent("messageStart", []byte(`{"role":"assistant"}`)))+string(fakebedrock.RawEvent("contentBlockDelta", []byte(`{"delta":{"text":"a"}}`)))+string(fakebedrock.RawEvent("messageStop", []byte(`{"stopReason":"end_turn"}`))))
	f.Add(true, 200, stream, "", string(fakebedrock.Dialect{}.StreamError(fakeprovider.Failure{Type: fakebedrock.TypeThrottling}, "")))
	f.Add(false, 200, whole, "", `{"output":{"message":{"role":"assistant","content":[{"text":"a"}]}},"stopReason":"end_turn"}`)
	f.Add(false, 429, whole, fakebedrock.TypeThrottling, `{"message":"m"}`)
	f.Add(false, 0, whole, "", "") // net/http lets a status of "000" through
	f.Add(true, 500, "text/html; charset=\"", "\x00", "\x00")
	f.Fuzz(func(t *testing.T, streaming bool, status int, mediaType, errorType, body string) {
		client := &http.Client{Transport: roundTripper(func(r *http.Request) (*http.Response, error) {
			return &http.Response{
				StatusCode: status, Header: http.Header{"Content-Type": {mediaType}, "X-Amzn-Errortype": {errorType}},
				Body: io.NopCloser(strings.NewReader(body)), Request: r,
			}, nil
		})}
		provider := newProvider(t, bedrockconverse.Options{Config: testConfig(), Client: client, Streaming: streaming})
		answer, err := provider.Call(t.Context(), llmprovider.Request{Prompt: conformance.SamplePrompt()})
		if err == nil {
			if status != http.StatusOK || llmprovider.CheckAnswer(answer.Text, bedrockconverse.DefaultMaxReplyBytes) != nil ||
				streaming && !strings.Contains(body, "messageStop") {
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
