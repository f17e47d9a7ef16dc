package openaichat

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/openai/openai-go/v3/packages/ssestream"

	"github.com/replyonce/replyonce/shared/llmprovider"
	"github.com/replyonce/replyonce/shared/llmprovider/internal/openaiapi"
)

// endMarker is the data of the last event of a whole stream.
const endMarker = "[DONE]"

// chunk is the data of the other events.
type chunk struct {
	Model   string         `json:"model"`
	Choices []chunkChoice  `json:"choices"`
	Usage   *usage         `json:"usage"`
	Error   jsontext.Value `json:"error"`
}

type chunkChoice struct {
	Index        int       `json:"index"`
	Delta        *fragment `json:"delta"`
	FinishReason *string   `json:"finish_reason"`
}

// readStream joins the pieces of a streamed answer. Half an answer is never taken
// for a whole one: without its end marker a stream has no known end, whatever else
// it said. What was spent is kept even then.
func (p *Provider) readStream(ctx context.Context, response llmprovider.Response) (outcome, error) {
	var result outcome
	var text, refusal strings.Builder
	decoder := ssestream.NewDecoder(&http.Response{Body: io.NopCloser(bytes.NewReader(response.Body))})
	for decoder.Next() {
		data := bytes.TrimSpace(decoder.Event().Data)
		if string(data) == endMarker {
			result.text, result.refusal = text.String(), refusal.String()
			return result, nil
		}
		var part chunk
		if err := json.Unmarshal(data, &part); err != nil {
			return result, openaiapi.NotJSON("an event of the stream", err)
		}
		if isError(part.Error) {
			return result, p.failure(ctx, part.Error, openaiapi.End{
				Generated: text.Len() > 0, RequestID: response.Header.Get(openaiapi.HeaderRequestID),
			})
		}
		result.add(part, &text, &refusal)
	}
	if err := decoder.Err(); err != nil {
		return result, unreadable(fmt.Sprintf("read stream: %v", err))
	}
	return result, unreadable("stream ended without its last event")
}

// add takes a chunk in. The text is built apart: a long one has many pieces.
func (o *outcome) add(part chunk, text, refusal *strings.Builder) {
	if part.Model != "" {
		o.model = part.Model
	}
	if part.Usage != nil {
		o.spend = part.Usage.spend()
	}
	for _, c := range part.Choices {
		if c.Index != 0 {
			continue
		}
		o.take(nil, c.FinishReason)
		if c.Delta != nil {
			text.WriteString(deref(c.Delta.Content))
			refusal.WriteString(deref(c.Delta.Refusal))
		}
	}
}
