package anthropicmessages_test

import (
	"testing"

	"github.com/replyonce/replyonce/shared/llmprovider"
	"github.com/replyonce/replyonce/shared/llmprovider/anthropicmessages"
	"github.com/replyonce/replyonce/shared/providertest/conformance"
	"github.com/replyonce/replyonce/shared/providertest/fakeanthropic"
)

// The same bytes at every attempt, today's and those of the next release: the
// golden file changes only with a new prompt version.
func TestRequestBytes(t *testing.T) {
	t.Parallel()
	server := fakeanthropic.Start(t, conformance.PlantedKey)
	provider := newProvider(t, anthropicmessages.Options{BaseURL: server.URL})
	if _, err := provider.Call(t.Context(), llmprovider.Request{Prompt: conformance.SamplePrompt()}); err != nil {
		t.Fatal(err)
	}
	logged := server.Requests()[0]
	conformance.Golden(t, "request.golden.json", logged.Body)
	if !logged.Asked.Stream {
		t.Error("the answer was not streamed")
	}
	answer, err := provider.Call(t.Context(), llmprovider.Request{Prompt: conformance.SamplePrompt(), Model: "claude-other", MaxOutputTokens: 7})
	if err != nil || answer.Model != "claude-other" {
		t.Errorf("answered by %s, %v", answer.Model, err)
	}
}
