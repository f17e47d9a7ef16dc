package replywork

import (
	"github.com/replyonce/replyonce/shared/conversation"
	"github.com/replyonce/replyonce/shared/document"
	"github.com/replyonce/replyonce/shared/llmprovider"
	"github.com/replyonce/replyonce/shared/llmprovider/builtin"
)

// BuildPrompt makes a prompt of one earlier turn with the built-in passages.
func BuildPrompt(version, limit int, m conversation.Message, v document.Version, earlier llmprovider.Turn) (llmprovider.Prompt, error) {
	return rule{limit, builtin.Ranking{}}.build(version, m, material{version: v}, []llmprovider.Turn{earlier})
}
