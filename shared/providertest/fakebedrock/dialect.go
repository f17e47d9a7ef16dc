package fakebedrock

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/go-json-experiment/json"

	"github.com/replyonce/replyonce/shared/providertest/fakeprovider"
)

// Error types of the API and of AWS's services in general, with the status that
// belongs to each.
const (
	TypeValidation         = "ValidationException"           // 400
	TypeServiceQuota       = "ServiceQuotaExceededException" // 400
	TypeRequestExpired     = "RequestExpired"                // 400
	TypeAccessDenied       = "AccessDeniedException"         // 403
	TypeInvalidSignature   = "InvalidSignatureException"     // 403
	TypeUnrecognizedClient = "UnrecognizedClientException"   // 403
	TypeExpiredToken       = "ExpiredTokenException"         // 403
	TypeNotFound           = "ResourceNotFoundException"     // 404
	TypeModelTimeout       = "ModelTimeoutException"         // 408
	TypeModelError         = "ModelErrorException"           // 424
	TypeThrottling         = "ThrottlingException"           // 429
	TypeModelNotReady      = "ModelNotReadyException"        // 429
	TypeInternal           = "InternalServerException"       // 500
	TypeUnavailable        = "ServiceUnavailableException"   // 503
	TypeModelStream        = "ModelStreamErrorException"     // in streams only
)

// Region is the region that the fake is in.
const Region = "eu-central-1"

// maxBodyBytes is the size that the fake takes; Bedrock documents none for texts.
const maxBodyBytes = 25 << 20

// Start returns a fake that listens until the test ends and accepts requests that
// are signed with these credentials.
func Start(tb testing.TB, credentials aws.Credentials) *fakeprovider.Server {
	tb.Helper()
	return fakeprovider.Start(tb, fakeprovider.Options{Dialect: Dialect{Credentials: credentials}, Now: time.Now})
}

// Dialect is the Converse API.
type Dialect struct {
	// Credentials are the only ones that are accepted; without an access key, every
	// one that signs with their secret.
	Credentials aws.Credentials
	// Region is the one that requests are signed for; empty means the constant.
	Region string
}

var _ fakeprovider.Dialect = Dialect{}

// RequestIDHeader is X-Amzn-Requestid.
func (Dialect) RequestIDHeader() string { return "X-Amzn-Requestid" }

// Read checks a request.
func (d Dialect) Read(r *http.Request, body []byte) (fakeprovider.Asked, *fakeprovider.Failure) {
	model, stream, ok := route(r.URL.EscapedPath())
	if !ok || r.Method != http.MethodPost || r.URL.RawQuery != "" {
		return fakeprovider.Asked{}, refusal(http.StatusNotFound, "UnknownOperationException", r.Method+" "+r.URL.RequestURI())
	}
	if failure := d.checkSignature(r, body); failure != nil {
		return fakeprovider.Asked{}, failure
	}
	if contentType := r.Header.Get("Content-Type"); contentType != "application/json" {
		return fakeprovider.Asked{}, invalid(fmt.Sprintf("Content-Type %q", contentType))
	}
	if len(body) > maxBodyBytes {
		return fakeprovider.Asked{}, refusal(http.StatusRequestEntityTooLarge, TypeValidation, "request body is too large")
	}
	var request converseRequest
	if err := json.Unmarshal(body, &request, json.RejectUnknownMembers(true)); err != nil {
		return fakeprovider.Asked{}, invalid(fmt.Sprintf("body: %v", err))
	}
	if problem := request.problem(); problem != "" {
		return fakeprovider.Asked{}, invalid(problem)
	}
	return request.asked(model, stream), nil
}

// route reads /model/{modelId}/converse and /model/{modelId}/converse-stream.
func route(path string) (model string, stream, ok bool) {
	rest, found := strings.CutPrefix(path, "/model/")
	escaped, operation, _ := strings.Cut(rest, "/")
	model, err := url.PathUnescape(escaped)
	if !found || err != nil || model == "" {
		return "", false, false
	}
	return model, operation == "converse-stream", operation == "converse" || operation == "converse-stream"
}

// Invalid is a ValidationException.
func (Dialect) Invalid(message string) fakeprovider.Failure { return *invalid(message) }

func invalid(message string) *fakeprovider.Failure {
	return refusal(http.StatusBadRequest, TypeValidation, message)
}

func refusal(status int, errorType, message string) *fakeprovider.Failure {
	return &fakeprovider.Failure{Status: status, Type: errorType, Message: message}
}
