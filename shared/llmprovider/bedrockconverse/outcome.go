package bedrockconverse

import (
	"context"
	"errors"
	"fmt"
	"mime"
	"net/http"
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
		p.judge.Oddities.Unknown(ctx, unknown[0], unknown[1], requestID)
	}
	var failure *llmprovider.Error
	switch {
	case !exchange.Used():
		failure = notSent(ctx, sdkErr)
	case sendErr != nil && response.Status == 0:
		failure = llmprovider.AsError(sendErr)
	case response.Status != http.StatusOK:
		exception, _ := errors.AsType[smithy.APIError](sdkErr)
		failure = p.judge.Status(ctx, response, p.typedFailure(ctx, exception, requestID), requestID)
	case !p.expected(response.Header):
		failure = p.judge.Unreadable("the answer has an unexpected content type")
	default:
		failure = p.answerFailure(ctx, response, said, sendErr, sdkErr, requestID)
	}
	if failure == nil {
		return p.judge.Answer(model, string(said.stopReason), said.text.String(), requestID, said.spend), nil
	}
	failure.Spend = said.spend
	failure.ProviderRequestID = requestID
	failure.RetryAfter = p.retryAfter(response.Header)
	p.judge.Oddities.Refused(ctx, failure)
	return llmprovider.Answer{}, failure
}

// notSent is the outcome of a call that the SDK ended before its request.
func notSent(ctx context.Context, sdkErr error) *llmprovider.Error {
	if cause := context.Cause(ctx); cause != nil {
		return &llmprovider.Error{Kind: llmprovider.Rejected, Err: fmt.Errorf("before the request: %w: %w", cause, sdkErr)}
	}
	if _, ok := errors.AsType[*credentialsError](sdkErr); ok {
		return &llmprovider.Error{Kind: llmprovider.Rejected, Err: sdkErr}
	}
	return llmprovider.ClassMisconfigured.Error(fmt.Errorf("the SDK sent nothing: %w", sdkErr))
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
	return llmprovider.RetryAfter(all, p.judge.Now())
}

// answerFailure judges the body of a successful status; nil means that it is an
// answer. A whole answer is one even if the connection broke after it: it is paid
// for and nothing of it is missing.
func (p *Provider) answerFailure(ctx context.Context, response llmprovider.Response, said *reply, sendErr, sdkErr error, requestID string) *llmprovider.Error {
	switch {
	case said.ended && validJSON(response.Body, p.streaming):
		return p.judge.Ended(ctx, string(said.stopReason), said.text.String(), requestID)
	case said.ended:
		return p.judge.Unreadable("the answer is not JSON with unique names and valid UTF-8")
	}
	if exception, ok := errors.AsType[smithy.APIError](sdkErr); ok {
		return p.judge.InStream(p.typedFailure(ctx, exception, requestID), said.begun)
	}
	if sendErr != nil {
		return llmprovider.AsError(sendErr)
	}
	if sdkErr != nil {
		return p.judge.Unreadable("the SDK cannot read the answer") // its error may quote it
	}
	return p.judge.Unreadable("the stream ended without messageStop")
}

// typedFailure is the outcome of an error code, or nil if it is not documented.
// The message is not read: words in it are no evidence, and it may quote the input.
func (p *Provider) typedFailure(ctx context.Context, exception smithy.APIError, requestID string) *llmprovider.Error {
	if exception == nil || exception.ErrorCode() == unknownCode {
		return nil
	}
	failure := p.judge.Typed(ctx, "error_code", exception.ErrorCode(), requestID)
	if modelError, ok := errors.AsType[*types.ModelErrorException](exception); ok && failure != nil && modelError.OriginalStatusCode != nil {
		failure.Err = fmt.Errorf("%w, the model's status %d", failure.Err, *modelError.OriginalStatusCode)
	}
	return failure
}

// unknownCode is what the SDK says for an answer that names no code.
const unknownCode = "UnknownError"
