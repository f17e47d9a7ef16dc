package telemetry

import (
	"fmt"
	"log/slog"
	"reflect"
	"regexp"
	"strings"
	"time"
	"unicode/utf8"
)

// timeLayout is RFC 3339 in UTC with milliseconds.
const timeLayout = "2006-01-02T15:04:05.000Z07:00"

// MaxValueBytes is the length at which a logged text is cut.
const MaxValueBytes = 4096

const redacted = "[redacted]"

// secretNames are attribute names whose values are never written, whatever
// they hold: texts of people and documents, and what opens a door.
var secretNames = map[string]bool{
	"text": true, "message_text": true, "document_text": true, "reply_text": true,
	"question": true, "answer": true, "prompt": true, "history": true, "title": true,
	"body": true, "headers": true, "cookie": true,
	"authorization": true, "token": true, "id_token": true, "access_token": true,
	"refresh_token": true, "secret": true, "password": true, "api_key": true,
}

// bearer and jwt find tokens inside other texts, such as an error that quotes
// a request.
var (
	bearer = regexp.MustCompile(`(?i)\bbearer\s+\S+`)
	jwt    = regexp.MustCompile(`\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]*)?`)
)

// guard is called by the JSON handler for every attribute that is no group.
func guard(groups []string, a slog.Attr) slog.Attr {
	if len(groups) == 0 && a.Key == slog.TimeKey && a.Value.Kind() == slog.KindTime {
		return slog.String(slog.TimeKey, a.Value.Time().UTC().Format(timeLayout))
	}
	if secretNames[strings.ToLower(a.Key)] {
		return slog.String(a.Key, redacted)
	}
	switch a.Value.Kind() {
	case slog.KindString:
		a.Value = slog.StringValue(scrub(a.Value.String()))
	case slog.KindTime:
		a.Value = slog.StringValue(a.Value.Time().UTC().Format(timeLayout))
	case slog.KindDuration:
		a.Value = slog.Float64Value(float64(a.Value.Duration()) / float64(time.Millisecond))
	case slog.KindAny:
		a.Value = guardAny(a.Value.Any())
	case slog.KindBool, slog.KindFloat64, slog.KindInt64, slog.KindUint64, slog.KindGroup, slog.KindLogValuer:
	}
	return a
}

// guardAny lets errors, plain values and lists of texts through. Structures
// are named, not written: their fields are not known to be harmless.
func guardAny(value any) slog.Value {
	switch v := value.(type) {
	case nil, slog.Level:
		return slog.AnyValue(v)
	case error:
		return slog.StringValue(scrub(v.Error()))
	case []string:
		texts := make([]string, len(v))
		for i, text := range v {
			texts[i] = scrub(text)
		}
		return slog.AnyValue(texts)
	}
	plain := reflect.ValueOf(value)
	switch {
	case plain.Kind() == reflect.String:
		return slog.StringValue(scrub(plain.String()))
	case plain.CanInt():
		return slog.Int64Value(plain.Int())
	case plain.CanUint():
		return slog.Uint64Value(plain.Uint())
	case plain.CanFloat():
		return slog.Float64Value(plain.Float())
	case plain.Kind() == reflect.Bool:
		return slog.BoolValue(plain.Bool())
	}
	return slog.StringValue(fmt.Sprintf("[%T]", value))
}

// scrub cuts tokens out of a text and bounds its length.
func scrub(text string) string {
	if len(text) > MaxValueBytes {
		cut := MaxValueBytes
		for cut > 0 && !utf8.RuneStart(text[cut]) {
			cut--
		}
		text = fmt.Sprintf("%s… (%d bytes)", text[:cut], len(text))
	}
	if strings.Contains(text, "eyJ") {
		text = jwt.ReplaceAllString(text, redacted)
	}
	return bearer.ReplaceAllString(text, "Bearer "+redacted)
}
