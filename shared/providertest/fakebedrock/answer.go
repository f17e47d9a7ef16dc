package fakebedrock

import (
	"bytes"
	"fmt"
	"net/http"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws/protocol/eventstream"

	"github.com/replyonce/replyonce/shared/providertest/fakeprovider"
	"github.com/replyonce/replyonce/shared/providertest/fakewire"
)

// The frames of a stream, in order: FrameStart, then the pieces of the text, then
// contentBlockStop, messageStop (the end marker) and metadata.
const (
	FrameStart = iota // messageStart
	FrameText         // the first contentBlockDelta
)

// pieces are what deltas carry: 24 bytes each, and more of a text that is long.
func pieces(text string) []string {
	return fakewire.Pieces(text, min((len(text)+23)/24, 500))
}

// MediaTypeStream is the content type of an event stream.
const MediaTypeStream = "application/vnd.amazon.eventstream"

type object = map[string]any

// Error renders an error status. The header's value has a namespace behind it,
// as AWS's services send it.
func (Dialect) Error(f fakeprovider.Failure, _ string) (http.Header, []byte) {
	header := http.Header{"Content-Type": {"application/json"}}
	if f.Type != "" {
		header.Set("X-Amzn-Errortype", f.Type+":http://internal.amazon.com/coral/com.amazon.bedrock/")
	}
	return header, fakewire.Encode(object{"message": f.Message})
}

// StreamError renders an exception, or a message of type error if the failure has
// a code.
func (Dialect) StreamError(f fakeprovider.Failure, _ string) []byte {
	if f.Code != "" {
		return frame(nil, header(eventstreamMessageType, "error"), header(":error-code", f.Code), header(":error-message", f.Message))
	}
	name := f.Type
	if name != "" {
		name = strings.ToLower(name[:1]) + name[1:]
	}
	return frame(fakewire.Encode(object{"message": f.Message}),
		header(":exception-type", name), header(":content-type", "application/json"), header(eventstreamMessageType, "exception"))
}

// Whole renders the answer of Converse.
func (Dialect) Whole(a fakeprovider.Answer) (string, []byte) {
	content := []object{}
	if !a.NoContent {
		content = append(content, object{"text": a.Text})
	}
	document := object{
		"metrics": object{"latencyMs": 1},
		"output":  object{"message": object{"role": "assistant", "content": content}},
		"usage":   usage(a),
	}
	if reason := stopReason(a); reason != "" {
		document["stopReason"] = reason
	}
	return "application/json", fakewire.Encode(document)
}

// Stream renders the answer of ConverseStream.
func (Dialect) Stream(a fakeprovider.Answer) (string, [][]byte) {
	frames := [][]byte{Event("messageStart", object{"role": "assistant"})}
	if !a.NoContent {
		for _, piece := range pieces(a.Text) {
			frames = append(frames, Event("contentBlockDelta", object{"contentBlockIndex": 0, "delta": object{"text": piece}}))
		}
		frames = append(frames, Event("contentBlockStop", object{"contentBlockIndex": 0}))
	}
	stop := object{}
	if reason := stopReason(a); reason != "" {
		stop["stopReason"] = reason
	}
	return MediaTypeStream, append(frames, Event("messageStop", stop),
		Event("metadata", object{"usage": usage(a), "metrics": object{"latencyMs": 1}}))
}

func usage(a fakeprovider.Answer) object {
	return object{"inputTokens": a.InputTokens, "outputTokens": a.OutputTokens, "totalTokens": a.InputTokens + a.OutputTokens}
}

// stopReason is left out where a script says "null".
func stopReason(a fakeprovider.Answer) string {
	switch a.StopReason {
	case "":
		return "end_turn"
	case "null":
		return ""
	}
	return a.StopReason
}

// Event renders one event of a stream.
func Event(name string, payload any) []byte {
	return RawEvent(name, fakewire.Encode(payload))
}

// RawEvent renders an event whose payload is taken as it is.
func RawEvent(name string, payload []byte) []byte {
	return frame(payload, header(":event-type", name), header(":content-type", "application/json"), header(eventstreamMessageType, "event"))
}

const eventstreamMessageType = ":message-type"

func header(name, value string) eventstream.Header {
	return eventstream.Header{Name: name, Value: eventstream.StringValue(value)}
}

// frame encodes a message with its lengths and checksums.
func frame(payload []byte, headers ...eventstream.Header) []byte {
	var encoded bytes.Buffer
	if err := eventstream.NewEncoder().Encode(&encoded, eventstream.Message{Headers: headers, Payload: payload}); err != nil {
		panic(fmt.Sprintf("encode event: %v", err)) // our own headers are short enough
	}
	return encoded.Bytes()
}
