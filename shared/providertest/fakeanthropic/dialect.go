package fakeanthropic

import (
	"fmt"
	"mime"
	"net/http"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/replyonce/replyonce/shared/providertest/fakeprovider"
)

const (
	// Path is where messages are created.
	Path = "/v1/messages"
	// Version is the only value that the API documents for its version header.
	Version = "2023-06-01"
	// maxBodyBytes is the documented size limit of the Messages API.
	maxBodyBytes = 32 << 20
)

// Error types of the API, with the status that belongs to each.
const (
	TypeInvalidRequest  = "invalid_request_error" // 400
	TypeAuthentication  = "authentication_error"  // 401
	TypeBilling         = "billing_error"         // 402
	TypePermission      = "permission_error"      // 403
	TypeNotFound        = "not_found_error"       // 404
	TypeConflict        = "conflict_error"        // 409
	TypeRequestTooLarge = "request_too_large"     // 413
	TypeRateLimit       = "rate_limit_error"      // 429
	TypeAPI             = "api_error"             // 500
	TypeTimeout         = "timeout_error"         // 504
	TypeOverloaded      = "overloaded_error"      // 529
)

// CodeSpendLimit is the error code of a rate_limit_error that lasts until the
// month ends.
const CodeSpendLimit = "enforced_spend_limit_reached"

// Start returns a fake that listens until the test ends and accepts one key.
func Start(tb testing.TB, key string) *fakeprovider.Server {
	tb.Helper()
	return fakeprovider.Start(tb, fakeprovider.Options{Dialect: Dialect{Key: key}, Now: time.Now})
}

// Dialect is the Messages API.
type Dialect struct {
	// Key is the only key that is accepted; empty accepts every one.
	Key string
}

var _ fakeprovider.Dialect = Dialect{}

// RequestIDHeader is Request-Id.
func (Dialect) RequestIDHeader() string { return "Request-Id" }

// Read checks a request.
func (d Dialect) Read(r *http.Request, body []byte) (fakeprovider.Asked, *fakeprovider.Failure) {
	if r.URL.EscapedPath() != Path || r.URL.RawQuery != "" {
		return fakeprovider.Asked{}, refusal(http.StatusNotFound, TypeNotFound, "no such path: "+r.URL.RequestURI())
	}
	if r.Method != http.MethodPost {
		return fakeprovider.Asked{}, refusal(http.StatusMethodNotAllowed, TypeInvalidRequest, "method "+r.Method)
	}
	if key := r.Header.Values("X-Api-Key"); len(key) != 1 || d.Key != "" && key[0] != d.Key {
		return fakeprovider.Asked{}, refusal(http.StatusUnauthorized, TypeAuthentication, "invalid x-api-key")
	}
	if failure := checkHeaders(r.Header); failure != nil {
		return fakeprovider.Asked{}, failure
	}
	if len(body) > maxBodyBytes {
		return fakeprovider.Asked{}, refusal(http.StatusRequestEntityTooLarge, TypeRequestTooLarge, "request exceeds the maximum size")
	}
	var request messagesRequest
	if err := json.Unmarshal(body, &request, json.RejectUnknownMembers(true)); err != nil {
		return fakeprovider.Asked{}, invalid(fmt.Sprintf("body: %v", err))
	}
	if problem := request.problem(); problem != "" {
		return fakeprovider.Asked{}, invalid(problem)
	}
	return request.asked(), nil
}

func checkHeaders(header http.Header) *fakeprovider.Failure {
	if version := header.Values("Anthropic-Version"); len(version) != 1 || version[0] != Version {
		return invalid(fmt.Sprintf("anthropic-version: %q", version))
	}
	mediaType, _, err := mime.ParseMediaType(header.Get("Content-Type"))
	if err != nil || mediaType != "application/json" {
		return invalid(fmt.Sprintf("content-type: %q", header.Get("Content-Type")))
	}
	return nil
}

// Invalid is an invalid_request_error.
func (Dialect) Invalid(message string) fakeprovider.Failure { return *invalid(message) }

func invalid(message string) *fakeprovider.Failure {
	return refusal(http.StatusBadRequest, TypeInvalidRequest, message)
}

func refusal(status int, errorType, message string) *fakeprovider.Failure {
	return &fakeprovider.Failure{Status: status, Type: errorType, Message: message}
}
