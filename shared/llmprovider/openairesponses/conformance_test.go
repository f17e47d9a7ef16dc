package openairesponses_test

import (
	"context"
	"os"
	"testing"
	"time"

	"github.com/replyonce/replyonce/shared/llmprovider"
	"github.com/replyonce/replyonce/shared/llmprovider/openairesponses"
	"github.com/replyonce/replyonce/shared/providertest/conformance"
)

const (
	model   = "test-model"
	testKey = "sk-test-key"
)

// modes are the ways to ask.
var modes = map[string]openairesponses.Options{
	"background":         {},
	"foreground":         {Foreground: true},
	"foreground, stream": {Foreground: true, Stream: true},
}

func TestConformance(t *testing.T) {
	t.Parallel()
	for name, mode := range modes {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			arm := conformance.OpenAI(conformance.OpenAIMode{Stream: mode.Stream, Responses: true})
			arm.New = func(t *testing.T, s conformance.Settings) llmprovider.Provider {
				t.Helper()
				options := mode
				options.BaseURL, options.Key, options.Client, options.Log = s.BaseURL, s.Key, s.Client, s.Log
				options.MaxInputTokens, options.MaxReplyBytes = s.MaxInputTokens, s.MaxReplyBytes
				return newProvider(t, options)
			}
			conformance.Exercise(t, arm)
		})
	}
}

func newProvider(t testing.TB, options openairesponses.Options) *openairesponses.Provider {
	t.Helper()
	options.Model, options.Now = model, time.Now
	options.PollInterval, options.MaxPoll = time.Millisecond, 5*time.Millisecond
	if options.Key == nil {
		options.Key = func(context.Context) (string, error) { return testKey, nil }
	}
	provider, err := openairesponses.New(options)
	if err != nil {
		t.Fatal(err)
	}
	return provider
}

func TestRealEndpoint(t *testing.T) {
	t.Parallel()
	key, name := os.Getenv("OPENAI_API_KEY"), os.Getenv("OPENAI_MODEL")
	if key == "" || name == "" {
		t.Skip("set OPENAI_API_KEY and OPENAI_MODEL (and OPENAI_BASE_URL) to ask the real service")
	}
	for mode, options := range modes {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			options.Model, options.Now, options.BaseURL, options.MaxOutputTokens = name, time.Now, os.Getenv("OPENAI_BASE_URL"), 2000
			options.Key = func(context.Context) (string, error) { return key, nil }
			provider, err := openairesponses.New(options)
			if err != nil {
				t.Fatal(err)
			}
			conformance.Real(t, provider)
		})
	}
}
