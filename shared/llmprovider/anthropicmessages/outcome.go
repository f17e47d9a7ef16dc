package anthropicmessages

import (
	"cmp"
	"context"
	"errors"
	"mime"
	"net/http"

	"github.com/anthropics/anthropic-sdk-go"

	"github.com/replyonce/replyonce/shared/llmprovider"
	"github.com/replyonce/replyonce/shared/llmprovider/sdkcall"
)

// headerRequestID carries Anthropic's name for a request.
const headerRequestID = "Request-Id"

// outcome judges what one request brought.
func (p *Provider) outcome(ctx context.Context, model anthropic.Model, exchange *sdkcall.Exchange, stream *eventStream) (llmprovider.Answer, error) {
	response, sendErr := exchange.Result()
	requestID := response.Header.Get(headerRequestID)
	var failure *llmprovider.Error
	switch {
	case sendErr != nil && response.Status == 0:
		failure = llmprovider.AsError(sendErr)
	case response.Status != http.StatusOK:
		failure = p.judge.Status(ctx, response, p.typedFailure(ctx, response.Body, requestID), requestID)
	case !isEventStream(response.Header):
		failure = p.judge.Unreadable("the answer is no event stream")
	default:
		var m *message
		if m, failure = p.whole(ctx, stream, sendErr, requestID); failure == nil {
			// The model that the stream names wrote it, or else the one that was asked.
			return p.judge.Answer(cmp.Or(m.model, model), string(m.stopReason), m.text.String(), requestID, m.spend), nil
		}
	}
	failure.ProviderRequestID = requestID
	failure.RetryAfter = llmprovider.RetryAfter(response.Header, p.judge.Now())
	p.judge.Oddities.Refused(ctx, failure)
	return llmprovider.Answer{}, failure
}

func isEventStream(header http.Header) bool {
	mediaType, _, err := mime.ParseMediaType(header.Get("Content-Type"))
	return err == nil && mediaType == "text/event-stream"
}

// whole returns the message of a stream that has its end marker and a text to
// save. What the call is known to have cost goes with its failure.
func (p *Provider) whole(ctx context.Context, stream *eventStream, sendErr error, requestID string) (*message, *llmprovider.Error) {
	m, streamErr := p.read(ctx, stream, requestID)
	var failure *llmprovider.Error
	if m.ended {
		failure = p.judge.Ended(ctx, string(m.stopReason), m.text.String(), requestID)
	} else {
		failure = p.unfinished(ctx, m, sendErr, streamErr, requestID)
	}
	if failure != nil {
		failure.Spend = m.spend
	}
	return m, failure
}

// unfinished is the outcome of a stream without its end marker. An error event is
// the provider's own word for what happened; without one, the connection's error
// says most.
func (p *Provider) unfinished(ctx context.Context, m *message, sendErr, streamErr error, requestID string) *llmprovider.Error {
	if event, ok := errors.AsType[*anthropic.Error](streamErr); ok {
		return p.judge.InStream(p.typedFailure(ctx, []byte(event.RawJSON()), requestID), m.begun)
	}
	if sendErr != nil {
		return llmprovider.AsError(sendErr)
	}
	if errors.Is(streamErr, errInvalidEvent) {
		return p.judge.Unreadable(errInvalidEvent.Error())
	}
	if streamErr != nil {
		// The SDK's error may quote the event.
		return p.judge.Unreadable("an event that the SDK cannot read")
	}
	return p.judge.Unreadable("the stream ended without message_stop")
}
