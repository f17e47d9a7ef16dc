package retrieval

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/replyonce/replyonce/shared/textextract"
	"github.com/replyonce/replyonce/shared/textextract/realdocs"
)

// stored is an index in memory; it counts what is read.
type stored struct {
	parts map[Key][]byte
	read  int
	calls int
	err   error
}

func store(t testing.TB, text string) *stored {
	t.Helper()
	s := &stored{parts: make(map[Key][]byte)}
	for _, p := range Build(Split(documentOf(t, text))) {
		s.parts[p.Key] = p.Bytes
	}
	return s
}

func (s *stored) ReadParts(_ context.Context, keys []Key) ([][]byte, error) {
	s.calls++
	var found [][]byte
	for _, k := range keys {
		if b, known := s.parts[k]; known {
			s.read += len(b)
			found = append(found, b)
		}
	}
	return found, s.err
}

func ask(t *testing.T, s *stored, k int, question string, earlier ...string) []Hit {
	t.Helper()
	hits, err := Search(t.Context(), s, Question{Text: question, Earlier: earlier}, k)
	if err != nil {
		t.Fatal(err)
	}
	return hits
}

const library = `1. Opening hours

The library opens at nine. On Sundays it stays closed.

2. Members

A member may resign at any time by writing to the board.

3. Café

Der Kaffee wird in der Bücherei frisch gemahlen. Größere Gruppen melden sich an.

4. 図書館

図書館は九時に開きます。日曜日は休みです。

5. The board

The board may:
 * spend the money of the library;
 * name the librarian.

6. Lost things

Somebody has to be told about things that are lost.
`

func TestFinding(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, question, want string }{
		{"word forms", "When is the opening?", "1. Opening hours"},
		{"synonym", "How do I quit?", "2. Members"},
		{"phrase", "Can I step down?", "2. Members"},
		{"accents left out", "groessere gruppen bucherei", "3. Café"},
		{"heading", "cafe", "3. Café"},
		{"japanese", "日曜日はいつ休みですか", "4. 図書館"},
		{"everyday words count little", "Can somebody tell me about things like the librarian, please?", "5. The board"},
		{"introduction of a list", "What may the board do?", "5. The board"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			hits := ask(t, store(t, library), 3, test.question)
			if len(hits) == 0 || hits[0].Headings[0] != test.want {
				t.Errorf("found %+v, want %s first", hits, test.want)
			}
		})
	}
}

func TestAFollowUpIsAboutWhatWasAskedBefore(t *testing.T) {
	t.Parallel()
	hits := ask(t, store(t, library), 1, "And when?", "Why?", "May I resign?", "Is it closed on Sundays?")
	if len(hits) != 1 || hits[0].Headings[0] != "2. Members" {
		t.Errorf("found %+v", hits)
	}
}

func TestNothingToFind(t *testing.T) {
	t.Parallel()
	s := store(t, library)
	for _, question := range []string{"", "who?", "zebra", "…"} {
		if hits := ask(t, s, 5, question); len(hits) > 0 {
			t.Errorf("%q found %+v", question, hits)
		}
	}
	if hits := ask(t, s, 0, "library"); len(hits) > 0 {
		t.Errorf("nothing was asked for, and %+v found", hits)
	}
}

func TestEqualPassagesComeInTheTextsOrder(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("x\n===\n\nzebra\n\n", 20)
	hits := ask(t, store(t, text), 3, "zebra")
	if len(hits) != 3 || hits[1].Start < hits[0].Start && hits[1].Score >= hits[0].Score || hits[2].Start < hits[1].Start && hits[2].Score >= hits[1].Score {
		t.Errorf("found %+v", hits)
	}
}

func TestAnItemIsFoundByWhatItHangsFrom(t *testing.T) {
	t.Parallel()
	text := "Clerk\n=====\n\n" + filler("invest", 300) + "\n\nBoard\n=====\n\nThe treasurer may:\n"
	for _, item := range []string{"spend", "lend", "invest"} {
		text += " * " + filler(item, 1000) + "\n"
	}
	if hits := ask(t, store(t, text), 1, "May the treasurer invest?"); len(hits) != 1 || hits[0].Headings[0] != "Board" || !strings.Contains(hits[0].Text, "invest") {
		t.Errorf("found %+v", hits)
	}
}

func TestOfEqualPassagesTheOneBesideAnotherIsBetter(t *testing.T) {
	t.Parallel()
	text := "A\n===\n\nThe zebra sleeps.\n\nB\n===\n\nNothing here.\n\nC\n===\n\nThe zebra sleeps.\n\nD\n===\n\nA zebra runs far.\n"
	if hits := ask(t, store(t, text), 3, "When does the zebra sleep?"); len(hits) != 3 || hits[0].Headings[0] != "C" {
		t.Errorf("found %+v", hits)
	}
}

func TestTermsAreReadTheSurestFirstAndOnlyWhatMayBeThere(t *testing.T) {
	t.Parallel()
	one, two := termHash("one"), termHash("two")
	concepts := []concept{
		{alternatives: []alternative{{one, 1}, {3, 0.5}, {two, 0.9}}},
		{alternatives: []alternative{{5, 1}, {two, 0.7}}},
	}
	there := newSieve(map[uint32][]posting{one: nil, two: nil, 1 << 28: nil, 1 << 30: nil, 3 << 30: nil})
	if there.mayHave(3) || there.mayHave(5) {
		t.Fatal("the test's absent terms pass the sieve")
	}
	if got := inOrder(concepts, there); !slices.Equal(got, []uint32{one, two, two}) {
		t.Errorf("reads %v, want %v", got, []uint32{one, two, two})
	}
}

// A question's own words stand for themselves alone: the thesaurus has "vote" for
// "ballot", and a passage that has one of them has one word of the question.
func TestAWordOfTheQuestionStandsForNoOtherOne(t *testing.T) {
	t.Parallel()
	text := "A\n===\n\nA vote, the vote, a vote and the vote.\n\nB\n===\n\nNothing here.\n\nC\n===\n\nThe ballot of the zebra.\n"
	if hits := ask(t, store(t, text), 3, "zebra vote ballot"); len(hits) == 0 || hits[0].Headings[0] != "C" {
		t.Errorf("found %+v", hits)
	}
}

func TestASubstituteCountsMoreWhereTheWordIsNowhere(t *testing.T) {
	t.Parallel()
	text := "A\n===\n\nResign by letter.\n\nB\n===\n\nNothing.\n\nC\n===\n\n"
	score := func(text string) float64 {
		for _, hit := range ask(t, store(t, text), 3, "quit") {
			if hit.Headings[0] == "A" {
				return hit.Score
			}
		}
		return 0
	}
	if a, b := score(text+"Quit.\n"), score(text+"Stay.\n"); a >= b || a == 0 {
		t.Errorf("scores %v beside the word, %v without it", a, b)
	}
}

func TestAReaderIsHeldToItsWord(t *testing.T) {
	t.Parallel()
	broken := errors.New("store unavailable")
	s := store(t, library)
	s.err = broken
	if _, err := Search(t.Context(), s, Question{Text: "library"}, 3); !errors.Is(err, broken) {
		t.Errorf("error %v, want that of the store", err)
	}
	for _, kind := range []PartKind{Head, Terms, Texts} {
		s := store(t, library)
		for key := range s.parts {
			if key.Kind == kind {
				delete(s.parts, key)
			}
		}
		if _, err := Search(t.Context(), s, Question{Text: "library"}, 3); err == nil {
			t.Errorf("no error without parts %s", kind)
		}
	}
}

func TestAQuestionReadsLittleHoweverLongItAndTheTextAre(t *testing.T) {
	t.Parallel()
	var b, question strings.Builder
	for i := range 4000 {
		fmt.Fprintf(&b, "Chapter of word%d\n=====\n\n%s word%d and word%d.", i%700, filler("day", 700), i, i%1300)
		for j := range 8 {
			fmt.Fprintf(&b, " rare%d", 8*i+j)
		}
		b.WriteString("\n\n")
	}
	for i := range 500 {
		fmt.Fprintf(&question, "word%d elect remove big ", i)
	}
	s := store(t, b.String())
	if hits := ask(t, s, 50, question.String()); len(hits) == 0 || s.read > MaxReadBytes || s.calls != 3 {
		t.Errorf("%d hits, %d bytes read in %d calls", len(hits), s.read, s.calls)
	}
}

// BenchmarkPolicy times what the work on a document of 480 kB takes.
func BenchmarkPolicy(b *testing.B) {
	file := textextract.File{Name: "policy.txt", Bytes: realdocs.Read(b, "policy.txt")}
	b.SetBytes(int64(len(file.Bytes)))
	for b.Loop() {
		d, err := textextract.Extractor{}.Extract(b.Context(), file)
		if err != nil {
			b.Fatal(err)
		}
		Build(Split(d))
	}
}

// BenchmarkSearch times a question, without a store's latency.
func BenchmarkSearch(b *testing.B) {
	s := store(b, string(realdocs.Read(b, "policy.txt")))
	for b.Loop() {
		if _, err := Search(b.Context(), s, Question{Text: "Which characters may the name of a package contain?"}, 8); err != nil {
			b.Fatal(err)
		}
	}
}
