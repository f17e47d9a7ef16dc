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

// maxDelayDigits is how many digits of seconds are worth reading: ten digits are
// far above MaxRetryAfter and far below the limits of int64.
const maxDelayDigits = 10

// RetryAfter returns how long the provider asked to wait, in whole seconds and
// never rounded down; zero means that it asked for nothing that can be
// understood. Both forms of RFC 9110 §10.2.3 are read, seconds and HTTP date
// (all three date layouts of §5.6.7, relative to now). Some providers send
// fractions of a second, and intermediaries may repeat the field or join its
// values with commas: the longest readable wait wins, so that we never come
// back earlier than told. A negative number and a date in the past ask for
// nothing.
func RetryAfter(header http.Header, now time.Time) time.Duration {
	var longest time.Duration
	for _, value := range header.Values("Retry-After") {
		longest = max(longest, parseRetryAfter(value, now))
	}
	return longest
}

func parseRetryAfter(value string, now time.Time) time.Duration {
	value = strings.Trim(value, " \t")
	if date, err := http.ParseTime(value); err == nil {
		return waitUntil(date, now)
	}
	var longest time.Duration
	for part := range strings.SplitSeq(value, ",") {
		if wait, ok := parseDelay(strings.Trim(part, " \t")); ok {
			longest = max(longest, wait)
		}
	}
	return longest
}

func waitUntil(date, now time.Time) time.Duration {
	// Sub saturates, so a date in the year 9999 is a long wait and not a wrapped one.
	return roundUpToSecond(date.Sub(now))
}

// parseDelay reads digits with an optional fraction. A sign, an exponent, a unit
// or a missing digit on either side of the point makes it no number of seconds.
func parseDelay(value string) (time.Duration, bool) {
	whole, fraction, hasFraction := strings.Cut(value, ".")
	if !allDigits(whole) || hasFraction && !allDigits(fraction) {
		return 0, false
	}
	whole = strings.TrimLeft(whole, "0")
	if len(whole) > maxDelayDigits {
		return MaxRetryAfter, true
	}
	var seconds int64
	for _, digit := range []byte(whole) {
		seconds = seconds*10 + int64(digit-'0')
	}
	if strings.Trim(fraction, "0") != "" {
		seconds++
	}
	if seconds >= int64(MaxRetryAfter/time.Second) {
		return MaxRetryAfter, true
	}
	return time.Duration(seconds) * time.Second, true
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
