package builtin

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestReadBlocks(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, text string
		want       []string
	}{
		{"wrapped lines are joined", "one\n  two\nthree\n\nfour", []string{"paragraph one two three", "paragraph four"}},
		{"a broken word keeps its hyphen", "well-\nknown\n\nhere -\nthere", []string{"paragraph well-known", "paragraph here - there"}},
		{"carriage returns", "one\r\n\r\ntwo\r\n", []string{"paragraph one", "paragraph two"}},
		{"numbered heading after text", "text.\n   2. Scope\n\nmore.", []string{"paragraph text.", "heading1 2. Scope", "paragraph more."}},
		{"numbered heading of two levels", "  A.0. Proposal\ntext.", []string{"heading2 A.0. Proposal", "paragraph text."}},
		{"level without its full stop", "3.4 Scope\n\ntext.", []string{"heading2 3.4 Scope", "paragraph text."}},
		{"list items", "The board:\n 1. decides;\n 2. goes on\n    and on.\n 10. ends\n\ntext.", []string{
			"paragraph The board:", "item 1. decides;", "item 2. goes on and on.", "item 10. ends", "paragraph text.",
		}},
		{"item in lower column ends the item above", "    - in\nout", []string{"item - in", "paragraph out"}},
		{"lazy continuation", "- in\nstill in", []string{"item - in still in"}},
		{"other markers", "(a) one;\n(iv) two;\nc) three;\n• four;\n12) five;", []string{
			"item (a) one;", "item (iv) two;", "item c) three;", "item • four;", "item 12) five;",
		}},
		{"what is no marker", "1998. This\n\n(see\n\n-x\n\n1.\n\n1.5\n\nA.b c\n\n(abc) d", []string{
			"paragraph 1998. This", "paragraph (see", "paragraph -x", "paragraph 1.", "paragraph 1.5", "paragraph A.b c", "paragraph (abc) d",
		}},
		{"underlined", "Title\n=====\n\nSub\n---\n3.4. Deep\n========\ntext.", []string{
			"heading1 Title", "heading2 Sub", "heading2 3.4. Deep", "paragraph text.",
		}},
		{"overlined", "*****\nTitle\n*****\n", []string{"heading1 Title"}},
		{"rule", "one.\n\n----\n\ntwo.", []string{"paragraph one.", "paragraph two."}},
		{"rule under an item", "- one\n---\ntwo.", []string{"item - one", "paragraph two."}},
		{"markdown", "# A #\n\n### 1. B\ntext\n```\ncode: x\n```\n#tag", []string{
			"heading1 A", "heading3 1. B", "paragraph text", "paragraph code: x", "paragraph #tag",
		}},
		{"table of contents", "* 1. About\n  * 1.1. Scope\n* Other", []string{"contents * 1. About", "contents * 1.1. Scope", "item * Other"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var got []string
			for _, b := range readBlocks(test.text) {
				got = append(got, describe(b))
			}
			if !slices.Equal(got, test.want) {
				t.Errorf("got\n%q\nwant\n%q", got, test.want)
			}
		})
	}
}

func describe(b block) string {
	kind := map[blockKind]string{paragraph: "paragraph", listItem: "item", contents: "contents"}[b.kind]
	if b.kind == heading {
		kind = fmt.Sprintf("heading%d", b.level)
	}
	return strings.Join(slices.DeleteFunc([]string{kind, b.marker.text, b.text}, func(s string) bool { return s == "" }), " ")
}

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
