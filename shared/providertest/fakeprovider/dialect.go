package fakeprovider

import (
	"net/http"
	"strings"

	"github.com/replyonce/replyonce/shared/llmprovider"
)

// Dialect is one provider's API on the wire.
type Dialect interface {
	// RequestIDHeader names the response header with the provider's name for a
	// request.
	RequestIDHeader() string
	// Read checks a whole request, headers and body, as strictly as the API's
	// description allows. A Failure is sent and logged as a problem.
	Read(r *http.Request, body []byte) (Asked, *Failure)
	// Invalid is the failure of a request that is against the description.
	Invalid(message string) Failure
	// Error renders a failure's headers and body.
	Error(f Failure, requestID string) (http.Header, []byte)
	// Whole renders an answer as one document.
	Whole(a Answer) (contentType string, body []byte)
	// Stream renders an answer as a stream's frames. The end marker is in the last
	// ones.
	Stream(a Answer) (contentType string, frames [][]byte)
	// StreamError renders a failure as a frame of a stream.
	StreamError(f Failure, requestID string) []byte
}

// Asked is what a valid request asks for.
type Asked struct {
	Model string `json:"model,omitzero"`
	// System and Turns are the conversation. The log has the question alone.
	System string                 `json:"-"`
	Turns  []llmprovider.ChatTurn `json:"-"`
	// Stream says that the answer is to be streamed.
	Stream bool `json:"stream,omitzero"`
}

// Question is the text of the last message of the user.
func (a Asked) Question() string {
	if len(a.Turns) == 0 {
		return ""
	}
	return a.Turns[len(a.Turns)-1].Text
}

// inputTokens is the fake's count of the input.
func (a Asked) inputTokens() int {
	return llmprovider.Chat{System: a.System, Turns: a.Turns}.EstimateTokens()
}

// TextsOf joins the texts of the blocks that a message consists of.
func TextsOf[B any](blocks []B, text func(B) string) string {
	var joined strings.Builder
	for _, block := range blocks {
		joined.WriteString(text(block))
	}
	return joined.String()
}

// Failure is an error as the API describes it.
type Failure struct {
	Status int `json:"status,omitzero"`
	// Type is the API's name for the error.
	Type string `json:"type,omitzero"`
	// Code is a finer name, where the API has one.
	Code    string `json:"code,omitzero"`
	Message string `json:"message,omitzero"`
}

// Answer is what the fake says.
type Answer struct {
	ID         string
	Model      string
	Text       string
	StopReason string // empty means the API's word for a natural end
	// NoContent leaves the text's part of the answer out altogether.
	NoContent    bool
	InputTokens  int
	OutputTokens int
}
