package conformance

import (
	"net/http"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/replyonce/replyonce/shared/llmprovider"
)

func retryAfter[S any](t *testing.T, arm Arm[S]) {
	t.Helper()
	type wait struct {
		name     string
		header   http.Header
		min, max time.Duration
	}
	after := func(values ...string) http.Header { return http.Header{"Retry-After": values} }
	waits := []wait{
		{"none", nil, 0, 0},
		{"seconds", after("7"), 7 * time.Second, 7 * time.Second},
		// Between writing the date and reading it time passes, and a date has no fraction.
		{"date", after("date:+90s"), 80 * time.Second, 90 * time.Second},
		{"date in the past", after("date:-90s"), 0, 0},
		{"junk", after("abc"), 0, 0},
		{"negative", after("-5"), 0, 0},
		{"fraction", after("1.5"), 2 * time.Second, 2 * time.Second},
		{"empty", after(""), 0, 0},
		{"two headers", after("7", "12"), 12 * time.Second, 12 * time.Second},
		{"absurd", after("99999999999999999999"), llmprovider.MaxRetryAfter, llmprovider.MaxRetryAfter},
	}
	for _, name := range arm.Milliseconds {
		waits = append(waits,
			wait{name, http.Header{name: {"2500"}}, 3 * time.Second, 3 * time.Second},
			wait{name + " beside seconds", http.Header{name: {"2500"}, "Retry-After": {"2"}}, 3 * time.Second, 3 * time.Second},
			wait{name + " absurd", http.Header{name: {"99999999999999999999"}}, llmprovider.MaxRetryAfter, llmprovider.MaxRetryAfter},
			wait{name + " negative", http.Header{name: {"-5"}}, 0, 0})
	}
	for _, test := range waits {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := newScene(t, arm, arm.Steps.Limited(test.header))
			if got := s.wantFailure(llmprovider.ClassRejected).RetryAfter; got < test.min || got > test.max {
				t.Errorf("retry after %s, want %s to %s", got, test.min, test.max)
			}
			s.wantRequests(1, 0)
		})
	}
	t.Run("with a status that is not a refusal", func(t *testing.T) {
		t.Parallel()
		s := newScene(t, arm, arm.Steps.Failing(after("3")))
		if failure := s.wantFailure(llmprovider.ClassAmbiguous); failure.RetryAfter != 3*time.Second {
			t.Errorf("retry after %s", failure.RetryAfter)
		}
	})
}

func sizeOfAnswers[S any](t *testing.T, arm Arm[S]) {
	t.Helper()
	const limit = 5000
	limited := func(t *testing.T, bytes int) *scene[S] {
		t.Helper()
		s := newScene(t, arm, arm.Steps.Bytes(bytes))
		s.settings.MaxReplyBytes = limit
		s.renew()
		return s
	}
	for name, bytes := range map[string]int{"a byte too large": limit + 1, "far too large": 8 << 20} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := limited(t, bytes)
			s.wantFailure(llmprovider.Class{Kind: llmprovider.TooLarge, Reason: llmprovider.ReasonReplyTooLarge})
			s.wantRequests(1, 1)
		})
	}
	t.Run("at the limit", func(t *testing.T) {
		t.Parallel()
		if got := limited(t, limit).wantAnswer(); len(got.Text) != limit || got.CutShort {
			t.Errorf("%d bytes, cut short: %t", len(got.Text), got.CutShort)
		}
	})
}

// tooLongIsNotSent: a prompt that is over the limit fails before any request, the
// same prompt within it does not.
func tooLongIsNotSent[S any](t *testing.T, arm Arm[S]) {
	t.Helper()
	s := newScene(t, arm)
	for range 300 {
		s.request.Prompt.History = append(s.request.Prompt.History, llmprovider.Turn{Question: "Why?", Answer: "Because."})
	}
	tokens := s.request.Prompt.Chat().EstimateTokens()
	s.settings.MaxInputTokens = tokens - 1
	s.renew()
	s.wantFailure(llmprovider.ClassInputTooLarge)
	s.wantRequests(0, 0)
	s.settings.MaxInputTokens = tokens
	s.renew()
	s.wantAnswer()
	s.wantRequests(1, 1)
}

// oddText: whatever a conversation holds, the provider gets a request that it can
// read, and the text that was typed.
func oddText[S any](t *testing.T, arm Arm[S]) {
	t.Helper()
	for name, text := range map[string]string{
		"torn emoji":       "ok \xf0\x9f\x91",
		"decomposed":       "cafe\u0301",
		"skin tone":        "👍🏽",
		"control":          "a\x00b\u2028c\u202e",
		"markup":           `"</script>&amp;\`,
		"only white space": " \n",
		"nothing":          "",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newScene(t, arm)
			s.request.Prompt.History[0].Answer = text
			s.request.Prompt.Document.Title = text
			s.request.Prompt.Document.Text += text
			s.request.Prompt.Question += text
			s.wantAnswer()
			s.wantRequests(1, 1)
			seen := s.fake.Seen()[0]
			if !utf8.Valid(seen.Body) {
				t.Error("the body is not valid UTF-8")
			}
			if want := legible(s.request.Prompt.Question); !strings.HasSuffix(legible(seen.Question), want) {
				t.Errorf("the provider was asked %q, want %q", seen.Question, want)
			}
		})
	}
}

// legible has one U+FFFD for any number of bytes in a row that are not UTF-8.
func legible(text string) string {
	marked := strings.ReplaceAll(text, "\uFFFD", "\xff")
	return strings.ToValidUTF8(marked, "\uFFFD")
}
