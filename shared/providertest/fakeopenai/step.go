package fakeopenai

import (
	"errors"
	"fmt"
	"net/http"
)

// Action is what the server does with a request that starts a generation.
type Action string

// The actions.
const (
	// Answer sends an answer, or takes the work on in the background.
	Answer Action = "answer"
	// Refuse sends an error status. The model does not run.
	Refuse Action = "refuse"
	// Redirect answers with Step.Status and an address on this very server.
	Redirect Action = "redirect"
	// ResetEarly resets the connection without reading the body.
	ResetEarly Action = "reset_early"
	// Reset lets the model run and resets the connection before the first byte.
	Reset Action = "reset"
	// Cut lets the model run and closes the connection in the middle of the answer.
	Cut Action = "cut"
	// Hang lets the model run and never answers.
	Hang Action = "hang"
	// Raw sends Step.Body with status 200 in place of an answer. The model runs.
	Raw Action = "raw"
)

// Failure is an error object.
type Failure struct {
	Type    string `json:"type,omitzero"`
	Code    string `json:"code,omitzero"`
	Message string `json:"message,omitzero"`
	// NumberCode sends the status as a number for the code, as vLLM does.
	NumberCode bool `json:"number_code,omitzero"`
}

// Step is what happens to one request. The zero value of a field plays no part.
type Step struct {
	Action Action `json:"action,omitzero"` // empty: Answer

	// Status and Failure describe a refusal. Body, when not nil, is sent in place of
	// the error document, as intermediaries do.
	Status  int         `json:"status,omitzero"`
	Failure Failure     `json:"failure,omitzero"`
	Body    *string     `json:"body,omitzero"`
	Header  http.Header `json:"header,omitzero"`
	// Ran makes a refusal count as a generation: the model ran all the same.
	Ran bool `json:"ran,omitzero"`

	// Text is the answer's text in place of the usual one.
	Text *string `json:"text,omitzero"`
	// NoText sends null, or no message, as the text.
	NoText bool `json:"no_text,omitzero"`
	// NoChoices sends an answer without any choice or output.
	NoChoices bool `json:"no_choices,omitzero"`
	// Finish is why the model stopped, in the words of Chat Completions; empty means
	// "stop", and "-" sends no reason at all.
	Finish string `json:"finish,omitzero"`
	// Refusal is the model's own refusal.
	Refusal string `json:"refusal,omitzero"`
	// State is the status of a Response object in place of the fitting one.
	State string `json:"state,omitzero"`
	// NoUsage leaves the count of tokens out.
	NoUsage bool `json:"no_usage,omitzero"`
	// Bytes makes the text this long.
	Bytes int `json:"bytes,omitzero"`

	// Fails makes the generation end with Failure, inside an answer with status 200,
	// after Pieces pieces of text. In a stream of the Responses API the failure is
	// an event of its own with ErrorEvent, and the end of the response without.
	Fails      bool `json:"fails,omitzero"`
	Pieces     int  `json:"pieces,omitzero"`
	ErrorEvent bool `json:"error_event,omitzero"`
	// NoEnd leaves the end marker of a stream out.
	NoEnd bool `json:"no_end,omitzero"`

	// Hold names a gate at which the finished answer, or the end of the background
	// work, waits.
	Hold string `json:"hold,omitzero"`
	// Reads are what the first look-ups of the background work meet.
	Reads []Read `json:"reads,omitzero"`
	// Forget makes the server forget the background work at once.
	Forget bool `json:"forget,omitzero"`
}

// Read is what a look-up, or a cancel, meets in place of the Response object.
type Read struct {
	Status  int         `json:"status,omitzero"` // zero resets the connection
	Failure Failure     `json:"failure,omitzero"`
	Body    *string     `json:"body,omitzero"`
	Header  http.Header `json:"header,omitzero"`
}

func (s Step) action() Action {
	if s.Action == "" {
		return Answer
	}
	return s.Action
}

// generates says whether the model runs in this step.
func (s Step) generates() bool {
	switch s.action() {
	case Answer:
		return !s.Fails || s.Pieces > 0
	case Reset, Cut, Hang, Raw:
		return true
	case Refuse:
		return s.Ran
	case Redirect, ResetEarly:
		return false
	}
	return false
}

// Early reports whether it happens before the body, and with it the question, is read.
func (s Step) Early() bool { return s.action() == ResetEarly }

// Validate says what is wrong with the step.
func (s Step) Validate() error {
	switch s.action() {
	case Answer, Reset, Cut, Hang, ResetEarly:
		return nil
	case Refuse:
		if s.Status < 400 || s.Status > 599 {
			return fmt.Errorf("status %d is no refusal", s.Status)
		}
	case Redirect:
		if s.Status < 300 || s.Status > 399 {
			return fmt.Errorf("status %d is no redirect", s.Status)
		}
	case Raw:
		if s.Body == nil {
			return errors.New("raw needs a body")
		}
	default:
		return fmt.Errorf("unknown action %q", s.Action)
	}
	return nil
}
