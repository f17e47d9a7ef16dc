package openairesponses_test

import (
	"context"
	"testing"
	"time"

	"github.com/replyonce/replyonce/shared/llmprovider"
	"github.com/replyonce/replyonce/shared/llmprovider/openairesponses"
	"github.com/replyonce/replyonce/shared/providertest/fakeopenai"
)

const (
	model   = "test-model"
	testKey = "sk-test-key"
)

func TestConformance(t *testing.T) {
	t.Parallel()
	for name, mode := range map[string]openairesponses.Options{
		"background":         {},
		"foreground":         {Foreground: true},
		"foreground, stream": {Foreground: true, Stream: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			fakeopenai.Exercise(t, fakeopenai.Adapter{
				Model: model, Stream: mode.Stream, Responses: true,
				New: func(t *testing.T, s fakeopenai.Settings) llmprovider.Provider {
					t.Helper()
					options := mode
					options.BaseURL, options.Key, options.Client, options.Log = s.BaseURL, s.Key, s.Client, s.Log
					options.MaxInputTokens, options.MaxReplyBytes = s.MaxInputTokens, s.MaxReplyBytes
					return newProvider(t, options)
				},
			})
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
