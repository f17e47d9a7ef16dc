package scripted

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"

	"github.com/go-json-experiment/json"

	"github.com/replyonce/replyonce/shared/llmprovider"
	"github.com/replyonce/replyonce/shared/pausing"
)

// awaitOperation follows an operation that the server has taken on. Its id is
// saved first: if this process dies later, the next one reads the operation
// instead of paying for another.
func (p *Provider) awaitOperation(ctx context.Context, r llmprovider.Request, accepted llmprovider.Response) (llmprovider.Answer, error) {
	var operation Operation
	if err := json.Unmarshal(accepted.Body, &operation); err != nil || operation.ID == "" {
		return llmprovider.Answer{}, p.annotate(unreadable("accepted without an operation id"), accepted)
	}
	if !p.capability.Lookup {
		return llmprovider.Answer{}, p.annotate(unreadable("operation id without a documented look-up"), accepted)
	}
	if r.SaveOperation != nil {
		if err := r.SaveOperation(ctx, operation.ID); err != nil {
			return llmprovider.Answer{}, p.annotate(&llmprovider.Error{
				Kind: llmprovider.Ambiguous,
				Err:  fmt.Errorf("save operation id %s: %w", operation.ID, err),
			}, accepted)
		}
	}
	answer, err := p.pollOperation(ctx, operation.ID)
	if err != nil {
		return llmprovider.Answer{}, p.annotate(err, accepted)
	}
	answer.ProviderRequestID = accepted.Header.Get(HeaderRequestID)
	return answer, nil
}

// pollOperation looks the operation up until it ends or ctx does. Reading is
// free of effects, so a failed look-up is simply made again.
func (p *Provider) pollOperation(ctx context.Context, id string) (llmprovider.Answer, error) {
	wait := p.pollInterval
	for {
		if err := pausing.For(ctx, wait); err != nil {
			return llmprovider.Answer{}, &llmprovider.Error{
				Kind: llmprovider.Ambiguous,
				Err:  fmt.Errorf("wait for operation %s: %w", id, err),
			}
		}
		answer, err := p.Lookup(ctx, id)
		if err == nil {
			return answer, nil
		}
		failure := llmprovider.AsError(err)
		switch failure.Kind { //nolint:exhaustive // every other end is the caller's
		case llmprovider.StillRunning:
			wait = max(p.pollInterval, failure.RetryAfter)
		case llmprovider.NotFound:
			// It was accepted a moment ago, so "unknown" does not mean "never ran".
			failure.Kind = llmprovider.Ambiguous
			return llmprovider.Answer{}, failure
		default:
			return llmprovider.Answer{}, failure
		}
	}
}

// Lookup reads an operation once.
func (p *Provider) Lookup(ctx context.Context, operationID string) (llmprovider.Answer, error) {
	if !p.capability.Lookup {
		return llmprovider.Answer{}, llmprovider.ErrLookupUnsupported
	}
	address := p.baseURL + PathOperations + url.PathEscape(operationID)
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return llmprovider.Answer{}, lookupFailed(operationID, err)
	}
	response, err := llmprovider.Send(p.client, request, p.bodyLimit())
	if err != nil {
		return llmprovider.Answer{}, lookupTransportError(operationID, err)
	}
	if response.Status != http.StatusOK {
		return llmprovider.Answer{}, p.lookupStatusError(operationID, response)
	}
	return p.operationEnd(operationID, response)
}

func (p *Provider) operationEnd(operationID string, response llmprovider.Response) (llmprovider.Answer, error) {
	var operation Operation
	if err := json.Unmarshal(response.Body, &operation); err != nil {
		return llmprovider.Answer{}, lookupFailed(operationID, err)
	}
	switch {
	case operation.Status == OperationCompleted && operation.Answer != nil:
		return p.answerFromDocument(*operation.Answer, response)
	case operation.Status == OperationFailed && operation.Error != nil:
		return llmprovider.Answer{}, p.annotate(errorFromDetail(*operation.Error), response)
	case operation.Status == OperationRunning:
		return llmprovider.Answer{}, p.annotate(lookupFailed(operationID, errors.New("not ended")), response)
	default:
		return llmprovider.Answer{}, p.annotate(unreadable("operation in an unknown state"), response)
	}
}

// lookupTransportError keeps "too large" apart: the operation has ended and
// reading it again gives the same.
func lookupTransportError(operationID string, err error) error {
	if failure := llmprovider.AsError(err); failure.Kind == llmprovider.TooLarge {
		return failure
	}
	return lookupFailed(operationID, err)
}

// lookupStatusError takes only the protocol's own "not found" for definite: a
// 404 without it may come from anything between us and the server.
func (p *Provider) lookupStatusError(operationID string, response llmprovider.Response) error {
	failure := errorFromResponse(response, p.now())
	detail, typed := typedError(response.Body)
	failure.Reason = ""
	failure.Kind = llmprovider.StillRunning
	if typed && detail.Type == TypeNotFound {
		failure.Kind = llmprovider.NotFound
	}
	failure.Err = fmt.Errorf("look up operation %s: %w", operationID, failure.Err)
	return failure
}

func lookupFailed(operationID string, err error) *llmprovider.Error {
	return &llmprovider.Error{
		Kind: llmprovider.StillRunning,
		Err:  fmt.Errorf("look up operation %s: %w", operationID, err),
	}
}
