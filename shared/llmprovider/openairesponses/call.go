package openairesponses

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/openai/openai-go/v3/option"

	"github.com/replyonce/replyonce/shared/llmprovider"
	"github.com/replyonce/replyonce/shared/llmprovider/internal/openaiapi"
)

// Call sends one create. In the background it saves the id and reads the response
// until it ends. r.Key is not sent: the API documents no key.
func (p *Provider) Call(ctx context.Context, r llmprovider.Request) (llmprovider.Answer, error) {
	chat := r.Prompt.Chat()
	if err := chat.CheckSize(p.options.MaxInputTokens); err != nil {
		return llmprovider.Answer{}, err
	}
	created, err := p.create(ctx, chat, r)
	if err != nil {
		return llmprovider.Answer{}, err
	}
	answer, err := p.follow(ctx, r, created)
	if err != nil {
		return llmprovider.Answer{}, p.annotate(ctx, err, created)
	}
	if answer.Model == "" || len(answer.Model) > maxModelBytes {
		answer.Model = p.model(r)
	}
	answer.ProviderRequestID = requestID(created)
	return answer, nil
}

// maxModelBytes is the longest name of a model that is believed and saved.
const maxModelBytes = 256

// create makes the one request that can start a generation.
func (p *Provider) create(ctx context.Context, chat llmprovider.Chat, r llmprovider.Request) (llmprovider.Response, error) {
	params := p.params(chat, r)
	created, err := p.ask(ctx, func(options ...option.RequestOption) error {
		if p.options.Stream {
			options = append(options, option.WithJSONSet("stream", true))
		}
		_, err := p.service.New(ctx, params, options...)
		return err
	})
	if err != nil {
		return llmprovider.Response{}, err
	}
	if created.Status != http.StatusOK {
		return llmprovider.Response{}, openaiapi.Refusal(ctx, created, p.options.Now(), p.oddities)
	}
	return created, nil
}

// follow takes a create that was answered with status 200 to its end.
func (p *Provider) follow(ctx context.Context, r llmprovider.Request, created llmprovider.Response) (llmprovider.Answer, error) {
	if isStream(created) {
		return p.streamed(ctx, created)
	}
	object, err := decode(created.Body, requestID(created))
	switch {
	case err != nil:
		return llmprovider.Answer{}, err
	case p.options.Foreground:
		if object.running() {
			return llmprovider.Answer{}, unreadable(fmt.Sprintf("answer in the foreground with status %q", object.Status))
		}
		return p.judge(ctx, object)
	case !idShape.MatchString(object.ID):
		return llmprovider.Answer{}, unreadable("background response without a usable id")
	}
	return p.await(ctx, r, object)
}

// annotate adds what the headers of the create say to an outcome.
func (p *Provider) annotate(ctx context.Context, err error, created llmprovider.Response) error {
	failure := llmprovider.AsError(err)
	failure.ProviderRequestID = requestID(created)
	failure.RetryAfter = max(failure.RetryAfter, llmprovider.RetryAfter(created.Header, p.options.Now()))
	p.oddities.Refused(ctx, failure)
	return failure
}

// unreadable: the model ran, and what it said cannot be read.
func unreadable(what string) *llmprovider.Error {
	return llmprovider.ClassAmbiguous.Error(errors.New(what))
}

// requestID is the provider's own name for the request.
func requestID(response llmprovider.Response) string {
	return response.Header.Get(openaiapi.HeaderRequestID)
}
