package openairesponses

import (
	"context"
	"errors"

	"github.com/openai/openai-go/v3/option"

	"github.com/replyonce/replyonce/shared/llmprovider"
	"github.com/replyonce/replyonce/shared/llmprovider/internal/openaiapi"
	"github.com/replyonce/replyonce/shared/llmprovider/sdkcall"
)

// ask lets the SDK make one request and returns what came back, as bytes: the SDK
// turns a context that ended into a bare error, even when the whole answer is there,
// and reads answers leniently. The error, an *llmprovider.Error, means that there is
// no response; any status is one.
func (p *Provider) ask(ctx context.Context, call func(...option.RequestOption) error) (llmprovider.Response, error) {
	key, err := p.options.Key.Read(ctx)
	if err != nil {
		return llmprovider.Response{}, err
	}
	exchange := sdkcall.NewExchange(p.client, openaiapi.BodyLimit(p.options.MaxReplyBytes, p.options.Stream))
	// Bytes as the destination keep the SDK from decoding the answer as well.
	var raw []byte
	err = call(option.WithHTTPClient(exchange), option.WithAPIKey(key), option.WithMaxRetries(0), option.WithResponseBodyInto(&raw))
	if !exchange.Used() {
		return llmprovider.Response{}, unusable(err)
	}
	response, err := exchange.Result()
	if err != nil {
		failure := llmprovider.AsError(err)
		failure.ProviderRequestID = requestID(response)
		return llmprovider.Response{}, failure
	}
	return response, nil
}

// unusable: nothing was sent, and trying again would fail in the same way.
func unusable(err error) *llmprovider.Error {
	if err == nil {
		err = errors.New("the client library sent nothing")
	}
	return llmprovider.ClassMisconfigured.Error(err)
}
