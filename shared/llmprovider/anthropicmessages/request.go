package anthropicmessages

import (
	"cmp"

	"github.com/anthropics/anthropic-sdk-go"

	"github.com/replyonce/replyonce/shared/llmprovider"
)

// parameters is the body of a request: the instruction as the system prompt, the
// fenced document with the first question, the earlier turns, the question. It
// depends on the request and on this provider's configuration alone.
func (p *Provider) parameters(r llmprovider.Request) (anthropic.MessageNewParams, error) {
	chat := r.Prompt.Chat()
	if err := chat.CheckSize(p.maxInput); err != nil {
		return anthropic.MessageNewParams{}, err
	}
	messages := make([]anthropic.MessageParam, 0, len(chat.Turns))
	for _, turn := range chat.Turns {
		text := anthropic.NewTextBlock(turn.Text)
		switch turn.Role {
		case llmprovider.RoleUser:
			messages = append(messages, anthropic.NewUserMessage(text))
		case llmprovider.RoleAssistant:
			messages = append(messages, anthropic.NewAssistantMessage(text))
		}
	}
	return anthropic.MessageNewParams{
		Model:     cmp.Or(r.Model, p.model),
		MaxTokens: int64(cmp.Or(r.MaxOutputTokens, p.maxOutput)),
		System:    []anthropic.TextBlockParam{{Text: chat.System}},
		Messages:  messages,
	}, nil
}
