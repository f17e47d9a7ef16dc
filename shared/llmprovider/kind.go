package llmprovider

import "strconv"

// Kind is what is known about a call after it. The zero value is no kind; a
// caller that meets a kind it does not know must treat it as Ambiguous.
type Kind int

const (
	// Rejected: the call was not executed. It may be made again after
	// Error.RetryAfter, or after the usual backoff when that is zero.
	Rejected Kind = iota + 1
	// Ambiguous: the request was written and nobody saw its end. The provider
	// may have executed it, may still be executing it, and may charge for it.
	Ambiguous
	// Permanent: the same call would end the same way; an operator or another
	// input is needed. Error.Reason says which.
	Permanent
	// Declined: the model or the provider's filter refused to answer.
	Declined
	// Empty: the call ended, as the provider says, with nothing to save: without any
	// text, or in a failure of the generation. Nothing about it is unknown; another
	// call is another generation.
	Empty
	// TooLarge: the call ended normally with more text than the product keeps.
	TooLarge
	// StillRunning is an answer of Lookup: the operation has not ended as far as
	// anyone can tell, so look again later. A look-up that itself failed is
	// reported like this too: reading again is free of charge.
	StillRunning
	// NotFound is an answer of Lookup: the provider definitely has no such
	// operation (any more).
	NotFound
)

var kindNames = map[Kind]string{
	Rejected:     "rejected",
	Ambiguous:    "ambiguous",
	Permanent:    "permanent",
	Declined:     "declined",
	Empty:        "empty",
	TooLarge:     "too_large",
	StillRunning: "still_running",
	NotFound:     "not_found",
}

// String returns the word used in logs.
func (k Kind) String() string {
	if name, known := kindNames[k]; known {
		return name
	}
	return "kind(" + strconv.Itoa(int(k)) + ")"
}
