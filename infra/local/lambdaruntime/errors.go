package lambdaruntime

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// MaxPayload is Lambda's limit for the event and for the answer of a synchronous invocation, in bytes.
const MaxPayload = 6_291_556

// ErrPayloadTooLarge says that the event is longer than [MaxPayload]; the function was not invoked.
var ErrPayloadTooLarge = errors.New("event is longer than 6 MB")

// ErrClosed says that the server was closed before the invocation ended.
var ErrClosed = errors.New("runtime server is closed")

// Error types that Lambda itself reports when a function gives no usable answer.
const (
	TypeExit          = "Runtime.ExitError"
	TypeTimeout       = "Sandbox.Timedout"
	TypeTooLarge      = "Function.ResponseSizeTooLarge"
	TypeNoResponse    = "Runtime.NoResponse"
	TypeUnhandled     = "Unhandled"
	TypeInvalidAnswer = "Runtime.TruncatedResponse"
)

// FunctionError is an invocation that ended without an answer: the function reported an error, its
// process ended, or its time was over. Lambda answers such an invocation with 200 and the header
// X-Amz-Function-Error; here it is an error value.
type FunctionError struct {
	Function  string // name of the function
	Process   string // name of the process that had the invocation
	RequestID string
	Type      string // errorType as reported, or one of the types above
	Message   string // errorMessage as reported
	Payload   []byte // the body that the function posted, nil when Lambda made the error
}

// Error names function, process, type and message.
func (e *FunctionError) Error() string {
	return fmt.Sprintf("function %s (%s): %s: %s", e.Function, e.Process, e.Type, e.Message)
}

// reportedError reads the body that a function posts for an error. A body of another shape is kept and
// reported as unhandled.
func reportedError(body []byte, typeHeader string) *FunctionError {
	var report struct {
		Message string `json:"errorMessage"`
		Type    string `json:"errorType"`
	}
	if err := json.Unmarshal(body, &report); err != nil {
		report.Message = "the function reported an error of unknown shape"
	}
	failure := &FunctionError{Type: report.Type, Message: report.Message, Payload: body}
	if failure.Type == "" {
		failure.Type = typeHeader
	}
	if failure.Type == "" {
		failure.Type = TypeUnhandled
	}
	return failure
}

func exitError(cause error) *FunctionError {
	message := "Runtime exited without providing a reason"
	if cause != nil {
		message = "Runtime exited with error: " + cause.Error()
	}
	return &FunctionError{Type: TypeExit, Message: message}
}

func timeoutError(limit time.Duration) *FunctionError {
	return &FunctionError{
		Type:    TypeTimeout,
		Message: fmt.Sprintf("Task timed out after %.2f seconds", limit.Seconds()),
	}
}
