package openaichat

import (
	"context"
	"net/http"

	"github.com/replyonce/replyonce/shared/llmprovider"
	"github.com/replyonce/replyonce/shared/llmprovider/internal/openaiapi"
)

// Decode judges a response as Call does, without a network.
func (p *Provider) Decode(ctx context.Context, response llmprovider.Response) (llmprovider.Answer, error) {
	if response.Status == http.StatusOK {
		return p.answer(ctx, response)
	}
	return llmprovider.Answer{}, openaiapi.Refusal(ctx, response, p.options.Now(), p.oddities)
}
