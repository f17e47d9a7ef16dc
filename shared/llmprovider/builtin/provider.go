package builtin

import (
	"context"
	"fmt"
	"slices"

	"github.com/replyonce/replyonce/shared/llmprovider"
)

const (
	// Name is the provider's name on saved replies.
	Name = "builtin"
	// Model names the way of ranking; its number grows when answers change.
	Model = "sentence-ranking-1"
)

// Provider is an llmprovider.Provider that works inside the process. The zero
// value is ready for use.
type Provider struct{}

var _ llmprovider.Provider = Provider{}

// New returns the provider.
func New() Provider { return Provider{} }

// Name returns Name.
func (Provider) Name() string { return Name }

// Capability says that nothing outside the process is involved: there is no
// operation to look up, and a repeated call computes the same text again at no
// cost, which is not the same as a documented idempotency key.
func (Provider) Capability() llmprovider.Capability {
	return llmprovider.Capability{
		Endpoint:  "in process",
		RetryRule: "nothing is refused, and nothing can be lost on the way",
		Source:    "package builtin",
		CheckedOn: "2026-11-29",
	}
}

// Call answers from the prompt's document and question; only a question without
// any word to look for falls back on the one before. It ignores instruction, model
// and key, and reports no tokens, because none were used. An
// answer longer than r.MaxOutputTokens quotes fewer passages and is cut as a last
// resort. The only failure is a context that ended before the work began.
func (Provider) Call(ctx context.Context, r llmprovider.Request) (llmprovider.Answer, error) {
	if ctx.Err() != nil {
		return llmprovider.Answer{}, &llmprovider.Error{
			Kind: llmprovider.Rejected,
			Err:  fmt.Errorf("rank passages: %w", context.Cause(ctx)),
		}
	}
	text, cut := answer(r.Prompt, r.MaxOutputTokens)
	return llmprovider.Answer{Text: text, CutShort: cut, Provider: Name, Model: Model}, nil
}

// Lookup is not supported: a call leaves nothing behind.
func (Provider) Lookup(context.Context, string) (llmprovider.Answer, error) {
	return llmprovider.Answer{}, llmprovider.ErrLookupUnsupported
}

func answer(prompt llmprovider.Prompt, maxTokens int) (text string, cut bool) {
	doc := readDocument(prompt.Document.Text)
	best := rank(doc, questions(prompt)...)
	for quoted := maxQuoted; quoted > 0; quoted-- {
		text = answerText(prompt, doc, best, quoted)
		if maxTokens <= 0 || llmprovider.EstimateTokens(text) <= maxTokens {
			return text, false
		}
	}
	// No token is shorter than a byte, so this many bytes are never too many tokens.
	return llmprovider.CutText(text, maxTokens), true
}

// questions are the prompt's question and the earlier ones, newest first.
func questions(prompt llmprovider.Prompt) []string {
	asked := []string{prompt.Question}
	for _, turn := range slices.Backward(prompt.History) {
		asked = append(asked, turn.Question)
	}
	return asked
}
