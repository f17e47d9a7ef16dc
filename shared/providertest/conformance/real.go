package conformance

import (
	"context"
	"testing"
	"time"

	"github.com/replyonce/replyonce/shared/llmprovider"
)

// realLimit is how long a real service may take.
const realLimit = 2 * time.Minute

// Real asks a real service: what holds for every provider, and where an operation can
// be looked up, that the look-up brings the same text. It costs a fraction of a cent.
// A test without a key skips it even where skips are failures: a key is somebody's
// money, and no machine can install one.
func Real(t *testing.T, provider llmprovider.Provider) {
	t.Helper()
	Basics(t, provider)
	ctx, cancel := context.WithTimeout(t.Context(), realLimit)
	defer cancel()
	operation := ""
	answer, err := provider.Call(ctx, llmprovider.Request{Prompt: SamplePrompt(), SaveOperation: func(_ context.Context, id string) error {
		operation = id
		return nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%+v", answer)
	if answer.InputTokens == 0 || answer.OutputTokens == 0 {
		t.Error("no count of tokens")
	}
	if !provider.Capability().Lookup {
		return
	}
	if again, err := provider.Lookup(ctx, operation); err != nil || again.Text != answer.Text {
		t.Errorf("looked up %+v, %v", again, err)
	}
}
