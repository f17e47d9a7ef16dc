package openaichat

import (
	"context"
	"fmt"
	"net/http"

	"github.com/go-json-experiment/json"

	"github.com/replyonce/replyonce/shared/llmprovider"
)

// requestBody is the body of POST /chat/completions. Its members are written in
// this order, so equal requests are equal bytes.
type requestBody struct {
	Model               string         `json:"model"`
	Messages            []message      `json:"messages"`
	MaxTokens           int            `json:"max_tokens,omitzero"`
	MaxCompletionTokens int            `json:"max_completion_tokens,omitzero"`
	Stream              bool           `json:"stream,omitzero"`
	StreamOptions       *streamOptions `json:"stream_options,omitzero"`
}

type message struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

// streamOptions asks for the count of tokens, which streams leave out otherwise.
type streamOptions struct {
	IncludeUsage bool `json:"include_usage"`
}

// roleSystem is understood everywhere; OpenAI's newer models take it for their
// "developer".
const roleSystem = "system"

// request prepares the one request of a call. Its errors say that nothing was sent.
func (p *Provider) request(ctx context.Context, r llmprovider.Request) (*http.Request, error) {
	chat := r.Prompt.Chat()
	if err := chat.CheckSize(p.options.MaxInputTokens); err != nil {
		return nil, err
	}
	body, err := p.body(chat, r)
	if err != nil {
		return nil, unusable(err)
	}
	request, err := llmprovider.NewPost(ctx, p.url, body)
	if err != nil {
		return nil, unusable(err)
	}
	if p.options.Stream {
		request.Header.Set("Accept", "text/event-stream")
	}
	if p.options.Key != nil {
		key, err := p.options.Key.Read(ctx)
		if err != nil {
			return nil, err
		}
		request.Header.Set("Authorization", "Bearer "+key)
	}
	return request, nil
}

func (p *Provider) body(chat llmprovider.Chat, r llmprovider.Request) ([]byte, error) {
	body := requestBody{Model: p.model(r), Messages: messages(chat)}
	limit := r.MaxOutputTokens
	if limit == 0 {
		limit = p.options.MaxOutputTokens
	}
	if p.options.LimitMember == MaxCompletionTokens {
		body.MaxCompletionTokens = limit
	} else {
		body.MaxTokens = limit
	}
	if p.options.Stream {
		body.Stream, body.StreamOptions = true, &streamOptions{IncludeUsage: true}
	}
	encoded, err := json.Marshal(body, json.Deterministic(true))
	if err != nil {
		return nil, fmt.Errorf("encode chat request: %w", err)
	}
	return encoded, nil
}

func messages(chat llmprovider.Chat) []message {
	list := make([]message, 0, len(chat.Turns)+1)
	list = append(list, message{roleSystem, chat.System})
	for _, turn := range chat.Turns {
		list = append(list, message{string(turn.Role), turn.Text})
	}
	return list
}

// unusable: nothing was sent, and trying again would fail in the same way. A model
// name that is not UTF-8 gets here.
func unusable(err error) error {
	return llmprovider.ClassMisconfigured.Error(err)
}
