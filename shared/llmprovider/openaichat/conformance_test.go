package openaichat_test

import (
	"testing"
	"time"

	"github.com/replyonce/replyonce/shared/llmprovider"
	"github.com/replyonce/replyonce/shared/llmprovider/openaichat"
	"github.com/replyonce/replyonce/shared/providertest/fakeopenai"
)

const model = "test-model"

func TestConformance(t *testing.T) {
	t.Parallel()
	for name, stream := range map[string]bool{"document": false, "stream": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			fakeopenai.Exercise(t, fakeopenai.Adapter{
				Model: model, Stream: stream,
				New: func(t *testing.T, s fakeopenai.Settings) llmprovider.Provider {
					t.Helper()
					return newProvider(t, openaichat.Options{
						BaseURL: s.BaseURL, Key: s.Key, Client: s.Client, Log: s.Log,
						MaxInputTokens: s.MaxInputTokens, MaxReplyBytes: s.MaxReplyBytes, Stream: stream,
					})
				},
			})
		})
	}
}

func newProvider(t testing.TB, options openaichat.Options) *openaichat.Provider {
	t.Helper()
	options.Model, options.Now = model, time.Now
	provider, err := openaichat.New(options)
	if err != nil {
		t.Fatal(err)
	}
	return provider
}
