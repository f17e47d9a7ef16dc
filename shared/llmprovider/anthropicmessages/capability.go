package anthropicmessages

import "github.com/replyonce/replyonce/shared/llmprovider"

// source is what the statements of this package rest on.
const source = "platform.claude.com/docs/en/api: messages, errors, rate-limits, streaming; " +
	"github.com/anthropics/anthropic-sdk-go v1.84.0: MessageService has no idempotency field and no read of a past message"

// capability: the Messages API documents no idempotency key, no way to read or
// cancel a message by its id, and its request id is for support only. Nothing of
// a lost call can be recovered.
func capability() llmprovider.Capability {
	return llmprovider.Capability{
		Endpoint:      "POST /v1/messages",
		LanguageModel: true,
		RetryRule:     "429 rate_limit_error and 529 overloaded_error are refused, again after Retry-After; other 5xx, broken streams and lost connections leave it open",
		Source:        source,
		CheckedOn:     "2026-11-29",
	}
}
