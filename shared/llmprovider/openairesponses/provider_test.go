package openairesponses_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/replyonce/replyonce/shared/llmprovider"
	"github.com/replyonce/replyonce/shared/llmprovider/openairesponses"
	"github.com/replyonce/replyonce/shared/providertest/conformance"
	"github.com/replyonce/replyonce/shared/providertest/fakeopenai"
)

func TestNewSaysEverythingThatIsWrong(t *testing.T) {
	t.Parallel()
	_, err := openairesponses.New(openairesponses.Options{
		BaseURL: "ftp://host", Stream: true, MaxOutputTokens: -1, HandBack: -time.Second,
	})
	if err == nil {
		t.Fatal("accepted")
	}
	for _, want := range []string{"address", "key", "model", "clock", "foreground", "limit is negative", "duration is negative"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q is not in %v", want, err)
		}
	}
	good := openairesponses.Options{
		Key: func(context.Context) (string, error) { return testKey, nil }, Model: model, Now: time.Now,
	}
	if _, err := openairesponses.New(good); err != nil {
		t.Errorf("a usable configuration: %v", err)
	}
}

// What the modes can and cannot is what recovery rests on.
func TestCapability(t *testing.T) {
	t.Parallel()
	inBackground := newProvider(t, openairesponses.Options{}).Capability()
	inForeground := newProvider(t, openairesponses.Options{Foreground: true}).Capability()
	if !inBackground.Lookup || !inBackground.Cancel || inBackground.IdempotencyKey || inBackground.LookupRetention != 10*time.Minute {
		t.Errorf("background: %+v", inBackground)
	}
	if inForeground.RecoverySupported() || inForeground.Cancel || inForeground.LookupRetention != 0 {
		t.Errorf("foreground: %+v", inForeground)
	}
	if inForeground.Endpoint == inBackground.Endpoint {
		t.Error("two statements about one endpoint")
	}
}

// The bytes of a request belong to the prompt version, and to the SDK's release: one
// that writes them in another order shows here.
func TestRequestBytes(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		options openairesponses.Options
		request llmprovider.Request
	}{
		"background": {openairesponses.Options{MaxOutputTokens: 800}, llmprovider.Request{}},
		"foreground": {openairesponses.Options{Foreground: true, MaxOutputTokens: 800}, llmprovider.Request{MaxOutputTokens: 50, Model: "other-model"}},
		"stream":     {openairesponses.Options{Foreground: true, Stream: true}, llmprovider.Request{}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := fakeopenai.NewServer(t, fakeopenai.Options{Now: time.Now, Keys: []string{testKey}})
			test.options.BaseURL = server.BaseURL + "/"
			test.request.Prompt = prompt()
			test.request.Prompt.Document.Text += " <“more” & 👍🏽>"
			if _, err := newProvider(t, test.options).Call(t.Context(), test.request); err != nil {
				t.Fatal(err)
			}
			for _, r := range server.Requests() {
				checkHeaders(t, r)
			}
			conformance.Golden(t, "request_"+name+".json", server.Requests()[0].Body)
		})
	}
}

func checkHeaders(t *testing.T, r fakeopenai.Request) {
	t.Helper()
	var headers []string
	for name := range r.Header {
		if !strings.HasPrefix(name, "X-Stainless-") {
			headers = append(headers, name)
		}
	}
	slices.Sort(headers)
	want := []string{"Accept", "Connection", "Content-Length", "Content-Type", "User-Agent"}
	if r.Kind == fakeopenai.KindRead {
		want = []string{"Accept", "Connection", "User-Agent"}
	}
	if !slices.Equal(headers, want) {
		t.Errorf("%s: headers beside the key and the SDK's own: %v", r.Kind, headers)
	}
}

func TestForegroundAnswersThatAreNone(t *testing.T) {
	t.Parallel()
	const text = `"output":[{"type":"message","content":[{"type":"output_text","text":"a"}]}]`
	tests := []struct {
		name   string
		stream bool
		body   string
		want   string
		kind   llmprovider.Kind
	}{
		{"plain", false, `{"id":"r","status":"completed",` + text + `}`, "a", 0},
		{"tools beside the text", false, `{"status":"completed","output":[{"type":"function_call","content":17},{"type":"message","content":[{"type":"output_text","text":"a"}]}]}`, "a", 0},
		{"a part that nobody knows", false, `{"status":"completed","output":[{"type":"message","content":[{"type":"output_video"},{"type":"output_text","text":"a"}]}]}`, "a", 0},
		{"still running", false, `{"id":"r","status":"in_progress",` + text + `}`, "", llmprovider.Ambiguous},
		{"message without a content", false, `{"status":"completed","output":[{"type":"message"}]}`, "", llmprovider.Ambiguous},
		{"incomplete without details", false, `{"status":"incomplete","incomplete_details":null,` + text + `}`, "", llmprovider.Permanent},
		{"failed without an error", false, `{"status":"failed","error":null}`, "", llmprovider.Ambiguous},
		{"failed, and the counts say that it ran", false, `{"status":"failed","error":{"code":"rate_limit_exceeded"},"usage":{"input_tokens":5,"output_tokens":1}}`, "", llmprovider.Empty},
		{"failed, and nothing ran", false, `{"status":"failed","error":{"code":"rate_limit_exceeded"},"usage":null}`, "", llmprovider.Rejected},

		{"stream", true, `data: {"type":"response.completed","response":{"status":"completed",` + text + `}}` + "\n\n", "a", 0},
		{"events that nobody knows", true, `data: {"type":"response.dreaming"}` + "\n\n" + `data: {"type":"response.completed","response":{"status":"completed",` + text + `}}` + "\n\n", "a", 0},
		{"text and no end", true, `data: {"type":"response.output_text.delta","delta":"a"}` + "\n\n", "", llmprovider.Ambiguous},
		{"end of a response that runs", true, `data: {"type":"response.completed","response":{"status":"in_progress"}}` + "\n\n", "", llmprovider.Ambiguous},
		{"end without a response", true, `data: {"type":"response.completed"}` + "\n\n", "", llmprovider.Ambiguous},
		{"error as an object", true, `data: {"type":"error","error":{"type":"insufficient_quota","code":null}}` + "\n\n", "", llmprovider.Permanent},
		{"error flat", true, `data: {"type":"error","code":"slow_down","message":"m","param":null}` + "\n\n", "", llmprovider.Rejected},
		{"error flat, after text", true, `data: {"type":"response.output_text.delta"}` + "\n\n" + `data: {"type":"error","code":"slow_down"}` + "\n\n", "", llmprovider.Ambiguous},
		{"error without a code", true, `data: {"type":"error","code":null,"message":"m"}` + "\n\n", "", llmprovider.Ambiguous},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			b := newBackground(t, fakeopenai.Step{Action: fakeopenai.Raw, Body: &test.body})
			b.options.Foreground, b.options.Stream = true, test.stream
			b.renew()
			answer, err := b.provider.Call(t.Context(), b.request)
			if answer.Text != test.want || test.kind != 0 && llmprovider.AsError(err).Kind != test.kind {
				t.Fatalf("got %+v, %v", answer, err)
			}
			if test.kind == 0 && (err != nil || answer.Model != model) {
				t.Errorf("got %+v, %v", answer, err)
			}
			if len(b.saved) != 0 {
				t.Error("an id was saved that nobody can look up")
			}
		})
	}
}
