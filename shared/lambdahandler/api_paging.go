package lambdahandler

import (
	"errors"
	"strconv"
	"unicode/utf8"

	"github.com/replyonce/replyonce/shared/inputcheck"
	"github.com/replyonce/replyonce/shared/storeerror"
)

// Sizes of pages, in entries.
const (
	defaultLimit = 50
	maxLimit     = 100
)

// limit reads the query parameter that bounds a page.
func (r *request) limit() (int, error) {
	text := r.query("limit")
	if text == "" {
		return defaultLimit, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > maxLimit {
		return 0, inputcheck.Invalid("limit", "The parameter \"limit\" must be a number from 1 to %d.", maxLimit)
	}
	return n, nil
}

// maxTextJSON is how much of a version's text, as JSON, one answer has. An answer of
// Lambda has 6 MB at most.
const maxTextJSON = 4_000_000

// from reads the position that a text is wanted from, in bytes.
func (r *request) from() (int, error) {
	text := r.query("from")
	if text == "" {
		return 0, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 {
		return 0, wrongFrom()
	}
	return n, nil
}

func wrongFrom() error {
	return inputcheck.Invalid("from", "The parameter \"from\" must be the \"next_from\" of an earlier answer. Start again without it.")
}

// fitting is how many bytes of a text, in whole characters, take at most limit bytes
// as a string of JSON. What is not UTF-8 counts as what takes its place.
func fitting(text string, limit int) int {
	size := 0
	for i, c := range text {
		switch {
		case c < ' ' || c == '\u2028' || c == '\u2029':
			size += len(`\u0000`)
		case c == '"' || c == '\\':
			size += 2
		default:
			size += utf8.RuneLen(c)
		}
		if size > limit {
			return i
		}
	}
	return len(text)
}

// cursorError names the parameter whose cursor the store refused.
func cursorError(err error, parameter string) error {
	if errors.Is(err, storeerror.ErrBadCursor) {
		return inputcheck.Invalid(parameter, "The parameter %q must be the \"next\" of an earlier answer. Start again without it.", parameter)
	}
	return err
}
