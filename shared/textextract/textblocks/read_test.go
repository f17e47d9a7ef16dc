package textblocks

import (
	"fmt"
	"slices"
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

func TestBlocksOfTexts(t *testing.T) {
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
			for _, b := range Read(test.text) {
				got = append(got, describe(b))
			}
			if !slices.Equal(got, test.want) {
				t.Errorf("got\n%q\nwant\n%q", got, test.want)
			}
		})
	}
}

func describe(b Block) string {
	kind := map[Kind]string{Paragraph: "paragraph", ListItem: "item", Contents: "contents"}[b.Kind]
	if b.Kind == Heading {
		kind = fmt.Sprintf("heading%d", b.Level)
	}
	return strings.Join(slices.DeleteFunc([]string{kind, b.Marker.Text, b.Text}, func(s string) bool { return s == "" }), " ")
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
