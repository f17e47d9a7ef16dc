package openairesponses

import (
	"bytes"
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
func (p *Provider) streamed(response llmprovider.Response) (llmprovider.Answer, error) {
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
			return p.terminal(e)
		case eventError:
			object := e.Error
			if object.Kind() != '{' {
				object = data
			}
			return llmprovider.Answer{}, p.failedInStream(object, generated)
		}
	}
	if decoder.Err() != nil {
		return llmprovider.Answer{}, unreadable("the stream has a line that is too long")
	}
	return llmprovider.Answer{}, unreadable("the stream ended without its last event")
}

func (p *Provider) terminal(e event) (llmprovider.Answer, error) {
	o, err := decode(e.Response)
	if err != nil {
		return llmprovider.Answer{}, err
	}
	if o.running() {
		return llmprovider.Answer{}, unreadable("the stream ended while the response runs")
	}
	return p.judge(o)
}

// failedInStream: the type of a flat event is the word "error", which is no type of
// an error.
func (p *Provider) failedInStream(object []byte, generated bool) error {
	detail, _ := openaiapi.ParseErrorObject(object)
	if detail.Type == eventError {
		detail.Type = ""
	}
	return openaiapi.Failure(detail, openaiapi.End{Generated: generated}, p.notices)
}
