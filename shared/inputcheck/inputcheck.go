// Package inputcheck checks what callers send before anything is read or
// written for it. Sizes are counted in bytes of UTF-8, because that is what
// stores and queues count; a text is never changed.
package inputcheck

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/oklog/ulid/v2"
)

// Codes of a FieldError, as callers of the HTTP API see them.
const (
	CodeMissing          = "field_missing"
	CodeInvalid          = "field_invalid"
	CodeUnknown          = "field_unknown"
	CodeNotFound         = "not_found"
	CodeMessageTooLarge  = "message_too_large"
	CodeDocumentTooLarge = "document_too_large"
	CodeFileTooLarge     = "file_too_large"
)

// FieldError says what is wrong with one field of a request and how to put it
// right. It never repeats the field's content.
type FieldError struct {
	Field  string
	Code   string
	Detail string // a sentence for the person who wrote the client
}

func (e *FieldError) Error() string { return fmt.Sprintf("%s: %s: %s", e.Field, e.Code, e.Detail) }

// Missing refuses a field that is not there.
func Missing(field string) error {
	return &FieldError{Field: field, Code: CodeMissing, Detail: fmt.Sprintf("Send the field %q.", field)}
}

// Invalid refuses a field's value; the format tells what to send instead.
func Invalid(field, format string, args ...any) error {
	return &FieldError{Field: field, Code: CodeInvalid, Detail: fmt.Sprintf(format, args...)}
}

// NotFound refuses an id that names nothing the caller may see. A foreign thing
// and none at all are told in the same words.
func NotFound(field, what string) error {
	return &FieldError{Field: field, Code: CodeNotFound, Detail: fmt.Sprintf("There is no %s with the id in the field %q.", what, field)}
}

// ID checks that a value has the shape of our ids: a ULID of 26 upper-case
// Crockford characters.
func ID(field, value string) error {
	if !IsID(value) {
		return Invalid(field, "The field %q must be an id of this service: 26 characters, digits and upper-case letters.", field)
	}
	return nil
}

// IsID reports whether a text is a ULID in its one canonical spelling. Lower
// case is refused: two spellings of one id would be two keys in the store.
func IsID(value string) bool {
	id, err := ulid.ParseStrict(value)
	return err == nil && id.String() == value
}

// Blank reports whether a text shows nothing: white space, controls and
// invisible format characters only.
func Blank(text string) bool {
	return strings.IndexFunc(text, func(r rune) bool { return unicode.IsGraphic(r) && !unicode.IsSpace(r) }) < 0
}

// Text checks a text that somebody typed or uploaded: not blank, at most limit
// bytes. tooLarge is the code for a text above the limit.
func Text(field, text string, limit int, tooLarge string) error {
	switch {
	case text == "":
		return Missing(field)
	case !utf8.ValidString(text):
		return Invalid(field, "The field %q must be valid UTF-8.", field)
	case len(text) > limit:
		return &FieldError{Field: field, Code: tooLarge, Detail: fmt.Sprintf(
			"The field %q has %d bytes in UTF-8; at most %d are allowed. Send less text.", field, len(text), limit)}
	case Blank(text):
		return Invalid(field, "The field %q shows nothing but white space. Write something.", field)
	}
	return nil
}

// Line checks a title: 1 to limit characters on one line, not blank.
func Line(field, text string, limit int) error {
	switch {
	case text == "":
		return Missing(field)
	case !utf8.ValidString(text):
		return Invalid(field, "The field %q must be valid UTF-8.", field)
	case utf8.RuneCountInString(text) > limit:
		return Invalid(field, "The field %q has more than %d characters.", field, limit)
	case strings.ContainsFunc(text, breaksLine):
		return Invalid(field, "The field %q must be one line without control characters.", field)
	case Blank(text):
		return Invalid(field, "The field %q shows nothing but white space.", field)
	}
	return nil
}

// breaksLine reports controls and the two line breaks that Unicode has besides
// them.
func breaksLine(r rune) bool { return unicode.IsControl(r) || r == '\u2028' || r == '\u2029' }

// TextFile checks that a text is not a binary file that was taken for one: it
// may have no C0 control character but tab, line feed, form feed and carriage
// return.
func TextFile(field, text string) error {
	if i := controlAt(text); i >= 0 {
		return Invalid(field, "This is not a text file: it has the control character 0x%02x at byte %d.", text[i], i)
	}
	return nil
}

// controlAt is the place of the first C0 control character that no text has,
// -1 when there is none.
func controlAt(text string) int {
	for i := range len(text) {
		if c := text[i]; c < 0x20 && !strings.ContainsRune("\t\n\f\r", rune(c)) {
			return i
		}
	}
	return -1
}
