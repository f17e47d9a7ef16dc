package llmprovider

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/rivo/uniseg"
)

// minCutAnswer is the least number of bytes worth keeping of a shortened answer.
const minCutAnswer = 200

// ellipsis marks a shortened text.
const ellipsis = "…"

// CutText returns the longest prefix of text that has at most limit bytes and
// ends at a grapheme boundary (UAX #29), so that no emoji, flag or combined
// letter is torn. Bytes that are not UTF-8 become U+FFFD first. The result may be
// empty: one grapheme can be longer than limit.
func CutText(text string, limit int) string {
	head := headOf(text, limit)
	if !utf8.ValidString(head) {
		text = strings.ToValidUTF8(text, "\uFFFD")
		head = headOf(text, limit)
	}
	if len(text) <= limit {
		return text
	}
	end, state, rest := 0, -1, head
	for rest != "" {
		var grapheme string
		grapheme, rest, _, state = uniseg.FirstGraphemeClusterInString(rest, state)
		if end+len(grapheme) > limit {
			break
		}
		end += len(grapheme)
	}
	return head[:end]
}

// headOf is as much of text as decides where it is cut: limit bytes and the
// character after them. What follows cannot matter, however long it is.
func headOf(text string, limit int) string {
	end := limit + utf8.UTFMax
	if end >= len(text) {
		return text
	}
	for end > limit && !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end]
}

// EstimateTokens returns a rough number of tokens: one for every four bytes of
// ASCII, rounded up, and one for every other character. It is for limits and
// for providers that do not count; it is no bill.
func EstimateTokens(text string) int {
	ascii, other := 0, 0
	for _, r := range text {
		if r < utf8.RuneSelf {
			ascii++
		} else {
			other++
		}
	}
	return (ascii+3)/4 + other
}

// FitHistory returns the newest turns whose texts have at most limit bytes
// together, oldest first. Turns are kept whole from the newest backwards; the
// first that does not fit is kept with a shortened answer if its question and a
// useful part of the answer fit, and everything older is dropped. It is a fixed
// rule, so two attempts of one task get the same prompt. turns is not changed.
func FitHistory(turns []Turn, limit int) []Turn {
	left := limit
	var kept []Turn
	for _, turn := range slices.Backward(turns) {
		size := len(turn.Question) + len(turn.Answer)
		if size <= left {
			kept = append(kept, turn)
			left -= size
			continue
		}
		if room := left - len(turn.Question) - len(ellipsis); room >= minCutAnswer {
			turn.Answer = CutText(turn.Answer, room) + ellipsis
			kept = append(kept, turn)
		}
		break
	}
	slices.Reverse(kept)
	return kept
}

// CheckAnswer decides whether an answer's text can be saved, given the most
// bytes that a reply may have. It returns nil or an *Error of kind Empty,
// TooLarge, or Ambiguous for a text that is not UTF-8: the model ran, and what it
// said cannot be read.
func CheckAnswer(text string, limit int) error {
	switch {
	case !utf8.ValidString(text):
		return &Error{Kind: Ambiguous, Err: errors.New("provider answer is not valid UTF-8")}
	case strings.TrimSpace(text) == "":
		return &Error{Kind: Empty, Reason: ReasonEmptyReply, Err: errors.New("provider answer has no text")}
	case len(text) > limit:
		return &Error{
			Kind:   TooLarge,
			Reason: ReasonReplyTooLarge,
			Err:    fmt.Errorf("provider answer has %d bytes, at most %d are kept", len(text), limit),
		}
	}
	return nil
}
