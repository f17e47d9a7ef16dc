package openairesponses

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/responses"

	"github.com/replyonce/replyonce/shared/llmprovider"
	"github.com/replyonce/replyonce/shared/llmprovider/internal/openaiapi"
)

// Lookup reads a background response once.
func (p *Provider) Lookup(ctx context.Context, operationID string) (llmprovider.Answer, error) {
	if p.options.Foreground {
		return llmprovider.Answer{}, llmprovider.ErrLookupUnsupported
	}
	response, err := p.ask(ctx, func(options ...option.RequestOption) error {
		_, err := p.service.Get(ctx, operationID, responses.ResponseGetParams{}, options...)
		return err
	})
	if err != nil {
		return llmprovider.Answer{}, lookupFailed(operationID, llmprovider.AsError(err))
	}
	answer, failure := p.read(ctx, operationID, response)
	if failure != nil {
		failure.ProviderRequestID = requestID(response)
		failure.RetryAfter = max(failure.RetryAfter, llmprovider.RetryAfter(response.Header, p.options.Now()))
		return llmprovider.Answer{}, failure
	}
	answer.ProviderRequestID = requestID(response)
	return answer, nil
}

func (p *Provider) read(ctx context.Context, id string, response llmprovider.Response) (llmprovider.Answer, *llmprovider.Error) {
	if response.Status != http.StatusOK {
		return llmprovider.Answer{}, p.unread(ctx, id, response)
	}
	o, err := decode(response.Body, requestID(response))
	switch {
	case err != nil:
		return llmprovider.Answer{}, lookupFailed(id, llmprovider.AsError(err))
	case o.running():
		return llmprovider.Answer{}, lookupFailed(id, &llmprovider.Error{Err: fmt.Errorf("its status is %q", o.Status)})
	}
	answer, err := p.judge(ctx, o)
	if err != nil {
		return llmprovider.Answer{}, llmprovider.AsError(err)
	}
	if answer.Model == "" || len(answer.Model) > maxModelBytes {
		answer.Model = p.options.Model
	}
	return answer, nil
}

// unread is a look-up that was refused. A 404 is definite only with the API's own
// error object: anything between us and the API may answer 404 as well. Whatever else
// was refused is judged as a call would be, for the operator's eyes, and looked at
// again.
func (p *Provider) unread(ctx context.Context, id string, response llmprovider.Response) *llmprovider.Error {
	if response.Status != http.StatusNotFound {
		return lookupFailed(id, openaiapi.Refusal(ctx, response, p.options.Now(), p.oddities))
	}
	failure := lookupFailed(id, &llmprovider.Error{Err: errors.New("it is not found")})
	if _, typed := openaiapi.ParseError(response.Body); typed {
		failure.Kind = llmprovider.NotFound
	}
	return failure
}

// lookupFailed keeps "too large" apart: the response has ended, and reading it again
// gives the same.
func lookupFailed(id string, failure *llmprovider.Error) *llmprovider.Error {
	if failure.Kind == llmprovider.TooLarge {
		return failure
	}
	failure.Kind, failure.Reason = llmprovider.StillRunning, ""
	failure.Err = fmt.Errorf("look up response %s: %w", id, failure.Err)
	return failure
}
