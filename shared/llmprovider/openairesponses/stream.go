package openairesponses

import (
	"bytes"
	"context"
	"io"
	"mime"
	"net/http"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/openai/openai-go/v3/packages/ssestream"

	"github.com/replyonce/replyonce/shared/llmprovider"
	"github.com/replyonce/replyonce/shared/llmprovider/internal/openaiapi"
)

const mediaStream = "text/event-stream"

// isStream goes by what came, not by what was asked for.
func isStream(response llmprovider.Response) bool {
	mediaType, _, err := mime.ParseMediaType(response.Header.Get("Content-Type"))
	return err == nil && mediaType == mediaStream
}

// Types of events. The terminal ones carry the whole response.
const (
	eventDelta      = "response.output_text.delta"
	eventCompleted  = "response.completed"
	eventIncomplete = "response.incomplete"
	eventFailed     = "response.failed"
	eventError      = "error"
)

// event holds the members of an event that matter. An error stands in it flat, as
// the API description has it, or as an object, as errors stand elsewhere.
type event struct {
	Type     string         `json:"type"`
	Response jsontext.Value `json:"response"`
	Error    jsontext.Value `json:"error"`
}

// streamed finds the terminal event. Without one there is no answer, however much
// text there was.
func (p *Provider) streamed(ctx context.Context, response llmprovider.Response) (llmprovider.Answer, error) {
	generated := false
	decoder := ssestream.NewDecoder(&http.Response{Body: io.NopCloser(bytes.NewReader(response.Body))})
	for decoder.Next() {
		data := decoder.Event().Data
		var e event
		if err := json.Unmarshal(data, &e); err != nil {
			return llmprovider.Answer{}, openaiapi.NotJSON("an event of the stream", err)
		}
		switch e.Type {
		case eventDelta:
			generated = true
		case eventCompleted, eventIncomplete, eventFailed:
			return p.terminal(ctx, e, requestID(response))
		case eventError:
			object := e.Error
			if object.Kind() != '{' {
				object = data
			}
			return llmprovider.Answer{}, p.failedInStream(ctx, object, openaiapi.End{Generated: generated, RequestID: requestID(response)})
		}
	}
	if decoder.Err() != nil {
		return llmprovider.Answer{}, unreadable("the stream has a line that is too long")
	}
	return llmprovider.Answer{}, unreadable("the stream ended without its last event")
}

func (p *Provider) terminal(ctx context.Context, e event, requestID string) (llmprovider.Answer, error) {
	o, err := decode(e.Response, requestID)
	if err != nil {
		return llmprovider.Answer{}, err
	}
	if o.running() {
		return llmprovider.Answer{}, unreadable("the stream ended while the response runs")
	}
	return p.judge(ctx, o)
}

// failedInStream: the type of a flat event is the word "error", which is no type of
// an error.
func (p *Provider) failedInStream(ctx context.Context, object []byte, end openaiapi.End) error {
	detail, _ := openaiapi.ParseErrorObject(object)
	if detail.Type == eventError {
		detail.Type = ""
	}
	return openaiapi.Failure(ctx, detail, end, p.oddities)
}
