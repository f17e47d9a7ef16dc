package llmprovider

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// The failure reasons that a provider call can lead to. The words are part of
// the product's API and its list of reasons is closed.
const (
	ReasonProviderQuota         = "provider_quota"         // the account's quota or credit is used up
	ReasonProviderRefused       = "provider_refused"       // the provider does not accept this request
	ReasonProviderMisconfigured = "provider_misconfigured" // credentials, address, model name or adapter do not fit
	ReasonInputTooLarge         = "input_too_large"        // the prompt is longer than the model takes
	ReasonDeclined              = "declined"               // the model or a filter refused to answer
	ReasonEmptyReply            = "empty_reply"            // there was no text
	ReasonReplyTooLarge         = "reply_too_large"        // there was too much text
)

// ErrLookupUnsupported is returned by Lookup where the provider documents no way
// to read an operation by its id. Capability.Lookup is false there.
var ErrLookupUnsupported = errors.New("provider documents no look-up by operation id")

// Spend is what a call is known to have cost, as counted by the provider. Zero
// means that the provider did not say.
type Spend struct {
	InputTokens  int
	OutputTokens int
}

// Error is every way in which a call or a look-up ends without an answer.
type Error struct {
	Kind Kind
	// Reason is one of the Reason constants for kinds that end the task
	// (Permanent, Declined, Empty, TooLarge) and empty for the others. An Empty
	// without a reason did not end without text: the provider says that it failed.
	Reason string
	// RetryAfter is the wait that the provider asked for; zero when it asked for
	// none. Coming back earlier is never right, whatever the kind.
	RetryAfter time.Duration
	// ProviderRequestID names the request in the provider's own records. It helps
	// its support; it is no proof of anything.
	ProviderRequestID string
	// Spend is what the failed call is known to have cost.
	Spend Spend
	// Err is the cause, for logs.
	Err error
}

// Error describes the outcome for logs. It contains no prompt and no answer.
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString("provider call ")
	b.WriteString(e.Kind.String())
	if e.Reason != "" {
		fmt.Fprintf(&b, " (%s)", e.Reason)
	}
	if e.RetryAfter > 0 {
		fmt.Fprintf(&b, ", retry after %s", e.RetryAfter)
	}
	if e.ProviderRequestID != "" {
		fmt.Fprintf(&b, ", provider request %s", e.ProviderRequestID)
	}
	if e.Err != nil {
		fmt.Fprintf(&b, ": %v", e.Err)
	}
	return b.String()
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// AsError returns the outcome that err carries. An error of any other type says
// nothing about the call, so it becomes Ambiguous. AsError(nil) is nil.
func AsError(err error) *Error {
	if err == nil {
		return nil
	}
	if outcome, ok := errors.AsType[*Error](err); ok {
		return outcome
	}
	return &Error{Kind: Ambiguous, Err: err}
}
