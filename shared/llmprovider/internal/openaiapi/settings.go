package openaiapi

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/replyonce/replyonce/shared/llmprovider"
)

// CheckBaseURL returns the address without a slash at its end, or says what is
// wrong with it. Credentials in an address would end up in logs.
func CheckBaseURL(baseURL string) (string, error) {
	address, err := url.Parse(baseURL)
	switch {
	case err != nil:
		return "", errors.New("the base URL is not a URL") // the error would quote it
	case address.User != nil:
		return "", errors.New("the base URL contains credentials; set the key apart from it")
	case address.Scheme != "http" && address.Scheme != "https", address.Host == "":
		return "", fmt.Errorf("the base URL is %q, want one like https://host/v1", baseURL)
	case address.RawQuery != "" || address.Fragment != "":
		return "", errors.New("the base URL has a query or a fragment")
	}
	return strings.TrimRight(baseURL, "/"), nil
}

// KeySource returns the key to send. It is asked before every request, so that a
// rotated key is used soon; keeping it for a while is the source's business.
type KeySource = func(ctx context.Context) (string, error)

// Key asks the source. A source that fails has failed before anything was sent; a
// key that no header can carry needs an operator. No error shows any of the key.
func Key(ctx context.Context, source KeySource) (string, *llmprovider.Error) {
	key, err := source(ctx)
	if err != nil {
		return "", &llmprovider.Error{Kind: llmprovider.Rejected, Err: fmt.Errorf("get the provider's key: %w", err)}
	}
	if key == "" || strings.ContainsFunc(key, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return "", &llmprovider.Error{
			Kind:   llmprovider.Permanent,
			Reason: llmprovider.ReasonProviderMisconfigured,
			Err:    errors.New("the provider's key is empty or has characters that no key has"),
		}
	}
	return key, nil
}

// maxTokens is more than any model takes; a count beyond it is a mistake.
const maxTokens = 1 << 40

// Tokens returns a provider's count as it can be added up: none below zero.
func Tokens(count int64) int { return int(min(max(count, 0), maxTokens)) }
