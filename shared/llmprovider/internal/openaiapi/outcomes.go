package openaiapi

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"strconv"
	"time"

	"github.com/replyonce/replyonce/shared/llmprovider"
	"github.com/replyonce/replyonce/shared/llmprovider/sdkcall"
)

// HeaderRequestID carries the provider's own name for a request.
const HeaderRequestID = "X-Request-Id"

// RetryRule is the part of the tables that a repeat rests on; see Capability.
const RetryRule = "429 rate_limit_exceeded and slow_down count as refused (our reading), again after Retry-After; 408, 409, 5xx, broken answers and lost connections leave it open"

// settled holds types and codes that say more than a status of the 4xx family:
// the same request would fare the same again. They mean it wherever they stand.
var settled = map[string]llmprovider.Class{
	// Spend and usage limits come with status 429, and no wait helps.
	"insufficient_quota":                llmprovider.ClassQuota,
	"credit_balance_exhausted":          llmprovider.ClassQuota,
	"organization_spend_limit_exceeded": llmprovider.ClassQuota,
	"project_spend_limit_exceeded":      llmprovider.ClassQuota,
	"organization_usage_limit_exceeded": llmprovider.ClassQuota,
	"billing_hard_limit_reached":        llmprovider.ClassQuota,
	"billing_not_active":                llmprovider.ClassQuota,

	"context_length_exceeded": llmprovider.ClassInputTooLarge,
	"string_above_max_length": llmprovider.ClassInputTooLarge,

	"content_filter":                llmprovider.ClassDeclined,
	"content_policy_violation":      llmprovider.ClassDeclined,
	"invalid_prompt":                llmprovider.ClassDeclined,
	"bio_policy":                    llmprovider.ClassDeclined,
	"misalignment_policy_violation": llmprovider.ClassDeclined,

	"data_residency_mismatch":              llmprovider.ClassMisconfigured,
	"invalid_api_key":                      llmprovider.ClassMisconfigured,
	"model_not_found":                      llmprovider.ClassMisconfigured,
	"unsupported_country_region_territory": llmprovider.ClassMisconfigured,
}

// documentedStatuses are those that the class table above speaks of.
var documentedStatuses = map[int]bool{
	http.StatusBadRequest: true, http.StatusUnauthorized: true, http.StatusForbidden: true, http.StatusNotFound: true,
	http.StatusRequestTimeout: true, http.StatusConflict: true, http.StatusRequestEntityTooLarge: true,
	http.StatusUnprocessableEntity: true, http.StatusTooManyRequests: true, http.StatusInternalServerError: true,
	http.StatusBadGateway: true, http.StatusServiceUnavailable: true, http.StatusGatewayTimeout: true,
}

// Refusal is the outcome of an answer with another status than success. A code
// that settles the matter counts for the 4xx statuses with which refusals come;
// next to 408, 409 and 5xx it would contradict them, and the status decides.
func Refusal(ctx context.Context, response llmprovider.Response, now time.Time, oddities *sdkcall.Oddities) *llmprovider.Error {
	failure := llmprovider.StatusError(response, now)
	detail, _ := ParseError(response.Body)
	if result, known := settledBy(detail); known && refusing(response.Status) {
		failure.Kind, failure.Reason = result.Kind, result.Reason
	}
	failure.Err = fmt.Errorf("provider answered with status %d, error type %q, code %q", response.Status, detail.Type, detail.Code)
	failure.ProviderRequestID = response.Header.Get(HeaderRequestID)
	if !documentedStatuses[response.Status] {
		oddities.Unknown(ctx, "status", strconv.Itoa(response.Status), failure.ProviderRequestID)
	}
	if failure.Kind == llmprovider.Rejected && !knownRates[detail.Code] {
		oddities.Unknown(ctx, "rate_limit_code", detail.Code, failure.ProviderRequestID)
	}
	oddities.Refused(ctx, failure)
	return failure
}

// knownRates are the codes of refusals that a wait helps against. Compatible servers
// send none.
var knownRates = map[string]bool{"rate_limit_exceeded": true, "slow_down": true, "": true}

func refusing(status int) bool {
	return status >= 400 && status <= 499 && status != http.StatusRequestTimeout && status != http.StatusConflict
}

func settledBy(detail ErrorDetail) (llmprovider.Class, bool) {
	if result, known := settled[detail.Code]; known {
		return result, true
	}
	result, known := settled[detail.Type]
	return result, known
}

// passing holds codes that are about the moment. Before any output a refusal for
// the rate or for overload is what the same code is with a status: not executed.
var passing = map[string]llmprovider.Class{
	"rate_limit_exceeded": llmprovider.ClassRejected,
	"slow_down":           llmprovider.ClassRejected,

	"server_error":         llmprovider.ClassAmbiguous,
	"server_is_overloaded": llmprovider.ClassAmbiguous,
	"vector_store_timeout": llmprovider.ClassAmbiguous,
}

// Classes are both tables in one, for documentation.
func Classes() map[string]llmprovider.Class {
	all := maps.Clone(settled)
	maps.Copy(all, passing)
	return all
}

// BodyLimit is how much of an answer is read when its text may have so many bytes. A
// text may grow sixfold when every byte of it is written as an escape, a response
// object repeats the instructions, and a stream says a few bytes in a few hundred.
func BodyLimit(maxReplyBytes int, stream bool) int64 {
	limit := escapingFactor*int64(maxReplyBytes) + bodyOverhead
	if stream {
		return max(limit, streamBytes)
	}
	return limit
}

const (
	bodyOverhead   = 256 << 10
	escapingFactor = 6
	streamBytes    = 32 << 20
)

// End says where an error inside a successful answer stood.
type End struct {
	// Final: it is the stated end of a response, and not the end of a connection.
	Final bool
	// Generated: there was output, or a count of tokens, before it.
	Generated bool
	// RequestID is the provider's name for the request.
	RequestID string
}

// Failure is the outcome of an error inside a successful answer.
//
//   - A code that settles the matter does so here too.
//   - rate_limit_exceeded and slow_down are rejected while nothing was generated.
//     Afterwards they can no longer mean "not executed".
//   - Otherwise a final failure has ended the generation for good, and any other
//     says only that we saw no end of it.
//   - A code that is not listed is ambiguous, and logged once.
func Failure(ctx context.Context, detail ErrorDetail, end End, oddities *sdkcall.Oddities) *llmprovider.Error {
	result, known := settledBy(detail)
	if !known {
		result, known = passing[detail.Code]
	}
	if !known {
		result, known = passing[detail.Type]
	}
	if !known {
		result = llmprovider.ClassAmbiguous
		oddities.Unknown(ctx, "error_code", detail.name(), end.RequestID)
	}
	if result == llmprovider.ClassRejected && end.Generated {
		result = llmprovider.ClassAmbiguous
	}
	if known && result == llmprovider.ClassAmbiguous && end.Final {
		result = llmprovider.ClassFailed
	}
	failure := result.Error(fmt.Errorf("provider reported an error of type %q, code %q in a successful answer", detail.Type, detail.Code))
	failure.ProviderRequestID = end.RequestID
	oddities.Refused(ctx, failure)
	return failure
}
