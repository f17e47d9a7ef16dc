package tokenverify

import (
	"errors"
	"strings"
)

// MaxTokenBytes bounds the work that one header can cause. API Gateway passes
// on at most 10,240 bytes of headers.
const MaxTokenBytes = 10240

// ParseBearer takes the token out of an Authorization header (RFC 6750 section
// 2.1). The scheme's case does not matter. It gives a [*RefusedError] if the
// value is nothing of that kind.
func ParseBearer(header string) (string, error) {
	scheme, token, found := strings.Cut(strings.Trim(header, " \t"), " ")
	if !found || !strings.EqualFold(scheme, "Bearer") {
		return "", refused(ReasonNoToken, errors.New("not of the bearer scheme"))
	}
	token = strings.TrimLeft(token, " ")
	if len(token) > MaxTokenBytes {
		return "", refused(ReasonMalformed, errors.New("longer than a token may be"))
	}
	if strings.TrimRight(token, "=") == "" || strings.Trim(strings.TrimRight(token, "="), tokenCharacters) != "" {
		return "", refused(ReasonMalformed, errors.New("no bearer token behind the scheme"))
	}
	return token, nil
}

// tokenCharacters are those of b64token in RFC 6750, without the padding.
const tokenCharacters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~+/"
