package fakeanthropic

import (
	"fmt"
	"strings"

	"github.com/replyonce/replyonce/shared/llmprovider"
	"github.com/replyonce/replyonce/shared/providertest/fakeprovider"
)

// messagesRequest is the body of POST /v1/messages, as far as texts need it.
type messagesRequest struct {
	Model         string      `json:"model"`
	MaxTokens     int         `json:"max_tokens"`
	System        []textBlock `json:"system"`
	Messages      []message   `json:"messages"`
	Stream        bool        `json:"stream"`
	Temperature   *float64    `json:"temperature"`
	StopSequences []string    `json:"stop_sequences"`
}

type message struct {
	Role    string      `json:"role"`
	Content []textBlock `json:"content"`
}

type textBlock struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

// problem names the first thing that the API would refuse, or nothing.
func (r messagesRequest) problem() string {
	switch {
	case r.Model == "":
		return "model: Field required"
	case r.MaxTokens < 1:
		return "max_tokens: must be greater than or equal to 1"
	case len(r.Messages) == 0:
		return "messages: at least one message is required"
	case r.Messages[0].Role != "user":
		return "messages: first message must use the user role"
	case r.Messages[len(r.Messages)-1].Role != "user":
		return "messages: the conversation must end with a user message"
	}
	if problem := blocksProblem(r.System); r.System != nil && problem != "" {
		return "system: " + problem
	}
	for i, message := range r.Messages {
		if problem := message.problem(); problem != "" {
			return fmt.Sprintf("messages.%d: %s", i, problem)
		}
	}
	return ""
}

func (m message) problem() string {
	if m.Role != "user" && m.Role != "assistant" {
		return fmt.Sprintf("role: %q", m.Role)
	}
	return blocksProblem(m.Content)
}

func blocksProblem(blocks []textBlock) string {
	if len(blocks) == 0 {
		return "all messages must have non-empty content"
	}
	for i, block := range blocks {
		switch {
		case block.Type != "text":
			return fmt.Sprintf("content.%d: type %q", i, block.Type)
		case strings.TrimSpace(block.Text) == "":
			return fmt.Sprintf("content.%d: text content blocks must contain non-whitespace text", i)
		}
	}
	return ""
}

func (r messagesRequest) asked() fakeprovider.Asked {
	asked := fakeprovider.Asked{Model: r.Model, Stream: r.Stream, System: textOf(r.System)}
	for _, message := range r.Messages {
		asked.Turns = append(asked.Turns, llmprovider.ChatTurn{Role: llmprovider.ChatRole(message.Role), Text: textOf(message.Content)})
	}
	return asked
}

func textOf(blocks []textBlock) string {
	return fakeprovider.TextsOf(blocks, func(b textBlock) string { return b.Text })
}
