package anthropicmessages

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"strconv"

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
		failure = p.statusFailure(ctx, response, requestID)
	case !isEventStream(response.Header):
		failure = unreadable("the answer is no event stream")
	default:
		var m *message
		if m, failure = p.whole(ctx, stream, sendErr, requestID); failure == nil {
			return answer(m, model, requestID), nil
		}
	}
	failure.ProviderRequestID = requestID
	failure.RetryAfter = llmprovider.RetryAfter(response.Header, p.now())
	p.oddities.Refused(ctx, failure)
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
		failure = p.judge(ctx, m, requestID)
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
		failure := p.typedFailure(ctx, []byte(event.RawJSON()), requestID)
		if failure == nil {
			failure = unreadable("an error event of an unknown shape or type")
		}
		if m.begun && failure.Kind == llmprovider.Rejected {
			failure.Kind = llmprovider.Ambiguous // refused is what it was not: the model has written
		}
		return failure
	}
	if sendErr != nil {
		return llmprovider.AsError(sendErr)
	}
	if errors.Is(streamErr, errInvalidEvent) {
		return unreadable(errInvalidEvent.Error())
	}
	if streamErr != nil {
		// The SDK's error may quote the event.
		return unreadable("an event that the SDK cannot read")
	}
	return unreadable("the stream ended without message_stop")
}

func unreadable(what string) *llmprovider.Error {
	return &llmprovider.Error{Kind: llmprovider.Ambiguous, Err: errors.New("anthropic: " + what)}
}

// answer says who wrote it: the model that the stream names, or else the one that
// was asked.
func answer(m *message, asked anthropic.Model, requestID string) llmprovider.Answer {
	return llmprovider.Answer{
		Text:              m.text.String(),
		CutShort:          stopReasons[m.stopReason] != complete,
		Provider:          Name,
		Model:             cmp.Or(m.model, asked),
		ProviderRequestID: requestID,
		LanguageModel:     true,
		InputTokens:       m.spend.InputTokens,
		OutputTokens:      m.spend.OutputTokens,
	}
}

// statusFailure is the outcome of an error status: the parsed type decides, and
// the status where there is no type that is documented.
func (p *Provider) statusFailure(ctx context.Context, response llmprovider.Response, requestID string) *llmprovider.Error {
	byStatus := llmprovider.StatusError(response, p.now())
	failure := p.typedFailure(ctx, response.Body, requestID)
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
