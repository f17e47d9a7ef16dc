package openairesponses_test

import (
	"context"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/replyonce/replyonce/shared/llmprovider"
	"github.com/replyonce/replyonce/shared/llmprovider/openairesponses"
)

// TestRealEndpoint asks OpenAI once in each mode, and reads the background response
// again by its id. It is skipped without a key even under REQUIRE_ALL: a key is
// somebody's money, and no machine can install one.
func TestRealEndpoint(t *testing.T) {
	t.Parallel()
	key, name := os.Getenv("OPENAI_API_KEY"), os.Getenv("OPENAI_MODEL")
	if key == "" || name == "" {
		t.Skip("set OPENAI_API_KEY and OPENAI_MODEL (and OPENAI_BASE_URL) to ask the real service")
	}
	for mode, options := range map[string]openairesponses.Options{
		"background": {}, "foreground": {Foreground: true}, "stream": {Foreground: true, Stream: true},
	} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			options.Model, options.Now, options.BaseURL, options.MaxOutputTokens = name, time.Now, os.Getenv("OPENAI_BASE_URL"), 2000
			options.Key = func(context.Context) (string, error) { return key, nil }
			provider, err := openairesponses.New(options)
			if err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
			defer cancel()
			id := ""
			answer, err := provider.Call(ctx, llmprovider.Request{Prompt: prompt(), SaveOperation: func(_ context.Context, operation string) error {
				id = operation
				return nil
			}})
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("%+v", answer)
			if strings.TrimSpace(answer.Text) == "" || answer.InputTokens == 0 || answer.OutputTokens == 0 {
				t.Error("no text, or no count of tokens")
			}
			if options.Foreground {
				return
			}
			if again, err := provider.Lookup(ctx, id); err != nil || again.Text != answer.Text {
				t.Errorf("looked up %+v, %v", again, err)
			}
		})
	}
}
