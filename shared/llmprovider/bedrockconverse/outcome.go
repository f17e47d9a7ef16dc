package bedrockconverse

import (
	"context"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"strconv"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime/types"
	"github.com/aws/smithy-go"

	"github.com/replyonce/replyonce/shared/llmprovider"
	"github.com/replyonce/replyonce/shared/llmprovider/sdkcall"
)

const (
	// headerRequestID carries AWS's name for a request.
	headerRequestID = "X-Amzn-Requestid"
	// headerRetryAfter is a wait in milliseconds that AWS's services may ask for.
	headerRetryAfter = "X-Amz-Retry-After"
)

// outcome judges what one request brought.
func (p *Provider) outcome(ctx context.Context, model string, exchange *sdkcall.Exchange, said *reply, sdkErr error) (llmprovider.Answer, error) {
	response, sendErr := exchange.Result()
	requestID := response.Header.Get(headerRequestID)
	for _, unknown := range said.unknown {
		p.oddities.Unknown(ctx, unknown[0], unknown[1], requestID)
	}
	var failure *llmprovider.Error
	switch {
	case !exchange.Used():
		failure = notSent(ctx, sdkErr)
	case sendErr != nil && response.Status == 0:
		failure = llmprovider.AsError(sendErr)
	case response.Status != http.StatusOK:
		failure = p.statusFailure(ctx, response, sdkErr, requestID)
	case !p.expected(response.Header):
		failure = unreadable("the answer has an unexpected content type")
	default:
		failure = p.answerFailure(ctx, response, said, sendErr, sdkErr, requestID)
	}
	if failure == nil {
		return answer(model, said, requestID), nil
	}
	failure.Spend = said.spend
	failure.ProviderRequestID = requestID
	failure.RetryAfter = p.retryAfter(response.Header)
	p.oddities.Refused(ctx, failure)
	return llmprovider.Answer{}, failure
}

func answer(model string, said *reply, requestID string) llmprovider.Answer {
	return llmprovider.Answer{
		Text:              said.text.String(),
		CutShort:          stopReasons[said.stopReason] != complete,
		Provider:          Name,
		Model:             model,
		ProviderRequestID: requestID,
		LanguageModel:     true,
		InputTokens:       said.spend.InputTokens,
		OutputTokens:      said.spend.OutputTokens,
	}
}

// notSent is the outcome of a call that the SDK ended before its request.
func notSent(ctx context.Context, sdkErr error) *llmprovider.Error {
	if cause := context.Cause(ctx); cause != nil {
		return &llmprovider.Error{Kind: llmprovider.Rejected, Err: fmt.Errorf("before the request: %w: %w", cause, sdkErr)}
	}
	if _, ok := errors.AsType[*credentialsError](sdkErr); ok {
		return &llmprovider.Error{Kind: llmprovider.Rejected, Err: sdkErr}
	}
	return &llmprovider.Error{
		Kind:   llmprovider.Permanent,
		Reason: llmprovider.ReasonProviderMisconfigured,
		Err:    fmt.Errorf("the SDK sent nothing: %w", sdkErr),
	}
}

func (p *Provider) expected(header http.Header) bool {
	want := "application/json"
	if p.streaming {
		want = "application/vnd.amazon.eventstream"
	}
	mediaType, _, err := mime.ParseMediaType(header.Get("Content-Type"))
	return err == nil && mediaType == want
}

// retryAfter reads AWS's own header like Retry-After-Ms.
func (p *Provider) retryAfter(header http.Header) time.Duration {
	all := header.Clone()
	for _, wait := range header.Values(headerRetryAfter) {
		all.Add("Retry-After-Ms", wait)
	}
	return llmprovider.RetryAfter(all, p.now())
}

// answerFailure judges the body of a successful status; nil means that it is an
// answer. A whole answer is one even if the connection broke after it: it is paid
// for and nothing of it is missing.
func (p *Provider) answerFailure(ctx context.Context, response llmprovider.Response, said *reply, sendErr, sdkErr error, requestID string) *llmprovider.Error {
	switch {
	case said.ended && validJSON(response.Body, p.streaming):
		return p.judge(ctx, said, requestID)
	case said.ended:
		return unreadable("the answer is not JSON with unique names and valid UTF-8")
	}
	if exception, ok := errors.AsType[smithy.APIError](sdkErr); ok {
		failure := p.typedFailure(ctx, exception, requestID)
		if failure == nil {
			failure = unreadable("an exception of an unknown type")
		}
		if said.begun && failure.Kind == llmprovider.Rejected {
			failure.Kind = llmprovider.Ambiguous // refused is what it was not: the model has written
		}
		return failure
	}
	if sendErr != nil {
		return llmprovider.AsError(sendErr)
	}
	if sdkErr != nil {
		return unreadable("the SDK cannot read the answer") // its error may quote it
	}
	return unreadable("the stream ended without messageStop")
}

func unreadable(what string) *llmprovider.Error {
	return &llmprovider.Error{Kind: llmprovider.Ambiguous, Err: errors.New("bedrock: " + what)}
}

// statusFailure is the outcome of an error status: the parsed code decides, and
// the status where there is no code that is documented.
func (p *Provider) statusFailure(ctx context.Context, response llmprovider.Response, sdkErr error, requestID string) *llmprovider.Error {
	byStatus := llmprovider.StatusError(response, p.now())
	var failure *llmprovider.Error
	if exception, ok := errors.AsType[smithy.APIError](sdkErr); ok {
		failure = p.typedFailure(ctx, exception, requestID)
	}
	if failure == nil {
		if !documentedStatuses[response.Status] {
			p.oddities.Unknown(ctx, "status", strconv.Itoa(response.Status), requestID)
		}
		return byStatus
	}
	if failure.Kind == llmprovider.Rejected && byStatus.Kind == llmprovider.Ambiguous {
		// A refusal with the status of a failure: the two disagree about whether the
		// model ran, and only one of them can cost.
		failure.Kind = llmprovider.Ambiguous
	}
	failure.Err = fmt.Errorf("status %d: %w", response.Status, failure.Err)
	return failure
}

// typedFailure is the outcome of an error code, or nil if it is not documented.
// The message is not read: words in it are no evidence, and it may quote the input.
func (p *Provider) typedFailure(ctx context.Context, exception smithy.APIError, requestID string) *llmprovider.Error {
	code := exception.ErrorCode()
	meaning, known := codeClasses[code]
	if !known {
		if code != unknownCode {
			p.oddities.Unknown(ctx, "error_code", code, requestID)
		}
		return nil
	}
	what := "error " + code
	if modelError, ok := errors.AsType[*types.ModelErrorException](exception); ok && modelError.OriginalStatusCode != nil {
		what += fmt.Sprintf(", the model's status %d", *modelError.OriginalStatusCode)
	}
	return failureOf(meaning, what)
}

// unknownCode is what the SDK says for an answer that names no code.
const unknownCode = "UnknownError"
