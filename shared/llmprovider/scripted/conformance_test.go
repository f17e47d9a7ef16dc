package scripted_test

import (
	"testing"
	"time"

	"github.com/replyonce/replyonce/shared/llmprovider"
	"github.com/replyonce/replyonce/shared/llmprovider/scripted"
	"github.com/replyonce/replyonce/shared/providertest"
)

func TestConformance(t *testing.T) {
	t.Parallel()
	for name, options := range map[string]providertest.Options{
		"nothing documented":       {},
		"key, repeats wait":        {IdempotencyKeys: true},
		"key, repeats are refused": {IdempotencyKeys: true, RefuseConcurrentKeys: true},
		"look-up":                  {Lookup: true},
		"key and look-up":          {IdempotencyKeys: true, Lookup: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			options.Now = time.Now
			server := providertest.NewServer(t, options)
			connected := connect(t, server.URL)
			providertest.Exercise(t, func(t *testing.T, baseURL string) llmprovider.Provider {
				t.Helper()
				provider, err := scripted.New(scripted.Options{
					BaseURL: baseURL, Now: time.Now, Capability: connected.Capability(), PollInterval: time.Millisecond,
				})
				if err != nil {
					t.Fatal(err)
				}
				return provider
			}, server)
		})
	}
}

func connect(t *testing.T, baseURL string) *scripted.Provider {
	t.Helper()
	provider, err := scripted.Connect(t.Context(), scripted.Options{BaseURL: baseURL, Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	return provider
}
