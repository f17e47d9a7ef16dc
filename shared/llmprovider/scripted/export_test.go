package scripted

import (
	"net/http"

	"github.com/replyonce/replyonce/shared/llmprovider"
)

// Decode judges a response as Call does, without a network.
func (p *Provider) Decode(response llmprovider.Response) (llmprovider.Answer, error) {
	if response.Status == http.StatusOK {
		return p.answer(response)
	}
	return llmprovider.Answer{}, errorFromResponse(response, p.now())
}
