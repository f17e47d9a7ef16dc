package providertest

import (
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/replyonce/replyonce/shared/llmprovider"
	"github.com/replyonce/replyonce/shared/llmprovider/scripted"
)

// Action is what the server does with a request.
type Action string

// The actions. Those from Answer to Never run the model: they count as a
// generation, whether or not anybody receives its answer.
const (
	// Answer sends a whole answer.
	Answer Action = "answer"
	// NoAnswer sends an answer document without text and without a stop reason.
	NoAnswer Action = "no_answer"
	// Duplicate sends the same whole response twice on one connection.
	Duplicate Action = "duplicate"
	// CutInAnswer closes the connection in the middle of the answer.
	CutInAnswer Action = "cut_in_answer"
	// CutBeforeAnswer resets the connection after the generation, before the first byte.
	CutBeforeAnswer Action = "cut_before_answer"
	// LoseOperation accepts in the background and then does not know the operation.
	LoseOperation Action = "lose_operation"
	// Never keeps the connection open and sends nothing.
	Never Action = "never"

	// Fail sends an error status. It is a generation only with Step.Generates.
	Fail Action = "error"
	// FailInBody sends status 200 with an error document, before any text.
	FailInBody Action = "error_in_body"
	// FailInStream sends status 200 and a stream that ends with an error after
	// Step.Pieces pieces of text. It is a generation if there are any.
	FailInStream Action = "error_in_stream"
	// CutBeforeBody resets the connection without reading the request's body, so
	// it can only stand in a script that matches every question.
	CutBeforeBody Action = "cut_before_body"
)

// Duration is a time.Duration that is written like "250ms" in JSON.
type Duration time.Duration

// MarshalText implements encoding.TextMarshaler.
func (d Duration) MarshalText() ([]byte, error) { return []byte(time.Duration(d).String()), nil }

// UnmarshalText implements encoding.TextUnmarshaler.
func (d *Duration) UnmarshalText(text []byte) error {
	parsed, err := time.ParseDuration(string(text))
	if err != nil {
		return fmt.Errorf("duration: %w", err)
	}
	if parsed < 0 {
		return fmt.Errorf("duration %s is negative", parsed)
	}
	*d = Duration(parsed)
	return nil
}

// Step is what happens to one request. The zero value of a field means that it
// plays no part.
type Step struct {
	Action Action `json:"action"`

	// HoldRequest names a gate at which the request waits before anything else.
	HoldRequest string `json:"hold_request,omitzero"`
	// Delay is how long the generation, or the decision to fail, takes. It goes on
	// when the client is gone, as a real model does.
	Delay Duration `json:"delay,omitzero"`
	// HoldAnswer names a gate at which the finished answer waits before it is sent.
	HoldAnswer string `json:"hold_answer,omitzero"`
	// Background answers 202 with an operation id first; the step's outcome is
	// then read by looking the operation up.
	Background bool `json:"background,omitzero"`

	// Text is the answer's text in place of the usual one; "{{generation}}" in it
	// becomes the number of the generation for the same prompt, starting at 1.
	Text *string `json:"text,omitzero"`
	// NoText sends null as the text.
	NoText bool `json:"no_text,omitzero"`
	// Bytes makes the text this long.
	Bytes int `json:"bytes,omitzero"`
	// StopReason is the answer's stop reason; empty means "stop".
	StopReason string `json:"stop_reason,omitzero"`
	// Stream sends the answer as lines of pieces.
	Stream bool `json:"stream,omitzero"`

	// Status and ErrorType describe an error. A missing ErrorType is the one that
	// belongs to the status.
	Status    int    `json:"status,omitzero"`
	ErrorType string `json:"error_type,omitzero"`
	// RetryAfter holds the values of the Retry-After headers, sent as they are;
	// "date:+90s" becomes the HTTP date that far from now.
	RetryAfter []string `json:"retry_after,omitzero"`
	// Pieces is how many pieces of text precede an error in a stream.
	Pieces int `json:"pieces,omitzero"`
	// Generates makes an error status count as a generation: the model ran.
	Generates bool `json:"generates,omitzero"`
}

// maxScriptedBytes limits Step.Bytes, so that a slip of the hand does not fill the memory.
const maxScriptedBytes = 64 << 20

var errorTypes = map[int]string{
	http.StatusBadRequest:            scripted.TypeInvalidRequest,
	http.StatusUnauthorized:          scripted.TypeAuthentication,
	http.StatusPaymentRequired:       scripted.TypeBilling,
	http.StatusForbidden:             scripted.TypePermission,
	http.StatusNotFound:              scripted.TypeNotFound,
	http.StatusConflict:              scripted.TypeKeyInProgress,
	http.StatusRequestEntityTooLarge: scripted.TypeRequestTooLarge,
	http.StatusUnprocessableEntity:   scripted.TypeKeyReused,
	http.StatusTooManyRequests:       scripted.TypeRateLimited,
	http.StatusInternalServerError:   scripted.TypeInternal,
	http.StatusServiceUnavailable:    scripted.TypeUnavailable,
	http.StatusGatewayTimeout:        scripted.TypeTimeout,
	llmprovider.StatusOverloaded:     scripted.TypeOverloaded,
}

// errorType is the type that the step's error document names. A status without a
// type of its own gets none, like the error page of an intermediary.
func (s Step) errorType() string {
	if s.ErrorType != "" {
		return s.ErrorType
	}
	return errorTypes[s.Status]
}

// generates says whether the model runs in this step.
func (s Step) generates() bool {
	switch s.Action {
	case Answer, NoAnswer, Duplicate, CutInAnswer, CutBeforeAnswer, LoseOperation, Never:
		return true
	case FailInStream:
		return s.Pieces > 0
	case Fail:
		return s.Generates
	case FailInBody, CutBeforeBody:
		return false
	}
	return false
}

func (s Step) validate(lookup bool) error {
	switch s.Action {
	case Answer, NoAnswer, Duplicate, CutInAnswer, CutBeforeAnswer, Never:
	case LoseOperation:
		if !s.Background {
			return errors.New("lose_operation needs background")
		}
	case FailInBody, FailInStream:
		if s.ErrorType == "" {
			return fmt.Errorf("%s needs error_type", s.Action)
		}
	case Fail:
		if s.Status < 300 || s.Status > 599 {
			return fmt.Errorf("status %d is no error", s.Status)
		}
	case CutBeforeBody:
	default:
		return fmt.Errorf("unknown action %q", s.Action)
	}
	switch {
	case s.Background && !lookup:
		return errors.New("background needs a server that documents look-up")
	case s.Background && !backgroundActions[s.Action]:
		return fmt.Errorf("%s cannot happen in the background", s.Action)
	case s.Bytes < 0 || s.Bytes > maxScriptedBytes:
		return fmt.Errorf("bytes must be between 0 and %d", maxScriptedBytes)
	case s.Pieces < 0 || s.Pieces > 1000:
		return errors.New("pieces must be between 0 and 1000")
	}
	return nil
}

// backgroundActions can be the end of an operation; the others are about the
// connection of one request.
var backgroundActions = map[Action]bool{Answer: true, NoAnswer: true, LoseOperation: true, Never: true, Fail: true}
