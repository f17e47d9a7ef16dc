package openaiapi

import (
	"errors"
	"fmt"
	"regexp"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/replyonce/replyonce/shared/llmprovider"
)

// ErrorDetail is what an error object says in words that a program can compare.
// The message is left where it is: it may quote the request, or a part of the key.
type ErrorDetail struct {
	Type string
	Code string
}

// name is the more telling of the two.
func (d ErrorDetail) name() string {
	if d.Code != "" {
		return d.Code
	}
	return d.Type
}

// errorObject takes type and code as they come: OpenAI sends strings or null,
// vLLM sends the status as a number for the code.
type errorObject struct {
	Type jsontext.Value `json:"type"`
	Code jsontext.Value `json:"code"`
}

// ParseError reads the error document of an answer. ok is false without an error
// object that has a type or a code, as for the error page of an intermediary: then
// the status alone speaks. The object stands in the member "error"; for the
// look-up and the cancel of a response the API description, and older releases of
// vLLM for everything, have it bare, with its message beside it.
func ParseError(body []byte) (detail ErrorDetail, ok bool) {
	var document struct {
		Error   jsontext.Value `json:"error"`
		Message string         `json:"message"`
	}
	if err := json.Unmarshal(body, &document); err != nil {
		return ErrorDetail{}, false
	}
	switch {
	case document.Error.Kind() == '{':
		return ParseErrorObject(document.Error)
	case len(document.Error) == 0 && document.Message != "":
		return ParseErrorObject(body)
	}
	return ErrorDetail{}, false
}

// ParseErrorObject reads the error object itself.
func ParseErrorObject(object []byte) (detail ErrorDetail, ok bool) {
	var raw errorObject
	if err := json.Unmarshal(object, &raw); err != nil {
		return ErrorDetail{}, false
	}
	detail = ErrorDetail{Type: word(raw.Type), Code: word(raw.Code)}
	return detail, detail != ErrorDetail{}
}

// plainWord is the shape of every documented type, code, status and reason. A
// value of another shape is not passed on: it could be anything, a key included,
// which has a hyphen in it.
var plainWord = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_.]{0,63}$`)

// PlainWord returns the word, or a note in its place if it does not look like one.
func PlainWord(s string) string {
	if s == "" || plainWord.MatchString(s) {
		return s
	}
	return "(not a plain word)"
}

func word(value jsontext.Value) string {
	if value.Kind() != '"' {
		return ""
	}
	var s string
	if err := json.Unmarshal(value, &s); err != nil {
		return ""
	}
	return PlainWord(s)
}

// NotJSON is the outcome of an answer that is not the JSON that was expected:
// the model ran, and what it said cannot be read. It says where. The decoder's own words are left out: they quote what they stumble over,
// which is the model's text more often than not.
func NotJSON(what string, err error) error {
	var offset int64
	if syntactic, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
		offset = syntactic.ByteOffset
	} else if semantic, ok := errors.AsType[*json.SemanticError](err); ok {
		offset = semantic.ByteOffset
	}
	return &llmprovider.Error{
		Kind: llmprovider.Ambiguous,
		Err:  fmt.Errorf("%s is not the expected JSON, at byte %d", what, offset),
	}
}
