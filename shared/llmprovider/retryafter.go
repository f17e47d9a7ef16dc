package llmprovider

import (
	"net/http"
	"strings"
	"time"
)

// MaxRetryAfter is the longest wait that RetryAfter reports. A provider that
// asks for more gets this much, which is beyond every deadline of the product:
// an absurd value must not turn into a short one by overflow or by being ignored.
const MaxRetryAfter = 365 * 24 * time.Hour

// maxDelayDigits is how many digits of a number are worth reading: twelve digits,
// even of milliseconds, are far above MaxRetryAfter and far below the limits of int64.
const maxDelayDigits = 12

// delayHeaders are the fields that may carry a wait, with the unit of their
// numbers. Retry-After-Ms is no standard: OpenAI and Anthropic send it beside
// Retry-After, and their official clients read it.
var delayHeaders = []struct {
	name string
	unit time.Duration
}{
	{"Retry-After", time.Second},
	{"Retry-After-Ms", time.Millisecond},
}

// RetryAfter returns how long the provider asked to wait, in whole seconds and
// never rounded down; zero means that it asked for nothing that can be
// understood. Both forms of RFC 9110 §10.2.3 are read, seconds and HTTP date
// (all three date layouts of §5.6.7, relative to now), and milliseconds in
// Retry-After-Ms. Some providers send fractions of a second, and intermediaries
// may repeat a field or join its values with commas: the longest readable wait
// wins, so that we never come back earlier than told. A negative number and a
// date in the past ask for nothing.
func RetryAfter(header http.Header, now time.Time) time.Duration {
	var longest time.Duration
	for _, field := range delayHeaders {
		for _, value := range header.Values(field.name) {
			longest = max(longest, parseRetryAfter(value, field.unit, now))
		}
	}
	return roundUpToSecond(longest)
}

func parseRetryAfter(value string, unit time.Duration, now time.Time) time.Duration {
	value = strings.Trim(value, " \t")
	if date, err := http.ParseTime(value); err == nil {
		// Sub saturates, so a date in the year 9999 is a long wait and not a wrapped one.
		return date.Sub(now)
	}
	var longest time.Duration
	for part := range strings.SplitSeq(value, ",") {
		if wait, ok := parseDelay(strings.Trim(part, " \t"), unit); ok {
			longest = max(longest, wait)
		}
	}
	return longest
}

// parseDelay reads digits with an optional fraction, as a number of units, rounded
// up. A sign, an exponent, a unit or a missing digit on either side of the point
// makes it no number.
func parseDelay(value string, unit time.Duration) (time.Duration, bool) {
	whole, fraction, hasFraction := strings.Cut(value, ".")
	if !allDigits(whole) || hasFraction && !allDigits(fraction) {
		return 0, false
	}
	whole = strings.TrimLeft(whole, "0")
	if len(whole) > maxDelayDigits {
		return MaxRetryAfter, true
	}
	var units int64
	for _, digit := range []byte(whole) {
		units = units*10 + int64(digit-'0')
	}
	if strings.Trim(fraction, "0") != "" {
		units++
	}
	if units >= int64(MaxRetryAfter/unit) {
		return MaxRetryAfter, true
	}
	return time.Duration(units) * unit, true
}

func allDigits(s string) bool {
	for _, c := range []byte(s) {
		if c < '0' || c > '9' {
			return false
		}
	}
	return s != ""
}

func roundUpToSecond(d time.Duration) time.Duration {
	switch {
	case d <= 0:
		return 0
	case d >= MaxRetryAfter:
		return MaxRetryAfter
	}
	return (d + time.Second - 1).Truncate(time.Second)
}
