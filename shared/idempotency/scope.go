package idempotency

import (
	"fmt"
	"strings"
)

// Scope is what an idempotency key is unique in. Workspace and caller come
// from the authorizer, never from a header or a body, so that nobody can reach
// another caller's records by guessing a key.
type Scope struct {
	Workspace string
	Caller    string
	Operation string // the same name as in [NewCanonical]
}

// separator stands between escaped parts; [Escape] removes it from them.
const separator = "#"

// Address joins scope and key to one text that no other scope and key have:
// the four parts, escaped, with "#" between them. Caller "a" with operation
// "b#c" and caller "a#b" with operation "c" have different addresses.
func (s Scope) Address(key Key) string {
	return strings.Join([]string{
		Escape(s.Workspace), Escape(s.Caller), Escape(s.Operation), Escape(string(key)),
	}, separator)
}

// ParseAddress reads what [Scope.Address] wrote.
func ParseAddress(address string) (Scope, Key, error) {
	parts := strings.Split(address, separator)
	if len(parts) != 4 {
		return Scope{}, "", fmt.Errorf("parse idempotency address: %d parts, want 4", len(parts))
	}
	for i, part := range parts {
		text, err := Unescape(part)
		if err != nil {
			return Scope{}, "", fmt.Errorf("parse idempotency address: part %d: %w", i+1, err)
		}
		parts[i] = text
	}
	return Scope{Workspace: parts[0], Caller: parts[1], Operation: parts[2]}, Key(parts[3]), nil
}

const upperHex = "0123456789ABCDEF"

// Escape makes any text safe as one part of a "#"-separated key: every byte
// that is "%", "#" or no visible ASCII character becomes "%" and two
// upper-case hexadecimal digits. Different texts stay different.
func Escape(text string) string {
	var out strings.Builder
	for i := range len(text) {
		c := text[i]
		if staysPlain(c) {
			out.WriteByte(c)
			continue
		}
		out.WriteByte('%')
		out.WriteByte(upperHex[c>>4])
		out.WriteByte(upperHex[c&0x0f])
	}
	return out.String()
}

// Unescape reverses [Escape]. It accepts only what Escape writes: a byte that
// should have been escaped, or an escape that should not be there, is an
// error, so that one text has exactly one escaped form.
func Unescape(escaped string) (string, error) {
	var out strings.Builder
	for i := 0; i < len(escaped); i++ {
		c := escaped[i]
		if c != '%' {
			if !staysPlain(c) {
				return "", fmt.Errorf("unescape: byte 0x%02x at %d is not escaped", c, i)
			}
			out.WriteByte(c)
			continue
		}
		decoded, ok := decodeEscape(escaped[i:])
		if !ok {
			return "", fmt.Errorf("unescape: bad escape at %d", i)
		}
		out.WriteByte(decoded)
		i += 2
	}
	return out.String(), nil
}

func decodeEscape(text string) (byte, bool) {
	if len(text) < 3 {
		return 0, false
	}
	high := strings.IndexByte(upperHex, text[1])
	low := strings.IndexByte(upperHex, text[2])
	if high < 0 || low < 0 {
		return 0, false
	}
	c := byte(high<<4 | low) //nolint:gosec // two hexadecimal digits
	return c, !staysPlain(c)
}

func staysPlain(c byte) bool {
	return isVisible(c) && c != '%' && c != separator[0]
}
