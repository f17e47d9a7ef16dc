package llmprovider_test

import (
	"math/big"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/replyonce/replyonce/shared/llmprovider"
)

var noon = time.Date(2026, time.November, 29, 12, 0, 0, 0, time.UTC)

func TestCaseM2RetryAfter(t *testing.T) {
	t.Parallel()
	date := func(layout string, ahead time.Duration) string { return noon.Add(ahead).Format(layout) }
	tests := []struct {
		name   string
		values []string
		want   time.Duration
	}{
		{"no header", nil, 0},
		{"seconds", []string{"7"}, 7 * time.Second},
		{"zero", []string{"0"}, 0},
		{"leading zeros", []string{"007"}, 7 * time.Second},
		{"white space around", []string{" \t7 "}, 7 * time.Second},
		{"date 90 s ahead", []string{date(http.TimeFormat, 90*time.Second)}, 90 * time.Second},
		{"RFC 850 date", []string{date(time.RFC850, time.Minute)}, time.Minute},
		{"asctime date", []string{date(time.ANSIC, time.Minute)}, time.Minute},
		{"date in the past", []string{date(http.TimeFormat, -time.Hour)}, 0},
		{"date now", []string{date(http.TimeFormat, 0)}, 0},
		{"date far in the future", []string{"Fri, 31 Dec 9999 23:59:59 GMT"}, llmprovider.MaxRetryAfter},
		{"junk", []string{"abc"}, 0},
		{"negative", []string{"-5"}, 0},
		{"sign", []string{"+5"}, 0},
		{"fraction is rounded up", []string{"1.5"}, 2 * time.Second},
		{"small fraction is rounded up", []string{"0.001"}, time.Second},
		{"zero fraction", []string{"3.000"}, 3 * time.Second},
		{"fraction without digits", []string{"3."}, 0},
		{"no whole part", []string{".5"}, 0},
		{"two points", []string{"1.2.3"}, 0},
		{"empty", []string{""}, 0},
		{"exponent", []string{"1e3"}, 0},
		{"hexadecimal", []string{"0x10"}, 0},
		{"not a number", []string{"NaN"}, 0},
		{"infinite", []string{"Inf"}, 0},
		{"unit", []string{"5s"}, 0},
		{"other digits", []string{"٧"}, 0},
		{"a year and more", []string{"31536001"}, llmprovider.MaxRetryAfter},
		{"beyond int64", []string{"99999999999999999999"}, llmprovider.MaxRetryAfter},
		{"absurd number of digits", []string{strings.Repeat("9", 5000)}, llmprovider.MaxRetryAfter},
		{"absurd number of zeros", []string{strings.Repeat("0", 5000) + "4"}, 4 * time.Second},
		{"two headers, the longer wins", []string{"7", "12"}, 12 * time.Second},
		{"two headers, junk first", []string{"abc", "9"}, 9 * time.Second},
		{"seconds and a date", []string{"7", date(http.TimeFormat, 90*time.Second)}, 90 * time.Second},
		{"joined by an intermediary", []string{"7, 12"}, 12 * time.Second},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			header := http.Header{"Retry-After": test.values}
			if got := llmprovider.RetryAfter(header, noon); got != test.want {
				t.Errorf("RetryAfter(%.80q) = %s, want %s", test.values, got, test.want)
			}
		})
	}
}

func TestCaseM2RetryAfterMilliseconds(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name   string
		header http.Header
		want   time.Duration
	}{
		{"whole seconds", http.Header{"Retry-After-Ms": {"2000"}}, 2 * time.Second},
		{"rounded up", http.Header{"Retry-After-Ms": {"2001"}}, 3 * time.Second},
		{"fraction", http.Header{"Retry-After-Ms": {"1000.5"}}, 2 * time.Second},
		{"one", http.Header{"Retry-After-Ms": {"1"}}, time.Second},
		{"zero", http.Header{"Retry-After-Ms": {"0"}}, 0},
		{"junk", http.Header{"Retry-After-Ms": {"soon"}}, 0},
		{"negative", http.Header{"Retry-After-Ms": {"-5"}}, 0},
		{"a year", http.Header{"Retry-After-Ms": {"31536000000"}}, llmprovider.MaxRetryAfter},
		{"twelve digits", http.Header{"Retry-After-Ms": {"999999999999"}}, llmprovider.MaxRetryAfter},
		{"absurd", http.Header{"Retry-After-Ms": {strings.Repeat("9", 400)}}, llmprovider.MaxRetryAfter},
		{"both, the longer wins", http.Header{"Retry-After-Ms": {"4200"}, "Retry-After": {"4"}}, 5 * time.Second},
		{"both, milliseconds are junk", http.Header{"Retry-After-Ms": {"x"}, "Retry-After": {"4"}}, 4 * time.Second},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if got := llmprovider.RetryAfter(test.header, noon); got != test.want {
				t.Errorf("RetryAfter(%.80q) = %s, want %s", test.header, got, test.want)
			}
		})
	}
}

// A date carries whole seconds and our clock does not: coming back in the same
// second but before the date would be too early.
func TestCaseM2DateIsRoundedUp(t *testing.T) {
	t.Parallel()
	header := http.Header{"Retry-After": {noon.Add(90 * time.Second).Format(http.TimeFormat)}}
	now := noon.Add(time.Millisecond)
	wait := llmprovider.RetryAfter(header, now)
	if now.Add(wait).Before(noon.Add(90 * time.Second)) {
		t.Errorf("waits %s, which ends before the date", wait)
	}
}

func FuzzRetryAfter(f *testing.F) {
	for _, seed := range []string{
		"7", "1.5", "-5", "abc", "", "7, 12", "99999999999999999999",
		"Sun, 29 Nov 2026 12:01:30 GMT", "Sunday, 29-Nov-26 12:01:30 GMT", "0000000000000000000000001",
	} {
		f.Add(seed, "")
		f.Add(seed, "3")
	}
	f.Fuzz(func(t *testing.T, first, second string) {
		wait := llmprovider.RetryAfter(http.Header{"Retry-After": {first, second}}, noon)
		if wait < 0 || wait > llmprovider.MaxRetryAfter || wait%time.Second != 0 {
			t.Fatalf("RetryAfter(%q, %q) = %s", first, second, wait)
		}
		if told := plainSeconds(first); wait < told {
			t.Fatalf("RetryAfter(%q, %q) = %s, which is earlier than told", first, second, wait)
		}
	})
}

// plainSeconds reads the standard's form with arithmetic that cannot overflow.
func plainSeconds(value string) time.Duration {
	if value == "" || strings.Trim(value, "0123456789") != "" {
		return 0
	}
	seconds, _ := new(big.Int).SetString(value, 10)
	if limit := big.NewInt(int64(llmprovider.MaxRetryAfter / time.Second)); seconds.Cmp(limit) > 0 {
		return llmprovider.MaxRetryAfter
	}
	return time.Duration(seconds.Int64()) * time.Second
}
