package fakeanthropic

import (
	"fmt"
	"net/http"

	"github.com/replyonce/replyonce/shared/providertest/fakeprovider"
	"github.com/replyonce/replyonce/shared/providertest/fakewire"
)

// The frames of a stream, in order: FrameStart, FrameBlock, FramePing, then the
// pieces of the text, then three frames of which the last is the end marker.
const (
	FrameStart = iota // message_start
	FrameBlock        // content_block_start
	FramePing
	FrameText // the first content_block_delta
)

// pieces are what deltas carry: 24 bytes each, and more of a text that is long.
func pieces(text string) []string {
	return fakewire.Pieces(text, min((len(text)+23)/24, 500))
}

type object = map[string]any

// Error renders an error status.
func (d Dialect) Error(f fakeprovider.Failure, requestID string) (http.Header, []byte) {
	return http.Header{"Content-Type": {"application/json"}}, fakewire.Encode(errorObject(f, requestID))
}

// StreamError renders an error event.
func (d Dialect) StreamError(f fakeprovider.Failure, requestID string) []byte {
	return event("error", errorObject(f, requestID))
}

func errorObject(f fakeprovider.Failure, requestID string) object {
	detail := object{"type": f.Type, "message": f.Message}
	if f.Code != "" {
		detail["details"] = object{"error_code": f.Code}
	}
	return object{"type": "error", "error": detail, "request_id": requestID}
}

// Whole renders a message.
func (d Dialect) Whole(a fakeprovider.Answer) (string, []byte) {
	content := []object{}
	if !a.NoContent {
		content = append(content, object{"type": "text", "text": a.Text})
	}
	message := messageObject(a)
	message["content"] = content
	message["stop_reason"] = stopReason(a)
	message["usage"] = usage(a.InputTokens, a.OutputTokens)
	return "application/json", fakewire.Encode(message)
}

// Stream renders a message as server-sent events.
func (d Dialect) Stream(a fakeprovider.Answer) (string, [][]byte) {
	start := messageObject(a)
	start["content"], start["stop_reason"] = []object{}, nil
	start["usage"] = usage(a.InputTokens, min(1, a.OutputTokens))
	frames := [][]byte{event("message_start", object{"type": "message_start", "message": start})}
	if !a.NoContent {
		frames = append(frames, textFrames(a.Text)...)
	}
	frames = append(frames,
		event("message_delta", object{
			"type":  "message_delta",
			"delta": object{"stop_reason": stopReason(a), "stop_sequence": nil},
			"usage": object{"output_tokens": a.OutputTokens},
		}),
		event("message_stop", object{"type": "message_stop"}))
	return "text/event-stream; charset=utf-8", frames
}

func textFrames(text string) [][]byte {
	frames := [][]byte{
		event("content_block_start", object{
			"type": "content_block_start", "index": 0, "content_block": object{"type": "text", "text": ""},
		}),
		event("ping", object{"type": "ping"}),
	}
	for _, piece := range pieces(text) {
		frames = append(frames, event("content_block_delta", object{
			"type": "content_block_delta", "index": 0,
			"delta": object{"type": "text_delta", "text": piece},
		}))
	}
	return append(frames, event("content_block_stop", object{"type": "content_block_stop", "index": 0}))
}

func messageObject(a fakeprovider.Answer) object {
	return object{"id": a.ID, "type": "message", "role": "assistant", "model": a.Model, "stop_sequence": nil}
}

func usage(input, output int) object {
	return object{
		"input_tokens": input, "output_tokens": output,
		"cache_creation_input_tokens": 0, "cache_read_input_tokens": 0, "service_tier": "standard",
	}
}

// stopReason is null where a script says "null".
func stopReason(a fakeprovider.Answer) any {
	switch a.StopReason {
	case "":
		return "end_turn"
	case "null":
		return nil
	}
	return a.StopReason
}

func event(name string, data object) []byte {
	return fmt.Appendf(nil, "event: %s\ndata: %s\n\n", name, fakewire.Encode(data))
}
