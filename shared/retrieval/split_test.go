package retrieval

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/rivo/uniseg"

	"github.com/replyonce/replyonce/shared/textextract"
)

func documentOf(t testing.TB, text string) textextract.Document {
	t.Helper()
	d, err := textextract.Extractor{}.Extract(t.Context(), textextract.File{Name: "a.txt", Bytes: []byte(text)})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// filler is text of about n bytes in sentences.
func filler(word string, n int) string {
	sentence := "The " + word + " goes on as it always did, and nobody minds. "
	return strings.TrimSpace(strings.Repeat(sentence, n/len(sentence)+1))
}

func TestPassagesOfSectionsAndLists(t *testing.T) {
	t.Parallel()
	text := "1. Opening\n\nThe board may:\n 1. open the door;\n 2. close the door.\n\n2. Rules\n\n2.1. Quiet\n\n" + filler("noise", 900) + "\n\n   (a) " + filler("whisper", 900) +
		"\n\n" + "2.2. Food\n\nNone.\n"
	got := Split(documentOf(t, text))
	type shape struct{ path, begins, ends string }
	var shapes []shape
	for _, p := range got {
		shapes = append(shapes, shape{strings.Join(p.Headings, " › "), p.Text[:5], p.Text[len(p.Text)-5:]})
	}
	want := []shape{
		{"1. Opening", "The b", "door."},
		{"2. Rules › 2.1. Quiet", "The n", "inds."},
		{"2. Rules › 2.1. Quiet", "(a) T", "inds."},
		{"2. Rules › 2.2. Food", "None.", "None."},
	}
	if diff := cmp.Diff(want, shapes, cmp.AllowUnexported(shape{})); diff != "" {
		t.Errorf("passages (-want +got):\n%s", diff)
	}
	checkPassages(t, text, got)
}

func TestAnItemIsSearchedWithWhatItHangsFrom(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	b.WriteString("He is elected. The treasurer may:\n")
	for _, item := range []string{"spend", "lend", "borrow", "invest"} {
		b.WriteString(" * " + filler(item, 500) + "\n")
	}
	passages := Split(documentOf(t, b.String()))
	last := passages[len(passages)-1]
	if len(passages) < 2 || last.intro != "The treasurer may:" || strings.Contains(last.Text, "treasurer") {
		t.Errorf("%d passages, the last hangs from %q", len(passages), last.intro)
	}
	b.WriteString("\nThe clerk may:\n * " + filler("write", 1100) + "\n * " + filler("read", 1100))
	passages = Split(documentOf(t, b.String()))
	if last := passages[len(passages)-1]; last.intro != "The clerk may:" {
		t.Errorf("an item of the second list hangs from %q", last.intro)
	}
}

func TestLongBlocksAreCutAfterSentencesWordsAndGraphemes(t *testing.T) {
	t.Parallel()
	family := "👨‍👩‍👧‍👦" // seven characters, one grapheme of 25 bytes
	for name, text := range map[string]string{
		"sentences":   strings.ReplaceAll(filler("clock", 5000), ". The", ".\nThe"),
		"words":       strings.Repeat("word ", 1000),
		"one word":    strings.Repeat("x", 5000),
		"graphemes":   strings.Repeat(family, 300),
		"one cluster": "e" + strings.Repeat("\u0301", 3000),
		"japanese":    strings.Repeat("図書館は九時に開きます。", 200),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			passages := Split(documentOf(t, text))
			if len(passages) < 3 {
				t.Errorf("%d passages", len(passages))
			}
			checkPassages(t, text, passages)
			for _, p := range passages {
				if name == "sentences" && !strings.HasSuffix(p.Text, ".") || name == "words" && !strings.HasSuffix(p.Text, "word") ||
					name == "graphemes" && len(p.Text)%len(family) != 0 {
					t.Errorf("a passage ends with %q", p.Text[len(p.Text)-10:])
				}
			}
		})
	}
}

func TestIDsStayWhenOtherPartsChange(t *testing.T) {
	t.Parallel()
	before := Split(documentOf(t, "1. One\n\nFirst text.\n\n2. Two\n\nSame text.\n\n3. Three\n\nSame text.\n"))
	after := Split(documentOf(t, "1. One\n\nFirst text, changed and longer.\n\n2. Two\n\nSame\ntext.\n\n3. Three\n\nSame text.\n\n4. Two\n\nx\n"))
	if before[0].ID == after[0].ID || before[1].ID != after[1].ID || before[2].ID != after[2].ID || before[1].ID == before[2].ID || len(before[0].ID) != 16 {
		t.Errorf("ids %v, then %v", before, after)
	}
	twice := Split(documentOf(t, "a b c\n\n"+filler("x", 1100)+"\n\n"+filler("x", 1100)))
	checkPassages(t, "", twice)
}

func TestContentsAreLeftOutUnlessThereIsNothingElse(t *testing.T) {
	t.Parallel()
	contents := "* 1. Opening\n\n* 2. Closing\n"
	if got := Split(documentOf(t, contents+"\nThe library opens at nine.\n")); len(got) != 1 || got[0].Text != "The library opens at nine." {
		t.Errorf("passages %v", got)
	}
	if got := Split(documentOf(t, contents)); len(got) != 1 {
		t.Errorf("passages %v", got)
	}
}

// checkPassages holds what is true of the passages of every text; an empty text
// leaves out what needs it.
func checkPassages(t *testing.T, text string, passages []Passage) {
	t.Helper()
	ids := make(map[string]bool)
	edges := make(map[int]bool)
	if text != "" {
		edges = graphemeEdges(text)
	}
	end := 0
	for _, p := range passages {
		if ids[p.ID] {
			t.Fatalf("id %s is there twice", p.ID)
		}
		ids[p.ID] = true
		if p.Start < end || p.End-p.Start != len(p.Text) || len(p.Text) == 0 || len(p.Text) > MaxBytes {
			t.Fatalf("passage at %d–%d after %d with %d bytes", p.Start, p.End, end, len(p.Text))
		}
		end = p.End
		if text == "" {
			continue
		}
		if text[p.Start:p.End] != p.Text || utf8.RuneCountInString(text[:p.Start]) != p.StartRune {
			t.Fatalf("passage %q does not stand at %d, character %d", p.Text, p.Start, p.StartRune)
		}
		if !edges[p.Start] || !edges[p.End] {
			t.Fatalf("passage at %d–%d parts a grapheme", p.Start, p.End)
		}
	}
}

// graphemeEdges are the positions between graphemes; within one that is longer than
// a passage every character is an edge.
func graphemeEdges(text string) map[int]bool {
	edges := map[int]bool{0: true, len(text): true}
	at, state := 0, -1
	for rest := text; rest != ""; {
		var cluster string
		cluster, rest, _, state = uniseg.FirstGraphemeClusterInString(rest, state)
		if len(cluster) > MaxBytes {
			for i := range cluster {
				edges[at+i] = true
			}
		}
		at += len(cluster)
		edges[at] = true
	}
	return edges
}

// FuzzSplit: passages stand where they say, are bounded and part no grapheme.
func FuzzSplit(f *testing.F) {
	for _, seed := range []string{"1. A\n\ntext\n - b\n", strings.Repeat("a", 1300), strings.Repeat("e\u0301", 700), "a\r\n\u200d👩\u200d👧", strings.Repeat("x. ", 500), "図書館。"} {
		f.Add(seed, 1)
		f.Add(seed, 90)
	}
	f.Fuzz(func(t *testing.T, text string, times int) {
		text = strings.Repeat(text, min(100, max(1, times)))
		d, err := textextract.Extractor{}.Extract(t.Context(), textextract.File{Name: "a.txt", Bytes: []byte(text)})
		if err != nil || len(text) > 20_000 {
			return
		}
		passages := Split(d)
		checkPassages(t, d.Text, passages)
		for _, part := range Build(passages) {
			if part.Key.Kind != Head && len(part.Bytes) > MaxTextBytes+MaxBytes {
				t.Fatalf("part %s has %d bytes", part.Key, len(part.Bytes))
			}
		}
	})
}
