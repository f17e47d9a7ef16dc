package textblocks

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

const sample = "Rules of the house\n==================\n\nThe rules are few\nand short-\nlived.\n\n1. Opening\n\n   The board may:\n    1. open the\n       door;\n    2. close it.\n\n  1.1. Hours\r\n\r\n(a) From nine.\r\n* 1. Opening\n\n# Closing #\nAt night\n   # no heading"

func TestBlocksAndWhereTheyStand(t *testing.T) {
	t.Parallel()
	want := []Block{
		{Kind: Heading, Text: "Rules of the house", Level: 1},
		{Kind: Paragraph, Text: "The rules are few and short-lived."},
		{Kind: Heading, Text: "Opening", Level: 1, Marker: Marker{Text: "1.", Size: 3, Levels: 1}, Column: 3},
		{Kind: Paragraph, Text: "The board may:", Indent: 3, Column: 3},
		{Kind: ListItem, Text: "open the door;", Marker: Marker{Text: "1.", Size: 3, Levels: 1}, Indent: 4, Column: 7},
		{Kind: ListItem, Text: "close it.", Marker: Marker{Text: "2.", Size: 3, Levels: 1}, Indent: 4, Column: 7},
		{Kind: Heading, Text: "Hours", Level: 2, Marker: Marker{Text: "1.1.", Size: 5, Levels: 2}, Indent: 2, Column: 7},
		{Kind: ListItem, Text: "From nine.", Marker: Marker{Text: "(a)", Size: 4}, Column: 4},
		{Kind: Contents, Text: "1. Opening", Marker: Marker{Text: "*", Size: 2}, Column: 2},
		{Kind: Heading, Text: "Closing", Level: 1},
		{Kind: Paragraph, Text: "At night # no heading"},
	}
	got := Read(sample)
	if d := cmp.Diff(want, got, cmpopts.IgnoreFields(Block{}, "Start", "End")); d != "" {
		t.Errorf("blocks (-want +got):\n%s", d)
	}
	starts := []string{"Rules", "The rules", "1. O", "The board", "1. open", "2. close", "1.1. H", "(a)", "* 1.", "# C", "At"}
	ends := []string{"house", "lived.", "Opening", "may:", "door;", "it.", "Hours", "nine.", "Opening", "g #", "heading"}
	for i, b := range got {
		if span := sample[b.Start:b.End]; !strings.HasPrefix(span, starts[i]) || !strings.HasSuffix(span, ends[i]) {
			t.Errorf("block %d stands at %q", i, span)
		}
	}
	if title := got[6].Title(); title != "1.1. Hours" {
		t.Errorf("title %q", title)
	}
}

func TestATextThatMarksItsHeadingsMarksAll(t *testing.T) {
	t.Parallel()
	marked := "One\n===\n\n1.2. Two\n--------\n\n## Three\n\n"
	for text, want := range map[string]Kind{"1. Item\n\ntext": Heading, marked + "1. Item\n\ntext": ListItem} {
		blocks := Read(text)
		if got := blocks[len(blocks)-2]; got.Kind != want || got.Text != "Item" {
			t.Errorf("%q: %+v, want kind %d", text, got, want)
		}
		if want == ListItem && (blocks[1].Kind != Heading || blocks[1].Level != 2) {
			t.Errorf("underlined and numbered: %+v", blocks[1])
		}
	}
}

// FuzzRead: blocks stand in order, inside the text and apart from each other.
func FuzzRead(f *testing.F) {
	for _, seed := range []string{sample, "", "\n\n", "---", "a\n---\n\n1.1 x", "\xff\x00- \t", "###### \n#", "日本\n==="} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		end := 0
		for _, b := range Read(text) {
			if b.Start < end || b.End < b.Start || b.End > len(text) {
				t.Fatalf("block %+v after %d in a text of %d bytes", b, end, len(text))
			}
			end = b.End
		}
	})
}
