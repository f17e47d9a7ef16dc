package idempotency

import (
	"strings"

	"github.com/dunglas/httpsfv"
)

// MaxKeyLength is the greatest number of characters in an idempotency key,
// counted after the quotes and escapes of the quoted form are removed.
const MaxKeyLength = 255

// maxQuotedLength is the longest header value worth parsing: every character
// escaped, between two quotes.
const maxQuotedLength = 2*MaxKeyLength + 2

// Key is an idempotency key in its bare form: 1 to [MaxKeyLength] visible
// ASCII characters. It is chosen by the caller and is not a secret; it means
// something only together with a [Scope].
type Key string

// ParseKey reads the key from all values of the Idempotency-Key header,
// however the header's name was spelled.
//
// A value is the key itself or a string in the notation of RFC 8941 section
// 3.3.3 ("..." with \" and \\ as escapes); both forms of one key are the same
// key. A value that begins with a quote is always taken for the quoted form.
// The same key given several times counts once. Everything else is refused
// with a [*KeyError]: a key that is guessed wrong runs the work twice or hands
// out the result of other work.
func ParseKey(values []string) (Key, error) {
	if len(values) == 0 {
		return "", &KeyError{Reason: ReasonMissing}
	}
	var key Key
	for i, value := range values {
		parsed, err := parseKeyValue(value)
		if err != nil {
			return "", err
		}
		if i > 0 && parsed != key {
			return "", &KeyError{Reason: ReasonConflicting}
		}
		key = parsed
	}
	return key, nil
}

// HeaderValue returns the key as a header value that [ParseKey] reads back:
// bare, unless the key itself begins with a quote.
func (k Key) HeaderValue() string {
	if !strings.HasPrefix(string(k), `"`) {
		return string(k)
	}
	escaped := strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(string(k))
	return `"` + escaped + `"`
}

func parseKeyValue(value string) (Key, error) {
	// Optional white space around a field value is not part of it
	// (RFC 9110 section 5.5).
	value = strings.Trim(value, " \t")
	if len(value) > maxQuotedLength {
		return "", &KeyError{Reason: ReasonTooLong}
	}
	if strings.HasPrefix(value, `"`) {
		unquoted, err := unquote(value)
		if err != nil {
			return "", err
		}
		value = unquoted
	}
	return checkKey(value)
}

// unquote reads a structured-field string. Parameters behind it are refused:
// none is defined for this header, and ignoring them would make one key of
// two different values.
func unquote(value string) (string, error) {
	item, err := httpsfv.UnmarshalItem([]string{value})
	if err != nil {
		return "", &KeyError{Reason: ReasonBadQuoting, Cause: err}
	}
	text, isString := item.Value.(string)
	if !isString || len(item.Params.Names()) > 0 {
		return "", &KeyError{Reason: ReasonBadQuoting}
	}
	return text, nil
}

func checkKey(text string) (Key, error) {
	if strings.Trim(text, " ") == "" {
		return "", &KeyError{Reason: ReasonBlank}
	}
	if len(text) > MaxKeyLength {
		return "", &KeyError{Reason: ReasonTooLong}
	}
	for i := range len(text) {
		if !isVisible(text[i]) {
			return "", &KeyError{Reason: ReasonNotVisibleASCII}
		}
	}
	return Key(text), nil
}

// isVisible reports whether c is a visible ASCII character (VCHAR of RFC 5234).
func isVisible(c byte) bool {
	return c >= 0x21 && c <= 0x7e
}
