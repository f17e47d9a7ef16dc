package openairesponses

import (
	"github.com/openai/openai-go/v3/packages/param"
	"github.com/openai/openai-go/v3/responses"

	"github.com/replyonce/replyonce/shared/llmprovider"
)

// params are the members of a create. The SDK writes them in a fixed order, so equal
// requests are equal bytes.
func (p *Provider) params(chat llmprovider.Chat, r llmprovider.Request) responses.ResponseNewParams {
	background := !p.options.Foreground
	params := responses.ResponseNewParams{
		Model:        p.model(r),
		Instructions: param.NewOpt(chat.System),
		Input:        responses.ResponseNewParamsInputUnion{OfInputItemList: input(chat)},
		Store:        param.NewOpt(background),
	}
	if background {
		params.Background = param.NewOpt(true)
	}
	limit := r.MaxOutputTokens
	if limit == 0 {
		limit = p.options.MaxOutputTokens
	}
	if limit > 0 {
		params.MaxOutputTokens = param.NewOpt(int64(limit))
	}
	return params
}

func input(chat llmprovider.Chat) responses.ResponseInputParam {
	items := make(responses.ResponseInputParam, 0, len(chat.Turns))
	for _, turn := range chat.Turns {
		items = append(items, responses.ResponseInputItemParamOfMessage(turn.Text, responses.EasyInputMessageRole(turn.Role)))
	}
	return items
}

func (p *Provider) model(r llmprovider.Request) string {
	if r.Model != "" {
		return r.Model
	}
	return p.options.Model
}
