package sdkcall

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/replyonce/replyonce/shared/llmprovider"
)

// KeySource returns the provider's key. It is asked before each call, so that a
// key that was replaced is used without a restart; caching is its own business.
type KeySource func(ctx context.Context) (string, error)

// Read returns the key without the white space around it, which files and
// secrets often have. Its *llmprovider.Error never contains the key:
//
//   - Rejected if the source failed: nothing was sent, and it may work next time.
//   - Permanent if the key cannot be one.
func (s KeySource) Read(ctx context.Context) (string, error) {
	key, err := s(ctx)
	if err != nil {
		if cause := context.Cause(ctx); cause != nil {
			err = fmt.Errorf("%w: %w", cause, err)
		}
		return "", &llmprovider.Error{Kind: llmprovider.Rejected, Err: fmt.Errorf("read the provider's key: %w", err)}
	}
	key = strings.TrimSpace(key)
	if key == "" || strings.IndexFunc(key, notVisibleASCII) >= 0 {
		return "", &llmprovider.Error{
			Kind:   llmprovider.Permanent,
			Reason: llmprovider.ReasonProviderMisconfigured,
			Err:    errors.New("the provider's key is empty or holds characters that a header cannot carry"),
		}
	}
	return key, nil
}

func notVisibleASCII(r rune) bool { return r <= ' ' || r > '~' }
