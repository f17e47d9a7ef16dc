package llmprovider

import (
	"fmt"
	"maps"
	"net/http"
	"time"
)

// StatusOverloaded is not registered; providers use it for "the whole API is
// overloaded, the request was refused".
const StatusOverloaded = 529

// statusOutcomes holds the statuses whose meaning is clear enough to act on
// without reading the body. Only refusals are documented by providers as "not
// executed"; a server error says nothing about how far the model got, so 5xx is
// left to the default. An adapter that parses a documented error type may know
// better and overrules this table.
var statusOutcomes = map[int]Class{
	http.StatusBadRequest:            ClassRefused,
	http.StatusUnprocessableEntity:   ClassRefused,
	http.StatusRequestEntityTooLarge: ClassInputTooLarge,
	http.StatusRequestURITooLong:     ClassInputTooLarge,

	http.StatusPaymentRequired:   ClassQuota,
	http.StatusUnauthorized:      ClassMisconfigured,
	http.StatusForbidden:         ClassMisconfigured,
	http.StatusProxyAuthRequired: ClassMisconfigured,

	http.StatusNotFound:                    ClassMisconfigured,
	http.StatusMethodNotAllowed:            ClassMisconfigured,
	http.StatusNotAcceptable:               ClassMisconfigured,
	http.StatusGone:                        ClassMisconfigured,
	http.StatusUnsupportedMediaType:        ClassMisconfigured,
	http.StatusMisdirectedRequest:          ClassMisconfigured,
	http.StatusUpgradeRequired:             ClassMisconfigured,
	http.StatusRequestHeaderFieldsTooLarge: ClassMisconfigured,
	http.StatusUnavailableForLegalReasons:  ClassRefused,
	http.StatusNotImplemented:              ClassMisconfigured,

	http.StatusTooEarly:        ClassRejected, // RFC 8470 §5.2: the server did not process it
	http.StatusTooManyRequests: ClassRejected,
	StatusOverloaded:           ClassRejected,
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
		class = ClassMisconfigured
	default:
		class = ClassAmbiguous
	}
	failure := class.Error(fmt.Errorf("provider answered with status %d", response.Status))
	failure.RetryAfter = RetryAfter(response.Header, now)
	return failure
}

// StatusClasses are the statuses whose meaning is clear without the body, for
// documentation. All others are Ambiguous, and redirects are misconfigured.
func StatusClasses() map[int]Class { return maps.Clone(statusOutcomes) }
