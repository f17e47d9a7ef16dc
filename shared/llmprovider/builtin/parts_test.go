package builtin

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestSentences(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		"One. Two? Three!":                         {"One.", "Two?", "Three!"},
		"Version 1.8 of Jan. 28th. See §4.1.2.":    {"Version 1.8 of Jan. 28th.", "See §4.1.2."},
		"Ask e.g. Mr. Smith (cf. Dr. Who). Now.":   {"Ask e.g. Mr. Smith (cf. Dr. Who).", "Now."},
		"一。二。":                                     {"一。", "二。"},
		"Created in the U.S. to hold money. Fine.": {"Created in the U.S. to hold money.", "Fine."},
		"": nil,
	} {
		if got := sentences(text); !slices.Equal(got, want) {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

func TestCaseM8LongTextIsSplitBetweenGraphemes(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"emoji":     strings.Repeat("👨‍👩‍👧", 200),
		"words":     strings.Repeat("word ", 500),
		"accents":   strings.Repeat("e\u0301", 1000),
		"one glyph": "a" + strings.Repeat("\u0301", 1000),
	} {
		parts := sentences(text)
		if len(parts) < 2 {
			t.Errorf("%s: not split", name)
		}
		for _, part := range parts {
			if len(part) > maxPassageBytes || !utf8.ValidString(part) {
				t.Errorf("%s: part of %d bytes, valid: %t", name, len(part), utf8.ValidString(part))
			}
		}
		whole := strings.ReplaceAll(strings.Join(parts, ""), " ", "")
		if whole != strings.ReplaceAll(text, " ", "") {
			t.Errorf("%s: text was lost", name)
		}
	}
	if first := sentences(strings.Repeat("👨‍👩‍👧", 200))[0]; len(first)%len("👨‍👩‍👧") != 0 {
		t.Errorf("a family was torn apart: %q", first[len(first)-20:])
	}
}

func TestWords(t *testing.T) {
	t.Parallel()
	var got []string
	eachWord("Leader’s v1.8, §4.2.1(3): A.5. e.g. Build-Depends; cafe\u0301 決定x ok.", func(word string) { got = append(got, fold(word)) })
	want := []string{"leader's", "v1.8", "4.2.1", "3", "a.5", "e", "g", "build", "depends", "cafe", "決", "定", "x", "ok"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestStemsMeet(t *testing.T) {
	t.Parallel()
	for _, pair := range [][2]string{
		{"decisions", "decision"},
		{"makes", "made"},
		{"making", "make"},
		{"ratified", "ratify"},
		{"leader's", "leaders"},
		{"elections", "election"},
		{"Über", "uber"},
		{"ﬁles", "files"},
		{"votes", "voting"},
	} {
		if a, b := stem(fold(pair[0])), stem(fold(pair[1])); a != b {
			t.Errorf("%s → %s, %s → %s", pair[0], a, pair[1], b)
		}
	}
}

// A word is found whether or not the shortcut by its first letter is taken.
func TestTermsFindEveryForm(t *testing.T) {
	t.Parallel()
	question := newTerms("Who paid people to decide?")
	for word, found := range map[string]bool{
		"pays": true, "paid": true, "person": true, "People": true, "deciding": true, "DECIDES": true, "pair": false, "who": false,
	} {
		if got := question.find(word) != none; got != found {
			t.Errorf("%s: found %t", word, got)
		}
	}
}

func TestQuestionOfAnyLength(t *testing.T) {
	t.Parallel()
	var question strings.Builder
	for i := range 10 * maxTerms {
		fmt.Fprintf(&question, "word%d ", i)
	}
	if got := len(newTerms(question.String()).ids); got != maxTerms {
		t.Errorf("%d terms", got)
	}
}
