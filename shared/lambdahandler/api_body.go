package lambdahandler

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"mime"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/replyonce/replyonce/shared/inputcheck"
)

// Limits of request bodies on the wire, counted after base64 is taken off. JSON
// escapes make a text longer, so they are above the limits of the texts.
const (
	maxBodyBytes         = 512 << 10
	maxDocumentBodyBytes = 2 << 20
)

// readBody decodes, limits and parses, in this order, into a struct whose
// fields are pointers where "absent" differs from "empty".
func (r *request) readBody(limit int, into any) error {
	if err := checkMediaType(r.headerValues("Content-Type")); err != nil {
		return err
	}
	raw, err := bodyBytes(r.event.Body, r.event.IsBase64Encoded, limit)
	if err != nil {
		return err
	}
	if len(raw) == 0 {
		return refuse(codeBodyMissing, "Send a JSON object as the body.")
	}
	return decodeJSON(raw, into)
}

// readEmptyBody accepts no body or an empty object, for calls whose inputs are
// all in the path.
func (r *request) readEmptyBody() error { return r.readOptionalBody(&struct{}{}) }

// readOptionalBody is readBody for calls that need no body: none is an empty
// object.
func (r *request) readOptionalBody(into any) error {
	if r.event.Body == "" {
		return nil
	}
	return r.readBody(maxBodyBytes, into)
}

// checkMediaType takes JSON in UTF-8. A body without a type is taken for JSON,
// as the recipient may decide (RFC 9110, section 8.3).
func checkMediaType(values []string) error {
	for _, value := range values {
		media, params, err := mime.ParseMediaType(value)
		charset, given := params["charset"]
		if err != nil || media != "application/json" || (given && !strings.EqualFold(charset, "utf-8")) {
			return refuse(codeMediaTypeUnsupported, "Send the body as application/json in UTF-8.")
		}
	}
	return nil
}

func bodyBytes(body string, isBase64 bool, limit int) ([]byte, error) {
	tooLarge := refuse(codeBodyTooLarge, fmt.Sprintf("The body may have %d bytes at most. Send less.", limit))
	if !isBase64 {
		if len(body) > limit {
			return nil, tooLarge
		}
		return []byte(body), nil
	}
	if base64.StdEncoding.DecodedLen(len(body)) > limit+2 { // two bytes of padding at most
		return nil, tooLarge
	}
	raw, err := base64.StdEncoding.DecodeString(body)
	if err != nil {
		return nil, refuse(codeBodyMalformed, "The body is marked as base64 and is not.")
	}
	if len(raw) > limit {
		return nil, tooLarge
	}
	return raw, nil
}

// decodeJSON parses one JSON object. Duplicate names, unknown names, bad UTF-8,
// lone surrogates, wrong types and anything behind the object are refused.
func decodeJSON(raw []byte, into any) error {
	if !utf8.Valid(raw) {
		return refuse(codeBodyMalformed, "The body is not valid UTF-8. Send the text as UTF-8.")
	}
	if trimmed := bytes.TrimLeft(raw, " \t\r\n"); len(trimmed) == 0 || trimmed[0] != '{' {
		return refuse(codeBodyMalformed, "The body must be one JSON object.")
	}
	err := json.Unmarshal(raw, into, json.RejectUnknownMembers(true))
	if err == nil {
		return nil
	}
	if syntactic, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
		if errors.Is(err, jsontext.ErrDuplicateName) {
			field := fieldName(syntactic.JSONPointer)
			return inputcheck.Invalid(field, "The body has the field %q twice. Send it once.", field)
		}
		return refuse(codeBodyMalformed, fmt.Sprintf("The body is not valid JSON at byte %d.", syntactic.ByteOffset))
	}
	if semantic, ok := errors.AsType[*json.SemanticError](err); ok && semantic.JSONPointer != "" {
		field := fieldName(semantic.JSONPointer)
		if errors.Is(err, json.ErrUnknownName) {
			return &inputcheck.FieldError{Field: field, Code: inputcheck.CodeUnknown, Detail: fmt.Sprintf(
				"There is no field %q here. Leave it out; names are in lower case.", field)}
		}
		return inputcheck.Invalid(field, "The field %q has a value of the wrong type or out of range.", field)
	}
	return refuse(codeBodyMalformed, "The body must be one JSON object with the fields of this call.")
}

// maxFieldName bounds how much of a name that the client chose is repeated.
const maxFieldName = 64

// fieldName is the name of the top-level field that a pointer leads into.
func fieldName(pointer jsontext.Pointer) string {
	for token := range pointer.Tokens() {
		runes := []rune(token)
		return string(runes[:min(len(runes), maxFieldName)])
	}
	return ""
}
