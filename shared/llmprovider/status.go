package llmprovider

import (
	"fmt"
	"net/http"
	"time"
)

// StatusOverloaded is not registered; providers use it for "the whole API is
// overloaded, the request was refused".
const StatusOverloaded = 529

type outcome struct {
	kind   Kind
	reason string
}

// statusOutcomes holds the statuses whose meaning is clear enough to act on
// without reading the body. Only refusals are documented by providers as "not
// executed"; a server error says nothing about how far the model got, so 5xx is
// left to the default. An adapter that parses a documented error type may know
// better and overrules this table.
var statusOutcomes = map[int]outcome{
	http.StatusBadRequest:            {Permanent, ReasonProviderRefused},
	http.StatusUnprocessableEntity:   {Permanent, ReasonProviderRefused},
	http.StatusRequestEntityTooLarge: {Permanent, ReasonInputTooLarge},
	http.StatusRequestURITooLong:     {Permanent, ReasonInputTooLarge},

	http.StatusPaymentRequired:   {Permanent, ReasonProviderQuota},
	http.StatusUnauthorized:      {Permanent, ReasonProviderMisconfigured},
	http.StatusForbidden:         {Permanent, ReasonProviderMisconfigured},
	http.StatusProxyAuthRequired: {Permanent, ReasonProviderMisconfigured},

	http.StatusNotFound:                    {Permanent, ReasonProviderMisconfigured},
	http.StatusMethodNotAllowed:            {Permanent, ReasonProviderMisconfigured},
	http.StatusNotAcceptable:               {Permanent, ReasonProviderMisconfigured},
	http.StatusGone:                        {Permanent, ReasonProviderMisconfigured},
	http.StatusUnsupportedMediaType:        {Permanent, ReasonProviderMisconfigured},
	http.StatusMisdirectedRequest:          {Permanent, ReasonProviderMisconfigured},
	http.StatusUpgradeRequired:             {Permanent, ReasonProviderMisconfigured},
	http.StatusRequestHeaderFieldsTooLarge: {Permanent, ReasonProviderMisconfigured},
	http.StatusUnavailableForLegalReasons:  {Permanent, ReasonProviderRefused},
	http.StatusNotImplemented:              {Permanent, ReasonProviderMisconfigured},

	http.StatusTooEarly:        {Rejected, ""}, // RFC 8470 §5.2: the server did not process it
	http.StatusTooManyRequests: {Rejected, ""},
	StatusOverloaded:           {Rejected, ""},
}

// StatusError is the outcome of a call that was answered with a status other
// than success. Statuses that are not listed, 408, 409, 500, 502, 503 and 504
// among them, are Ambiguous: the model may have run. A redirect is a wrong
// address: following one would send the prompt a second time, and elsewhere.
// Retry-After is read for every status, relative to now.
func StatusError(response Response, now time.Time) *Error {
	class, listed := statusOutcomes[response.Status]
	switch {
	case listed:
	case response.Status >= 300 && response.Status <= 399:
		class = outcome{Permanent, ReasonProviderMisconfigured}
	default:
		class = outcome{kind: Ambiguous}
	}
	return &Error{
		Kind:       class.kind,
		Reason:     class.reason,
		RetryAfter: RetryAfter(response.Header, now),
		Err:        fmt.Errorf("provider answered with status %d", response.Status),
	}
}
