package replywork_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"syscall"
	"testing"

	"github.com/replyonce/replyonce/shared/llmprovider"
)

// What is kept of an error is its class: an address, a text or a key that the
// error happens to hold must not end up on the task.
func TestCausesAreClassesInWords(t *testing.T) {
	t.Parallel()
	const secret = "sk-secret at 10.0.0.1"
	for want, err := range map[string]error{
		"no answer in time":                                 fmt.Errorf("%s: %w", secret, context.DeadlineExceeded),
		"the call was cancelled":                            fmt.Errorf("%s: %w", secret, context.Canceled),
		"the answer was cut off":                            fmt.Errorf("%s: %w", secret, io.ErrUnexpectedEOF),
		"the connection was lost":                           &net.OpError{Op: "read", Err: syscall.ECONNRESET},
		"the answer could not be understood":                errors.New(secret),
		"the provider does not know the operation any more": &llmprovider.Error{Kind: llmprovider.NotFound, Err: errors.New(secret)},
		"declined": &llmprovider.Error{Kind: llmprovider.Declined, Err: errors.New(secret)},
	} {
		got := call(t, stored(), &spy{err: err}, task())
		if got.Cause != want || strings.Contains(got.Cause, "secret") {
			t.Errorf("%v is kept as %q, want %q", err, got.Cause, want)
		}
		if got.Provider != "spy" {
			t.Errorf("asked %q", got.Provider)
		}
	}
}
