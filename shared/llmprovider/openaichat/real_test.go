package openaichat_test

import (
	"context"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/replyonce/replyonce/shared/llmprovider"
	"github.com/replyonce/replyonce/shared/llmprovider/openaichat"
)

// TestRealEndpoint asks a real server once. It is skipped without an address even
// under REQUIRE_ALL: no machine can install what this test needs, since it is
// somebody's model, and mostly somebody's money.
func TestRealEndpoint(t *testing.T) {
	t.Parallel()
	baseURL, name := os.Getenv("OPENAI_COMPATIBLE_BASE_URL"), os.Getenv("OPENAI_COMPATIBLE_MODEL")
	if baseURL == "" || name == "" {
		t.Skip("set OPENAI_COMPATIBLE_BASE_URL and OPENAI_COMPATIBLE_MODEL (and OPENAI_COMPATIBLE_API_KEY) to ask a real server")
	}
	options := openaichat.Options{BaseURL: baseURL, Model: name, Now: time.Now, MaxOutputTokens: 400}
	if key := os.Getenv("OPENAI_COMPATIBLE_API_KEY"); key != "" {
		options.Key = func(context.Context) (string, error) { return key, nil }
	}
	for mode, stream := range map[string]bool{"document": false, "stream": true} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			options := options
			options.Stream = stream
			provider, err := openaichat.New(options)
			if err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
			defer cancel()
			answer, err := provider.Call(ctx, llmprovider.Request{Prompt: prompt()})
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("%+v", answer)
			if strings.TrimSpace(answer.Text) == "" || answer.InputTokens == 0 || answer.OutputTokens == 0 {
				t.Error("no text, or no count of tokens")
			}
		})
	}
}
