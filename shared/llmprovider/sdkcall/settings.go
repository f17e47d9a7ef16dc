package sdkcall

import (
	"errors"
	"fmt"
	"net/url"
)

// CheckAddress says what is wrong with an address that a provider is asked at.
func CheckAddress(baseURL string) error {
	address, err := url.Parse(baseURL)
	switch {
	case err != nil:
		return errors.New("address is no URL") // the parser's error quotes it
	case address.User != nil:
		return errors.New("address contains credentials")
	case address.Scheme != "http" && address.Scheme != "https" || address.Host == "":
		return fmt.Errorf("address %q: want https://host", baseURL)
	case address.RawQuery != "" || address.Fragment != "":
		return errors.New("address has a query or a fragment")
	}
	return nil
}

// maxTokens is more than any model takes; a larger count is a mistake that must
// not spoil sums.
const maxTokens = 1 << 40

// Tokens is a provider's count as it can be added up.
func Tokens(count int64) int { return int(min(max(count, 0), maxTokens)) }
