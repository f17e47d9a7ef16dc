package textblocks

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Kind is what a group of lines is.
type Kind int

const (
	Paragraph Kind = iota
	Heading
	ListItem
	// Contents is a line of a table of contents: it repeats a heading.
	Contents
)

// Block is a heading, a paragraph or a list item with its lines joined.
type Block struct {
	Kind   Kind
	Text   string // without marker and underline, lines joined by spaces
	Marker Marker
	Indent int // column where the marker begins
	Column int // column where the text begins, after marker and indentation
	Level  int // of a heading, 1 is the highest
	// Start and End are the byte positions of the block in the text, from its
	// marker to its last character, underlines left out.
	Start, End int
}

// Title is the text with the number before it, as headings are quoted.
func (b Block) Title() string {
	if b.Marker.Levels == 0 {
		return b.Text
	}
	return b.Marker.Text + " " + b.Text
}

const (
	maxHeadingBytes = 120
	terminators     = ".;:,!?"
)

// openBlock is a block whose lines are still coming.
type openBlock struct {
	Block
	lines   int
	text    strings.Builder
	adjoins bool // the line before belonged to an item of the same list
}

// add joins a wrapped line that ends at end. A word that was broken at its hyphen
// keeps it.
func (b *openBlock) add(content string, end int) {
	if b.lines > 0 && !endsInBrokenWord(b.text.String()) {
		b.text.WriteByte(' ')
	}
	b.text.WriteString(content)
	b.lines++
	b.End = end
}

func endsInBrokenWord(text string) bool {
	before, broken := strings.CutSuffix(text, "-")
	if !broken {
		return false
	}
	last, _ := utf8.DecodeLastRuneInString(before)
	return unicode.IsLetter(last)
}

// sameList says whether an item stands in line with the one before: at the left
// edge of its marker or, with numbers aligned to the right, of its text.
func sameList(before, b Block) bool {
	return before.Kind == ListItem && (before.Indent == b.Indent || before.Column == b.Column)
}

// classify tells headings and lines of a table of contents from list items. A
// heading is one short line with a number and without a full stop. With one level
// of numbers it could still be an item, so it must stand apart from the line
// above, unless that was running text, and from the one below.
func (b *openBlock) classify(followedByBlank bool) {
	if b.Kind != ListItem || b.lines > 1 || len(b.Text) > maxHeadingBytes || EndsWith(b.Text, terminators) {
		return
	}
	switch {
	case b.Marker.Bullet():
		if MarkerOf(b.Text).Levels > 0 {
			b.Kind = Contents
		}
	case b.Marker.Levels > 1:
		b.Kind, b.Level = Heading, b.Marker.Levels
	case followedByBlank && !b.adjoins && b.Marker.Levels == 1 && strings.HasSuffix(b.Marker.Text, "."):
		b.Kind, b.Level = Heading, 1
	}
}

// EndsWith says whether the last character of text, closing brackets and
// quotation marks apart, is one of ends, which are ASCII.
func EndsWith(text, ends string) bool {
	text = strings.TrimRight(text, ")]\"'”’")
	return text != "" && strings.IndexByte(ends, text[len(text)-1]) >= 0
}
