package anthropicmessages_test

import (
	"context"
	"os"
	"testing"
	"time"

	"github.com/replyonce/replyonce/shared/llmprovider"
	"github.com/replyonce/replyonce/shared/llmprovider/anthropicmessages"
	"github.com/replyonce/replyonce/shared/llmprovider/sdkcall"
	"github.com/replyonce/replyonce/shared/providertest/conformance"
)

const testModel = "claude-test-1"

func TestConformance(t *testing.T) {
	t.Parallel()
	arm := conformance.Anthropic()
	arm.New = func(t *testing.T, s conformance.Settings) llmprovider.Provider {
		t.Helper()
		return newProvider(t, anthropicmessages.Options{
			BaseURL: s.BaseURL, Key: s.Key, Client: s.Client, Log: s.Log, MaxInputTokens: s.MaxInputTokens, MaxReplyBytes: s.MaxReplyBytes,
		})
	}
	conformance.Exercise(t, arm)
}

func newProvider(t testing.TB, options anthropicmessages.Options) *anthropicmessages.Provider {
	t.Helper()
	options.Model, options.Now = testModel, time.Now
	if options.Key == nil {
		options.Key = fixedKey(conformance.PlantedKey)
	}
	provider, err := anthropicmessages.New(options)
	if err != nil {
		t.Fatal(err)
	}
	return provider
}

func fixedKey(key string) sdkcall.KeySource {
	return func(context.Context) (string, error) { return key, nil }
}

func TestRealEndpoint(t *testing.T) {
	t.Parallel()
	key, model := os.Getenv("ANTHROPIC_API_KEY"), os.Getenv("ANTHROPIC_MODEL")
	if key == "" || model == "" {
		t.Skip("set ANTHROPIC_API_KEY and ANTHROPIC_MODEL (and ANTHROPIC_BASE_URL) to ask the real service")
	}
	provider, err := anthropicmessages.New(anthropicmessages.Options{
		BaseURL: os.Getenv("ANTHROPIC_BASE_URL"), Key: fixedKey(key), Model: model, Now: time.Now, MaxOutputTokens: 400,
	})
	if err != nil {
		t.Fatal(err)
	}
	conformance.Real(t, provider)
}
