package anthropicmessages

import (
	"context"
	"fmt"

	"github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/shared"
	"github.com/go-json-experiment/json"

	"github.com/replyonce/replyonce/shared/llmprovider"
)

// ending is what a stop reason means for the text before it.
type ending int

const (
	// complete: the model said all that it wanted to say.
	complete ending = iota + 1
	// cutShort: a length limit ended the text.
	cutShort
	// contextFull: the model's context window ended the text.
	contextFull
	// declined: the model refused.
	declined
	// unfinished: the model waits for something, and going on is another call.
	unfinished
)

// stopReasons are all that the SDK lists.
var stopReasons = map[anthropic.StopReason]ending{
	anthropic.StopReasonEndTurn:                    complete,
	anthropic.StopReasonStopSequence:               complete,
	anthropic.StopReasonMaxTokens:                  cutShort,
	anthropic.StopReasonModelContextWindowExceeded: contextFull,
	anthropic.StopReasonRefusal:                    declined,
	anthropic.StopReasonToolUse:                    unfinished,
	anthropic.StopReasonPauseTurn:                  unfinished,
}

// judge decides whether a whole message is an answer; nil means that it is.
func (p *Provider) judge(ctx context.Context, m *message, requestID string) *llmprovider.Error {
	end := stopReasons[m.stopReason]
	switch end {
	case declined:
		return failureOf(class{llmprovider.Declined, llmprovider.ReasonDeclined}, fmt.Sprintf("stopped for %q", m.stopReason))
	case unfinished:
		return failureOf(misconfigured, fmt.Sprintf("stopped for %q, which needs another call", m.stopReason))
	case complete, cutShort, contextFull:
	default:
		if m.stopReason == "" {
			return unreadable("the stream ended without a stop reason")
		}
		p.oddities.Unknown(ctx, "stop_reason", string(m.stopReason), requestID)
		return failureOf(misconfigured, "stopped for an unknown reason")
	}
	failure := llmprovider.AsError(llmprovider.CheckAnswer(m.text.String(), p.maxReplyBytes))
	if failure != nil && failure.Kind == llmprovider.Empty && end == contextFull {
		return failureOf(tooLong, "the input left no room for an answer")
	}
	return failure
}

type class struct {
	kind   llmprovider.Kind
	reason string
}

var (
	refused       = class{llmprovider.Permanent, llmprovider.ReasonProviderRefused}
	misconfigured = class{llmprovider.Permanent, llmprovider.ReasonProviderMisconfigured}
	quotaUsedUp   = class{llmprovider.Permanent, llmprovider.ReasonProviderQuota}
	tooLong       = class{llmprovider.Permanent, llmprovider.ReasonInputTooLarge}
	rejected      = class{kind: llmprovider.Rejected}
	ambiguous     = class{kind: llmprovider.Ambiguous}
)

// Error types that the errors page documents and the SDK has no constant for.
const (
	typeConflict        shared.ErrorType = "conflict_error"
	typeRequestTooLarge shared.ErrorType = "request_too_large"
)

// codeSpendLimit in a rate_limit_error: the tier's monthly spend cap is reached.
// There is no Retry-After then; usage is paused until the month ends.
const codeSpendLimit = "enforced_spend_limit_reached"

// typeClasses is what each error type means. See the package's documentation.
var typeClasses = map[shared.ErrorType]class{
	shared.ErrorTypeInvalidRequestError: refused,
	typeConflict:                        refused,
	typeRequestTooLarge:                 tooLong,
	shared.ErrorTypeAuthenticationError: misconfigured,
	shared.ErrorTypePermissionError:     misconfigured,
	shared.ErrorTypeNotFoundError:       misconfigured,
	shared.ErrorTypeBillingError:        quotaUsedUp,
	shared.ErrorTypeRateLimitError:      rejected,
	shared.ErrorTypeOverloadedError:     rejected,
	shared.ErrorTypeAPIError:            ambiguous,
	shared.ErrorTypeTimeoutError:        ambiguous,
}

// documentedStatuses are those of the errors page.
var documentedStatuses = map[int]bool{
	400: true, 401: true, 402: true, 403: true, 404: true, 409: true, 413: true, 429: true,
	500: true, 504: true, llmprovider.StatusOverloaded: true,
}

// errorDocument is the body of an error status and the data of an error event.
// Its message is not read: words in it are no evidence, and it may quote the input.
type errorDocument struct {
	Error struct {
		Type    shared.ErrorType `json:"type"`
		Details struct {
			Code string `json:"error_code"`
		} `json:"details"`
	} `json:"error"`
}

// parseError reads an error document.
func parseError(body []byte) (document errorDocument, ok bool) {
	err := json.Unmarshal(body, &document)
	return document, err == nil
}

// typedFailure is the outcome of an error document, or nil if it is none or its
// type is not documented.
func (p *Provider) typedFailure(ctx context.Context, body []byte, requestID string) *llmprovider.Error {
	document, ok := parseError(body)
	if !ok {
		p.oddities.Unknown(ctx, "error_shape", "no_error_document", requestID)
		return nil
	}
	typ := document.Error.Type
	meaning, known := typeClasses[typ]
	if !known {
		p.oddities.Unknown(ctx, "error_type", string(typ), requestID)
		return nil
	}
	switch code := document.Error.Details.Code; code {
	case codeSpendLimit:
		meaning = quotaUsedUp
	case "":
	default:
		p.oddities.Unknown(ctx, "error_code", code, requestID)
	}
	return failureOf(meaning, fmt.Sprintf("error of type %q", typ))
}

func failureOf(c class, what string) *llmprovider.Error {
	return &llmprovider.Error{Kind: c.kind, Reason: c.reason, Err: fmt.Errorf("anthropic: %s", what)}
}
