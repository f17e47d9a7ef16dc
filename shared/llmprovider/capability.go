package llmprovider

import "time"

// Capability states what a provider documents about one endpoint. A field is
// true only if Source says so; what is not documented is false, however the
// endpoint may behave today. Recovery after a crash rests on these statements.
type Capability struct {
	// Endpoint is what the statement is about, for instance "POST /v1/answers".
	Endpoint string

	// IdempotencyKey: a repeat with the same key and the same bytes returns the
	// outcome of the first request and starts no second generation.
	IdempotencyKey bool
	// KeyRetention is how long keys are remembered; zero means not documented.
	KeyRetention time.Duration
	// KeyPayloadRule is what happens to other bytes under a known key.
	KeyPayloadRule string
	// KeyConcurrencyRule is what happens to a repeat while the first still runs.
	KeyConcurrencyRule string

	// Lookup: an operation can be read by the id that the call returned first.
	Lookup bool
	// LookupRetention is how long a result can be read; zero means not documented.
	LookupRetention time.Duration

	// Cancel: a running operation can be ended by its id. Closing the connection
	// is not a cancel.
	Cancel bool

	// RetryRule says in a sentence which refusals leave a call unexecuted, so that it
	// may be made again, and which ends leave that open. The adapter's documentation
	// has the whole table.
	RetryRule string

	// LanguageModel: answers are written by a language model.
	LanguageModel bool

	// Source is the document that the statement rests on and CheckedOn the day,
	// as YYYY-MM-DD, on which it was last compared with it.
	Source    string
	CheckedOn string
}

// RecoverySupported reports whether a call whose end nobody saw can be resolved
// without the risk of a second generation.
func (c Capability) RecoverySupported() bool { return c.IdempotencyKey || c.Lookup }
