package fakeprovider

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
)

// Action is what the fake does with a request.
type Action string

const (
	// Reply sends a whole answer.
	Reply Action = ""
	// Fail sends the Failure with its status.
	Fail Action = "fail"
	// Raw sends Status, Header and Body as they are.
	Raw Action = "raw"
	// FailInStream streams Frames frames of the answer and then the Failure.
	FailInStream Action = "fail_in_stream"
	// EndStream streams Frames frames of the answer and ends the body in order.
	EndStream Action = "end_stream"
	// HangStream streams Frames frames of the answer and then nothing.
	HangStream Action = "hang_stream"
	// CutStream streams Frames frames and half of the next, if there is one, and
	// closes the connection without ending the body.
	CutStream Action = "cut_stream"
	// CutWhole sends half of an unstreamed answer and closes the connection.
	CutWhole Action = "cut_whole"
	// CutBeforeAnswer resets the connection after the generation, before a byte.
	CutBeforeAnswer Action = "cut_before_answer"
	// CutBeforeBody resets the connection without reading the request's body. Its
	// script cannot depend on the question.
	CutBeforeBody Action = "cut_before_body"
	// Never keeps the connection open and sends nothing.
	Never Action = "never"
)

// Step is what happens to one request. The zero Step is a plain answer.
type Step struct {
	Action Action `json:"action,omitzero"`

	// Text is the answer in place of the usual one; "{{generation}}" in it becomes the
	// number of the server's generation. Bytes makes a text of that length.
	Text  *string `json:"text,omitzero"`
	Bytes int     `json:"bytes,omitzero"`
	// StopReason is the API's word for why the answer ended.
	StopReason string `json:"stop_reason,omitzero"`
	// NoContent leaves the text's part of the answer out.
	NoContent bool `json:"no_content,omitzero"`
	// Hold names a gate at which the finished answer waits.
	Hold string `json:"hold,omitzero"`

	Failure Failure `json:"failure,omitzero"`
	Frames  int     `json:"frames,omitzero"`

	Status int    `json:"status,omitzero"`
	Body   string `json:"body,omitzero"`
	// Header is added to the response's headers; a value "date:+90s" becomes the HTTP
	// date that far from now.
	Header http.Header `json:"header,omitzero"`

	// Generates says of Fail and Raw that the model ran.
	Generates bool `json:"generates,omitzero"`
}

// generates says whether a real provider might charge for this step.
func (s Step) generates() bool {
	switch s.Action {
	case Reply, EndStream, HangStream, CutStream, CutWhole, CutBeforeAnswer, Never:
		return true
	case FailInStream:
		return s.Frames > 0
	case Fail, Raw:
		return s.Generates
	case CutBeforeBody:
		return false
	}
	return false
}

// Early reports whether it happens before the body, and with it the question, is read.
func (s Step) Early() bool { return s.Action == CutBeforeBody }

// Validate says what is wrong with the step.
func (s Step) Validate() error {
	switch s.Action {
	case Fail:
		if s.Failure.Status < 300 || s.Failure.Status > 599 {
			return fmt.Errorf("status %d is no failure", s.Failure.Status)
		}
	case Raw:
		if s.Status < 200 || s.Status > 599 {
			return fmt.Errorf("status %d cannot be sent", s.Status)
		}
	case Reply, FailInStream, EndStream, HangStream, CutStream, CutWhole, CutBeforeAnswer, CutBeforeBody, Never:
	default:
		return fmt.Errorf("unknown action %q", s.Action)
	}
	if s.Frames < 0 || s.Bytes < 0 {
		return fmt.Errorf("frames %d and bytes %d cannot be negative", s.Frames, s.Bytes)
	}
	return nil
}

func (s Step) text(asked Asked, generation int64, reply func(Asked) string) string {
	switch {
	case s.Bytes > 0:
		return strings.Repeat("x", s.Bytes)
	case s.Text != nil:
		return strings.ReplaceAll(*s.Text, "{{generation}}", strconv.FormatInt(generation, 10))
	case reply != nil:
		return reply(asked)
	}
	return fmt.Sprintf("A fake answer to %q.", asked.Question())
}
