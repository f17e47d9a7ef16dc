package bedrockconverse

import (
	"context"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime/types"

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
	// declined: the model or a filter refused.
	declined
	// unusable: the model waits for something or went wrong, and going on is
	// another call.
	unusable
)

// stopReasons are all that the SDK lists.
var stopReasons = map[types.StopReason]ending{
	types.StopReasonEndTurn:                    complete,
	types.StopReasonStopSequence:               complete,
	types.StopReasonMaxTokens:                  cutShort,
	types.StopReasonModelContextWindowExceeded: contextFull,
	types.StopReasonGuardrailIntervened:        declined,
	types.StopReasonContentFiltered:            declined,
	types.StopReasonToolUse:                    unusable,
	types.StopReasonMalformedModelOutput:       unusable,
	types.StopReasonMalformedToolUse:           unusable,
}

// judge decides whether a whole reply is an answer; nil means that it is.
func (p *Provider) judge(ctx context.Context, said *reply, requestID string) *llmprovider.Error {
	end := stopReasons[said.stopReason]
	switch end {
	case declined:
		return failureOf(class{llmprovider.Declined, llmprovider.ReasonDeclined}, fmt.Sprintf("stopped for %q", said.stopReason))
	case unusable:
		return failureOf(misconfigured, fmt.Sprintf("stopped for %q, which needs another call", said.stopReason))
	case complete, cutShort, contextFull:
	default:
		if said.stopReason == "" {
			return unreadable("the answer has no stop reason")
		}
		p.oddities.Unknown(ctx, "stop_reason", string(said.stopReason), requestID)
		return failureOf(misconfigured, "stopped for an unknown reason")
	}
	failure := llmprovider.AsError(llmprovider.CheckAnswer(said.text.String(), p.maxReplyBytes))
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
	tooLong       = class{llmprovider.Permanent, llmprovider.ReasonInputTooLarge}
	rejected      = class{kind: llmprovider.Rejected}
	ambiguous     = class{kind: llmprovider.Ambiguous}
)

// codeClasses is what each error code means: those that the SDK models for the
// two operations, and those that the page of error codes has for all of AWS. See
// the package's documentation.
var codeClasses = map[string]class{
	"ValidationException": refused,
	"ValidationError":     refused,

	"AccessDeniedException":               misconfigured,
	"NotAuthorized":                       misconfigured,
	"OptInRequired":                       misconfigured,
	"InvalidAction":                       misconfigured,
	"InvalidClientTokenId":                misconfigured,
	"UnrecognizedClientException":         misconfigured,
	"IncompleteSignature":                 misconfigured,
	"InvalidSignatureException":           misconfigured,
	"MissingAuthenticationTokenException": misconfigured,
	"ResourceNotFoundException":           misconfigured,
	"FTUFormNotFilled":                    misconfigured,
	// The model's subscription is being made. It is refused and may be asked again,
	// but only after a quarter of an hour, and no task lives that long.
	"MPAgreementBeingCreated": misconfigured,

	"ThrottlingException":           rejected,
	"ModelNotReadyException":        rejected,
	"ServiceQuotaExceededException": rejected,
	"RequestExpired":                rejected,
	"ExpiredTokenException":         rejected,

	"ModelTimeoutException":       ambiguous,
	"ModelErrorException":         ambiguous,
	"ModelStreamErrorException":   ambiguous,
	"InternalServerException":     ambiguous,
	"InternalFailure":             ambiguous,
	"ServiceUnavailableException": ambiguous,
	"ServiceUnavailable":          ambiguous,
}

// documentedStatuses are those of the page of error codes and of the SDK's model.
var documentedStatuses = map[int]bool{
	400: true, 403: true, 404: true, 408: true, 424: true, 429: true, 500: true, 503: true,
}

func failureOf(c class, what string) *llmprovider.Error {
	return &llmprovider.Error{Kind: c.kind, Reason: c.reason, Err: fmt.Errorf("bedrock: %s", what)}
}
