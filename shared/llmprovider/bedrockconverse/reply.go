package bedrockconverse

import (
	"bytes"
	"context"
	"fmt"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/protocol/eventstream"
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime"
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime/types"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/replyonce/replyonce/shared/llmprovider"
	"github.com/replyonce/replyonce/shared/llmprovider/sdkcall"
)

// reply is what an answer has said so far, by either operation.
type reply struct {
	text       strings.Builder
	stopReason types.StopReason
	spend      llmprovider.Spend
	// begun: the model has started to write, so that nothing after it can be "not
	// executed".
	begun bool
	// ended: the document is whole, or the stream's end marker has come.
	ended bool
	// unknown are fields and values that this adapter does not know.
	unknown [][2]string
}

// sdkOption changes the SDK's options for one call.
type sdkOption = func(*bedrockruntime.Options)

// converse asks for a whole answer. The error is the SDK's.
func (p *Provider) converse(ctx context.Context, input *bedrockruntime.ConverseInput, option sdkOption) (*reply, error) {
	r := new(reply)
	output, err := p.client.Converse(ctx, input, option)
	if err != nil {
		return r, fmt.Errorf("converse: %w", err)
	}
	if message, ok := output.Output.(*types.ConverseOutputMemberMessage); ok {
		for _, block := range message.Value.Content {
			r.addBlock(block)
		}
	}
	r.stopReason = output.StopReason
	r.count(output.Usage)
	r.ended = true
	return r, nil
}

func (r *reply) addBlock(block types.ContentBlock) {
	r.begun = true
	switch block := block.(type) {
	case *types.ContentBlockMemberText:
		r.text.WriteString(block.Value)
	case *types.ContentBlockMemberReasoningContent:
	default:
		r.unknown = append(r.unknown, [2]string{"content_block", typeName(block)})
	}
}

// converseStream asks for a stream and reads it to its end. The error is the
// SDK's, for the request or in the stream. There is none for a stream that breaks
// off, even in the middle of an event: the SDK takes that for an end.
func (p *Provider) converseStream(ctx context.Context, input *bedrockruntime.ConverseInput, option sdkOption) (*reply, error) {
	r := new(reply)
	output, err := p.client.ConverseStream(ctx, &bedrockruntime.ConverseStreamInput{
		ModelId: input.ModelId, System: input.System, Messages: input.Messages, InferenceConfig: input.InferenceConfig,
	}, option)
	if err != nil {
		return r, fmt.Errorf("converse stream: %w", err)
	}
	stream := output.GetStream()
	for event := range stream.Events() {
		r.take(event)
	}
	if err := stream.Close(); err != nil {
		return r, fmt.Errorf("read event: %w", err)
	}
	return r, nil
}

func (r *reply) take(event types.ConverseStreamOutput) {
	switch event := event.(type) {
	case *types.ConverseStreamOutputMemberMessageStart, *types.ConverseStreamOutputMemberContentBlockStop:
	case *types.ConverseStreamOutputMemberContentBlockStart:
		r.begun = true
	case *types.ConverseStreamOutputMemberContentBlockDelta:
		r.addDelta(event.Value.Delta)
	case *types.ConverseStreamOutputMemberMessageStop:
		r.stopReason = event.Value.StopReason
		r.ended = true
	case *types.ConverseStreamOutputMemberMetadata:
		r.count(event.Value.Usage)
	case *types.UnknownUnionMember:
		r.unknown = append(r.unknown, [2]string{"event", event.Tag})
	}
}

func (r *reply) addDelta(delta types.ContentBlockDelta) {
	r.begun = true
	switch delta := delta.(type) {
	case *types.ContentBlockDeltaMemberText:
		r.text.WriteString(delta.Value)
	case *types.ContentBlockDeltaMemberReasoningContent, *types.ContentBlockDeltaMemberCitation:
	default:
		r.unknown = append(r.unknown, [2]string{"content_delta", typeName(delta)})
	}
}

// typeName is the SDK's name of a union's member, without its package. For a
// member that it does not know it has nil.
func typeName(member any) string {
	if member == nil {
		return "unknown_member"
	}
	_, name, _ := strings.Cut(fmt.Sprintf("%T", member), ".")
	return name
}

// count takes the usage. Input that was read from or written to a cache is counted
// apart from the rest.
func (r *reply) count(usage *types.TokenUsage) {
	if usage == nil {
		return
	}
	input := 0
	for _, part := range []*int32{usage.InputTokens, usage.CacheReadInputTokens, usage.CacheWriteInputTokens} {
		input += sdkcall.Tokens(int64(aws.ToInt32(part)))
	}
	r.spend = llmprovider.Spend{InputTokens: input, OutputTokens: sdkcall.Tokens(int64(aws.ToInt32(usage.OutputTokens)))}
}

// validJSON reports whether the document, or each event's payload, is one JSON
// value with unique names and valid UTF-8. The SDK is more lenient and would make
// something of an answer that says two things at once.
func validJSON(body []byte, streaming bool) bool {
	if !streaming {
		return jsontext.Value(body).IsValid()
	}
	decoder, frames := eventstream.NewDecoder(), bytes.NewReader(body)
	for {
		message, err := decoder.Decode(frames, nil)
		if err != nil {
			return true // where the events end is not decided here
		}
		if len(message.Payload) > 0 && !jsontext.Value(message.Payload).IsValid() {
			return false
		}
	}
}
