package fakebedrock

import (
	"fmt"
	"strings"

	"github.com/replyonce/replyonce/shared/llmprovider"
	"github.com/replyonce/replyonce/shared/providertest/fakeprovider"
)

// converseRequest is the body of Converse and ConverseStream, as far as texts
// need it.
type converseRequest struct {
	Messages        []message        `json:"messages"`
	System          []textBlock      `json:"system"`
	InferenceConfig *inferenceConfig `json:"inferenceConfig"`
}

type inferenceConfig struct {
	MaxTokens     *int     `json:"maxTokens"`
	Temperature   *float64 `json:"temperature"`
	TopP          *float64 `json:"topP"`
	StopSequences []string `json:"stopSequences"`
}

type message struct {
	Role    string      `json:"role"`
	Content []textBlock `json:"content"`
}

type textBlock struct {
	Text string `json:"text"`
}

// problem names the first thing that the API would refuse, or nothing.
func (r converseRequest) problem() string {
	if len(r.Messages) == 0 {
		return "a conversation must start with a user message"
	}
	for i, message := range r.Messages {
		want := "user"
		if i%2 == 1 {
			want = "assistant"
		}
		if message.Role != want {
			return fmt.Sprintf("message %d: a conversation must alternate between user and assistant roles", i)
		}
		if problem := blocksProblem(message.Content); problem != "" {
			return fmt.Sprintf("message %d: %s", i, problem)
		}
	}
	if len(r.Messages)%2 == 0 {
		return "a conversation must end with a user message"
	}
	if problem := blocksProblem(r.System); r.System != nil && problem != "" {
		return "system: " + problem
	}
	if r.InferenceConfig != nil && r.InferenceConfig.MaxTokens != nil && *r.InferenceConfig.MaxTokens < 1 {
		return "inferenceConfig.maxTokens: must be at least 1"
	}
	return ""
}

func blocksProblem(blocks []textBlock) string {
	if len(blocks) == 0 {
		return "the content field is empty"
	}
	for _, block := range blocks {
		if strings.TrimSpace(block.Text) == "" {
			return "the text field in the ContentBlock object is blank"
		}
	}
	return ""
}

func (r converseRequest) asked(model string, stream bool) fakeprovider.Asked {
	asked := fakeprovider.Asked{Model: model, Stream: stream, System: textOf(r.System)}
	for _, message := range r.Messages {
		asked.Turns = append(asked.Turns, llmprovider.ChatTurn{Role: llmprovider.ChatRole(message.Role), Text: textOf(message.Content)})
	}
	return asked
}

func textOf(blocks []textBlock) string {
	return fakeprovider.TextsOf(blocks, func(b textBlock) string { return b.Text })
}
