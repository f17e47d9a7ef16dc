package scripted_test

import (
	"testing"
	"time"

	"github.com/replyonce/replyonce/shared/llmprovider"
	"github.com/replyonce/replyonce/shared/llmprovider/scripted"
	"github.com/replyonce/replyonce/shared/providertest"
	"github.com/replyonce/replyonce/shared/providertest/conformance"
)

// documented are the guarantees that the server can be set up to document.
var documented = map[string]providertest.Options{
	"nothing documented":       {},
	"key, repeats wait":        {IdempotencyKeys: true},
	"key, repeats are refused": {IdempotencyKeys: true, RefuseConcurrentKeys: true},
	"look-up":                  {Lookup: true},
	"key and look-up":          {IdempotencyKeys: true, Lookup: true},
}

func TestConformance(t *testing.T) {
	t.Parallel()
	for name, options := range documented {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			arm := conformance.Scripted(options)
			capability := connect(t, providertest.NewServer(t, withClock(options)).URL).Capability()
			arm.New = func(t *testing.T, s conformance.Settings) llmprovider.Provider {
				t.Helper()
				provider, err := scripted.New(scripted.Options{
					BaseURL: s.BaseURL, Now: time.Now, Client: s.Client, Capability: capability, MaxReplyBytes: s.MaxReplyBytes, PollInterval: time.Millisecond,
				})
				if err != nil {
					t.Fatal(err)
				}
				return provider
			}
			conformance.Exercise(t, arm)
		})
	}
}

func withClock(options providertest.Options) providertest.Options {
	options.Now = time.Now
	return options
}

func connect(t *testing.T, baseURL string) *scripted.Provider {
	t.Helper()
	provider, err := scripted.Connect(t.Context(), scripted.Options{BaseURL: baseURL, Now: time.Now, PollInterval: time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	return provider
}
