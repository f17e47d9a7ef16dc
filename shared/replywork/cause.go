package replywork

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"syscall"

	"github.com/replyonce/replyonce/shared/llmprovider"
)

// causeOf is the class of a failure in words that are kept and shown: nothing of
// addresses, texts or keys is in them, whatever the error holds.
func causeOf(f *llmprovider.Error) string {
	_, isNetwork := errors.AsType[net.Error](f.Err)
	switch {
	case f.Kind == llmprovider.NotFound:
		return "the provider does not know the operation any more"
	case f.Kind != llmprovider.Ambiguous:
		return f.Kind.String()
	case errors.Is(f.Err, context.DeadlineExceeded), errors.Is(f.Err, os.ErrDeadlineExceeded):
		return "no answer in time"
	case errors.Is(f.Err, context.Canceled):
		return "the call was cancelled"
	case errors.Is(f.Err, io.ErrUnexpectedEOF):
		return "the answer was cut off"
	case errors.Is(f.Err, io.EOF), errors.Is(f.Err, syscall.ECONNRESET), errors.Is(f.Err, syscall.EPIPE), isNetwork:
		return "the connection was lost"
	}
	return "the answer could not be understood"
}
