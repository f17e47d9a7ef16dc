package fakeprovider

import (
	"fmt"
	"net/http"
	"strings"
)

// Action is what the fake does with a request.
type Action int

const (
	// Reply sends a whole answer.
	Reply Action = iota
	// Fail sends the Failure with its status.
	Fail
	// Raw sends Status, Header and Body as they are.
	Raw
	// FailInStream streams Frames frames of the answer and then the Failure.
	FailInStream
	// EndStream streams Frames frames of the answer and ends the body in order.
	EndStream
	// HangStream streams Frames frames of the answer and then nothing.
	HangStream
	// CutStream streams Frames frames and half of the next, if there is one, and
	// closes the connection without ending the body.
	CutStream
	// CutWhole sends half of an unstreamed answer and closes the connection.
	CutWhole
	// CutBeforeAnswer resets the connection after the generation, before a byte.
	CutBeforeAnswer
	// CutBeforeBody resets the connection without reading the request's body. Its
	// script cannot depend on the question.
	CutBeforeBody
	// Never keeps the connection open and sends nothing.
	Never
)

// Step is what happens to one request. The zero Step is a plain answer.
type Step struct {
	Action Action

	// Text is the answer in place of the usual one; Bytes makes one of that length.
	Text  *string
	Bytes int
	// StopReason is the API's word for why the answer ended.
	StopReason string
	// NoContent leaves the text's part of the answer out.
	NoContent bool

	Failure Failure
	Frames  int

	Status int
	Body   string
	// Header is added to the response's headers.
	Header http.Header

	// Generates says of Fail and Raw that the model ran.
	Generates bool
	// OnRequest is called when the request was read, before anything is sent and,
	// if the model runs, after it has begun to cost. It may block.
	OnRequest func()
	// OnHang is called when HangStream has sent its frames.
	OnHang func()
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

func (s Step) text(question string) string {
	switch {
	case s.Bytes > 0:
		return strings.Repeat("x", s.Bytes)
	case s.Text != nil:
		return *s.Text
	default:
		return fmt.Sprintf("A fake answer to %q.", question)
	}
}

// script holds the steps for the requests whose question contains match.
type script struct {
	match string
	steps []Step
}
