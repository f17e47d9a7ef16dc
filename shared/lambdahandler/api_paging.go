package lambdahandler

import (
	"errors"
	"strconv"

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

// cursorError names the parameter whose cursor the store refused.
func cursorError(err error, parameter string) error {
	if errors.Is(err, storeerror.ErrBadCursor) {
		return inputcheck.Invalid(parameter, "The parameter %q must be the \"next\" of an earlier answer. Start again without it.", parameter)
	}
	return err
}
