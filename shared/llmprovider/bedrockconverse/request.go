package bedrockconverse

import (
	"cmp"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime"
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime/types"

	"github.com/replyonce/replyonce/shared/llmprovider"
)

var roles = map[llmprovider.ChatRole]types.ConversationRole{
	llmprovider.RoleUser:      types.ConversationRoleUser,
	llmprovider.RoleAssistant: types.ConversationRoleAssistant,
}

// input is the body of a request: the instruction as the system prompt, the
// fenced document with the first question, the earlier turns, the question. It
// depends on the request and on this provider's configuration alone.
func (p *Provider) input(r llmprovider.Request) (*bedrockruntime.ConverseInput, error) {
	chat := r.Prompt.Chat()
	if err := chat.CheckSize(p.maxInput); err != nil {
		return nil, err
	}
	messages := make([]types.Message, 0, len(chat.Turns))
	for _, turn := range chat.Turns {
		messages = append(messages, types.Message{
			Role:    roles[turn.Role],
			Content: []types.ContentBlock{&types.ContentBlockMemberText{Value: turn.Text}},
		})
	}
	limit := min(max(cmp.Or(r.MaxOutputTokens, p.maxOutput), 1), maxTokens)
	return &bedrockruntime.ConverseInput{
		ModelId:         aws.String(cmp.Or(r.Model, p.model)),
		System:          []types.SystemContentBlock{&types.SystemContentBlockMemberText{Value: chat.System}},
		Messages:        messages,
		InferenceConfig: &types.InferenceConfiguration{MaxTokens: aws.Int32(int32(limit))},
	}, nil
}
