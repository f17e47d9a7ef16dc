package anthropicmessages

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/packages/ssestream"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/replyonce/replyonce/shared/llmprovider"
	"github.com/replyonce/replyonce/shared/llmprovider/sdkcall"
)

type eventStream = ssestream.Stream[anthropic.MessageStreamEventUnion]

// message is what a stream has said so far.
type message struct {
	model      string
	text       strings.Builder
	stopReason anthropic.StopReason
	spend      llmprovider.Spend
	// begun: the model has started to write, so that nothing after it can be "not
	// executed".
	begun bool
	// ended: the end marker has come. Nothing after it matters.
	ended bool
}

// errInvalidEvent: the SDK reads JSON leniently, and would make something of an
// event that says two things at once.
var errInvalidEvent = errors.New("an event is not one JSON value with unique names and valid UTF-8")

// read takes the stream's events up to the end marker. The error is the SDK's, or
// errInvalidEvent; nil without the end marker means that the body just ended.
func (p *Provider) read(ctx context.Context, stream *eventStream, requestID string) (*message, error) {
	m := new(message)
	for !m.ended && stream.Next() {
		event := stream.Current()
		if !jsontext.Value(event.RawJSON()).IsValid() {
			return m, errInvalidEvent
		}
		if field, value := m.take(event); field != "" {
			p.judge.Oddities.Unknown(ctx, field, value, requestID)
		}
	}
	if err := stream.Err(); err != nil {
		return m, fmt.Errorf("read event: %w", err)
	}
	return m, nil
}

// take adds an event. It returns the field and value that it does not know, if
// any: the API may add events, blocks and deltas, and asks its clients to go on.
func (m *message) take(event anthropic.MessageStreamEventUnion) (unknownField, unknownValue string) {
	switch event.Type {
	case "message_start":
		m.model = event.Message.Model
		usage := event.Message.Usage
		m.count(usage.OutputTokens, usage.InputTokens, usage.CacheCreationInputTokens, usage.CacheReadInputTokens)
	case "content_block_start":
		return m.startBlock(event.ContentBlock)
	case "content_block_delta":
		return m.addDelta(event.Delta)
	case "message_delta":
		m.stopReason = event.Delta.StopReason
		usage := event.Usage
		m.count(usage.OutputTokens, usage.InputTokens, usage.CacheCreationInputTokens, usage.CacheReadInputTokens)
	case "message_stop":
		m.ended = true
	case "content_block_stop":
	default:
		return "event", event.Type
	}
	return "", ""
}

func (m *message) startBlock(block anthropic.ContentBlockStartEventContentBlockUnion) (unknownField, unknownValue string) {
	m.begun = true
	switch block.Type {
	case "text":
		m.text.WriteString(block.Text)
	case "thinking", "redacted_thinking":
	default:
		return "content_block", block.Type
	}
	return "", ""
}

func (m *message) addDelta(delta anthropic.MessageStreamEventUnionDelta) (unknownField, unknownValue string) {
	m.begun = true
	switch delta.Type {
	case "text_delta":
		m.text.WriteString(delta.Text)
	case "thinking_delta", "signature_delta", "citations_delta", "input_json_delta":
	default:
		return "content_delta", delta.Type
	}
	return "", ""
}

// count takes the usage of an event. The numbers are running totals, and the
// later events may leave some out.
func (m *message) count(output int64, inputs ...int64) {
	input := 0
	for _, part := range inputs {
		input += sdkcall.Tokens(part)
	}
	m.spend.InputTokens = max(m.spend.InputTokens, input)
	m.spend.OutputTokens = max(m.spend.OutputTokens, sdkcall.Tokens(output))
}
