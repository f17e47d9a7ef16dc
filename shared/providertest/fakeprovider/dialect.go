package fakeprovider

import "net/http"

// Dialect is one provider's API on the wire.
type Dialect interface {
	// RequestIDHeader names the response header with the provider's name for a
	// request.
	RequestIDHeader() string
	// Read checks a whole request, headers and body, as strictly as the API's
	// description allows. A Failure is sent and logged as a problem.
	Read(r *http.Request, body []byte) (Asked, *Failure)
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
	Model string
	// Question is the text of the last message of the user.
	Question string
	// Stream says that the answer is to be streamed.
	Stream bool
	// InputTokens is the fake's count of the input.
	InputTokens int
}

// Failure is an error as the API describes it.
type Failure struct {
	Status int
	// Type is the API's name for the error.
	Type string
	// Code is a finer name, where the API has one.
	Code    string
	Message string
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
