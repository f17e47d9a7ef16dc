package telemetry

import (
	"fmt"
	"log/slog"
	"strconv"
)

// Private is a text that must not be seen by operators: what a person wrote,
// what a document says, a token. However it is printed, logged or encoded, only
// its length shows; a conversion to string gives the text itself.
//
// It is the explicit half of the guard. The other half works without it: the
// logger replaces values under telling names (text, token, body …), cuts bearer
// and JSON web tokens out of every text, cuts long texts and writes no
// structures.
type Private string

// LogValue implements [slog.LogValuer].
func (p Private) LogValue() slog.Value { return slog.StringValue(p.placeholder()) }

// Format implements [fmt.Formatter], so that no verb shows the text.
func (p Private) Format(state fmt.State, _ rune) {
	_, _ = state.Write([]byte(p.placeholder()))
}

// MarshalText implements [encoding.TextMarshaler] for JSON and the like.
func (p Private) MarshalText() ([]byte, error) { return []byte(p.placeholder()), nil }

func (p Private) placeholder() string {
	return "[private, " + strconv.Itoa(len(p)) + " bytes]"
}
