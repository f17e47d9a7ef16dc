package openaichat_test

import (
	"context"
	"os"
	"testing"
	"time"

	"github.com/replyonce/replyonce/shared/llmprovider"
	"github.com/replyonce/replyonce/shared/llmprovider/openaichat"
	"github.com/replyonce/replyonce/shared/providertest/conformance"
)

const model = "test-model"

func TestConformance(t *testing.T) {
	t.Parallel()
	for name, stream := range map[string]bool{"document": false, "stream": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			arm := conformance.OpenAI(conformance.OpenAIMode{Stream: stream})
			arm.New = func(t *testing.T, s conformance.Settings) llmprovider.Provider {
				t.Helper()
				return newProvider(t, openaichat.Options{
					BaseURL: s.BaseURL, Key: s.Key, Client: s.Client, Log: s.Log,
					MaxInputTokens: s.MaxInputTokens, MaxReplyBytes: s.MaxReplyBytes, Stream: stream,
				})
			}
			conformance.Exercise(t, arm)
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

func TestRealEndpoint(t *testing.T) {
	t.Parallel()
	options := openaichat.Options{
		BaseURL: os.Getenv("OPENAI_COMPATIBLE_BASE_URL"), Model: os.Getenv("OPENAI_COMPATIBLE_MODEL"), Now: time.Now, MaxOutputTokens: 400,
	}
	if options.BaseURL == "" || options.Model == "" {
		t.Skip("set OPENAI_COMPATIBLE_BASE_URL and OPENAI_COMPATIBLE_MODEL (and OPENAI_COMPATIBLE_API_KEY) to ask a real server")
	}
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
			conformance.Real(t, provider)
		})
	}
}
