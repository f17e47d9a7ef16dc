package llmprovider

import "context"

// Provider answers prompts. Implementations are safe for concurrent use.
type Provider interface {
	// Name is the word that is saved with a reply, such as "builtin".
	Name() string

	// Capability states what the provider documents. It never changes during the
	// life of a Provider.
	Capability() Capability

	// Call asks once: it makes exactly one request that can start a generation.
	// Where the provider works in the background, the reads that wait for its end
	// come on top. Call ends when ctx ends, and only ctx limits its time.
	//
	// An error is an *Error and never has the kinds StillRunning or NotFound.
	Call(ctx context.Context, r Request) (Answer, error)

	// Lookup reads how the operation of an earlier call ended, without starting
	// anything. Its *Error has one of these meanings:
	//
	//	StillRunning   not ended, or the look-up failed: look again after RetryAfter
	//	NotFound       definitely unknown to the provider: nothing to wait for
	//	Permanent, Declined, Empty, TooLarge   the operation's end, as for Call
	//	Rejected       the operation ended without having been executed
	//	Ambiguous      the operation ended and its result cannot be had
	//
	// Without support it returns ErrLookupUnsupported.
	Lookup(ctx context.Context, operationID string) (Answer, error)
}

// Request is one call.
type Request struct {
	Prompt Prompt
	// Model is the provider's name for the model; empty means its default.
	Model string
	// MaxOutputTokens limits the answer; zero means the provider's default.
	MaxOutputTokens int
	// Key is stable per task. An adapter sends it only where Capability says that
	// the provider documents an idempotency key.
	Key string
	// SaveOperation, when not nil, is called once, before the answer is awaited,
	// if the provider returned an operation id. Only a saved id can be looked up
	// after a crash, so an error ends the call as Ambiguous.
	SaveOperation func(ctx context.Context, operationID string) error
}

// Answer is a candidate reply: it becomes the reply when the store accepts it.
type Answer struct {
	// Text is valid UTF-8 and holds more than white space.
	Text string
	// CutShort says that the model stopped because of a length limit.
	CutShort bool
	// Provider and Model name who answered.
	Provider string
	Model    string
	// ProviderRequestID names the request in the provider's own records.
	ProviderRequestID string
	// LanguageModel says whether a language model wrote the text.
	LanguageModel bool
	// InputTokens and OutputTokens are the provider's count; zero without one.
	InputTokens  int
	OutputTokens int
}
