package textextract

import (
	"context"
	"strings"
	"testing"
	"unicode/utf8"
)

// fuzzLimits are small, so that inputs of a few kilobytes reach them.
func fuzzLimits() Limits {
	limits := DefaultLimits()
	limits.TextBytes, limits.Blocks, limits.Depth = 1<<20, 1000, 50
	return limits
}

// FuzzHTML: whatever the tags are, they end in a document or in a reason.
func FuzzHTML(f *testing.F) {
	for _, seed := range []string{
		htmlPage, "<li>", "</ul></li><ol><ol>", "<pre>\n a", "<td>", "<title>", "<nav><p></nav>x", "<p hidden><p>x", "<svg><title>a</title></svg>b",
		"<p>a<br>b", "\x00<", "<h7>", strings.Repeat("<b>", 60),
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, page string) {
		d, err := readHTML(context.Background(), strings.ToValidUTF8(page, "?"), fuzzLimits())
		if err != nil {
			reasonOf(t, err)
			return
		}
		checkPositions(t, d)
	})
}

// FuzzMarkdown: blocks stand in order inside the source, which is kept.
func FuzzMarkdown(f *testing.F) {
	for _, seed := range []string{
		"# a\n\n- b\n  - c\n\n> d", "```\nx", "1. a\n1) b\n\n   c", "a\n===\n", "<div>\n\n</div>", "|a|\n|-|\n|b|", "    code", "- - - x", "\t- x\r\n\r\ny", "[a]: b\n", "* * *",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, source string) {
		source = strings.ToValidUTF8(source, "?")
		d, err := readMarkdown(context.Background(), source, fuzzLimits())
		if err != nil {
			reasonOf(t, err)
			return
		}
		if d.Text != source {
			t.Fatal("the source was changed")
		}
		checkPositions(t, d)
	})
}

// FuzzDecode: any bytes become valid UTF-8 without control characters, or are
// refused.
func FuzzDecode(f *testing.F) {
	for _, seed := range []string{"plain", "\xff\xfea\x00", "\xfe\xff\x00a", "caf\xe9", "\x83\x65\x83\x58\x83\x67", "\xef\xbb\xbfx", "\xff\xfe\x00\x00", "<meta charset=utf-16>", "\x1b$B"} {
		f.Add([]byte(seed), true)
		f.Add([]byte(seed), false)
	}
	f.Fuzz(func(t *testing.T, file []byte, isHTML bool) {
		text, _, err := decode(file, isHTML)
		if err != nil {
			reasonOf(t, err)
			return
		}
		if !utf8.ValidString(text) || countControls(text) > 0 {
			t.Fatalf("decoded to %q", text)
		}
	})
}
