package anthropicmessages

import (
	"context"

	"github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/shared"
	"github.com/go-json-experiment/json"

	"github.com/replyonce/replyonce/shared/llmprovider"
	"github.com/replyonce/replyonce/shared/llmprovider/outcometable"
)

// Error types that the errors page documents and the SDK has no constant for.
const (
	typeConflict        = "conflict_error"
	typeRequestTooLarge = "request_too_large"
)

// codeSpendLimit in a rate_limit_error: the tier's monthly spend cap is reached.
// There is no Retry-After then; usage is paused until the month ends.
const codeSpendLimit = "enforced_spend_limit_reached"

// table is what the words of the API mean: all stop reasons and error types that the
// SDK lists, and the statuses of the errors page. See the package's documentation.
var table = outcometable.Table{
	Provider: Name,
	Endings: map[string]outcometable.Ending{
		string(anthropic.StopReasonEndTurn):                    outcometable.Complete,
		string(anthropic.StopReasonStopSequence):               outcometable.Complete,
		string(anthropic.StopReasonMaxTokens):                  outcometable.CutShort,
		string(anthropic.StopReasonModelContextWindowExceeded): outcometable.ContextFull,
		string(anthropic.StopReasonRefusal):                    outcometable.Declined,
		string(anthropic.StopReasonToolUse):                    outcometable.Unusable,
		string(anthropic.StopReasonPauseTurn):                  outcometable.Unusable,
	},
	Errors: map[string]llmprovider.Class{
		string(shared.ErrorTypeInvalidRequestError): llmprovider.ClassRefused,
		typeConflict:        llmprovider.ClassRefused,
		typeRequestTooLarge: llmprovider.ClassInputTooLarge,
		string(shared.ErrorTypeAuthenticationError): llmprovider.ClassMisconfigured,
		string(shared.ErrorTypePermissionError):     llmprovider.ClassMisconfigured,
		string(shared.ErrorTypeNotFoundError):       llmprovider.ClassMisconfigured,
		string(shared.ErrorTypeBillingError):        llmprovider.ClassQuota,
		codeSpendLimit:                              llmprovider.ClassQuota,
		string(shared.ErrorTypeRateLimitError):      llmprovider.ClassRejected,
		string(shared.ErrorTypeOverloadedError):     llmprovider.ClassRejected,
		string(shared.ErrorTypeAPIError):            llmprovider.ClassAmbiguous,
		string(shared.ErrorTypeTimeoutError):        llmprovider.ClassAmbiguous,
	},
	Statuses: []int{400, 401, 402, 403, 404, 409, 413, 429, 500, 504, llmprovider.StatusOverloaded},
}

// Outcomes is the table of the API's words, for documentation.
func Outcomes() outcometable.Table { return table }

// errorDocument is the body of an error status and the data of an error event.
// Its message is not read: words in it are no evidence, and it may quote the input.
type errorDocument struct {
	Error struct {
		Type    string `json:"type"`
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
		p.judge.Oddities.Unknown(ctx, "error_shape", "no_error_document", requestID)
		return nil
	}
	word := document.Error.Type
	switch code := document.Error.Details.Code; code {
	case codeSpendLimit:
		word = code
	case "":
	default:
		p.judge.Oddities.Unknown(ctx, "error_code", code, requestID)
	}
	return p.judge.Typed(ctx, "error_type", word, requestID)
}
