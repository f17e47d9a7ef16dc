package openairesponses

import (
	"context"
	"net/http"

	"github.com/replyonce/replyonce/shared/llmprovider"
	"github.com/replyonce/replyonce/shared/llmprovider/internal/openaiapi"
)

// Decode judges a response in the foreground as Call does, without a network.
func (p *Provider) Decode(ctx context.Context, response llmprovider.Response) (llmprovider.Answer, error) {
	if response.Status == http.StatusOK {
		return p.follow(ctx, llmprovider.Request{}, response)
	}
	return llmprovider.Answer{}, openaiapi.Refusal(ctx, response, p.options.Now(), p.oddities)
}

// Read judges a look-up, without a network.
func (p *Provider) Read(ctx context.Context, response llmprovider.Response) (llmprovider.Answer, *llmprovider.Error) {
	return p.read(ctx, "resp_1", response)
}
