package retrieval

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

func termsOf(text string) []string {
	var terms []string
	eachTerm(text, func(term string) { terms = append(terms, term) })
	return terms
}

func TestTerms(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"The Leader's decisions, decided by leaders": "leader decis decid leader",
		"see §4.2.1 and A.5. of 1998":                "see 4.2.1 a.5 1998",
		"Bücherei BÜCHEREI Bu\u0308cherei":           "bucherei bucherei bucherei",
		"Straße œuvre Łódź":                          "strass oeuvr lodz",
		"Ｆｕｌｌ width ﬁle":                             "full width file",
		"Ελλάδα Москва":                              "ελλαδα москва",
		"図書館は":                                       "図書 書館 館は",
		"猫":                                          "猫",
		"コーヒー飲む":                                     "コー ーヒ ヒー ー飲 飲む",
		"도서관 열다":                                     "도서 서관 열다",
		"PDFを読む":                                     "pdf を読 読む",
		"who would it be?":                           "",
		"don’t panic":                                "panic",
		"o’clock":                                    "o'clock",
		strings.Repeat("x", 100) + " short":          "short",
		"went wrote":                                 "go write",
	} {
		if got := strings.Join(termsOf(text), " "); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestThesaurus(t *testing.T) {
	t.Parallel()
	found, others := readThesaurus("resign quit step_down\nquit leave\n")
	if diff := cmp.Diff([]phrase{{words: []string{"step", "down"}, term: "resign"}}, found, cmp.AllowUnexported(phrase{})); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(map[string][]string{"resign": {"quit"}, "quit": {"resign", "leav"}, "leav": {"quit"}}, others); diff != "" {
		t.Error(diff)
	}
	if !containsWords("He steps step DOWN now", []string{"step", "down"}) || containsWords("step far down", []string{"step", "down"}) {
		t.Error("a phrase is words one after the other")
	}
}

func TestThesaurusLinesBeginWithAWord(t *testing.T) {
	t.Parallel()
	for line := range strings.Lines(thesaurus) {
		words := strings.Fields(line)
		if len(words) < 2 || strings.Contains(words[0], "_") {
			t.Errorf("line %q", line)
		}
	}
	if len(synonyms) < 1000 || len(phrases) < 50 {
		t.Errorf("%d words with synonyms, %d phrases", len(synonyms), len(phrases))
	}
}

// FuzzTerms: terms are valid, folded alike at any case, and bounded.
func FuzzTerms(f *testing.F) {
	for _, seed := range []string{"The Leader's 4.2.1", "図書館は猫", "e\u0301\u0301\u0301", "\xff", "ß", "İstanbul", "ﷺ", "한국어"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if !utf8.ValidString(text) {
			return
		}
		for _, term := range termsOf(text) {
			if term == "" || !utf8.ValidString(term) || len(term) > maxWordBytes+8 {
				t.Fatalf("term %q of %q", term, text)
			}
		}
	})
}
