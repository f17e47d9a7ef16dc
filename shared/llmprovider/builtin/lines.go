package builtin

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// blockKind is what a group of lines is.
type blockKind int

const (
	paragraph blockKind = iota
	heading
	listItem
	// contents is a line of a table of contents: it repeats a heading.
	contents
)

// block is a heading, a paragraph or a list item with its lines joined.
type block struct {
	kind   blockKind
	text   string
	marker marker
	indent int // where the marker begins
	column int // where the text begins, after marker and indentation
	level  int // of a heading, 1 is the highest
}

const (
	tabWidth          = 8
	maxHeadingBytes   = 120
	terminators       = ".;:,!?"
	sentenceEnds      = ".!?"
	underlineChars    = "=-*~^\"'#+"
	minUnderlineChars = 3
	maxATXLevel       = 6
)

// blockReader turns lines into blocks.
type blockReader struct {
	blocks []block
	open   *openBlock
	// afterBlank says that a blank line precedes the line that is being read.
	afterBlank bool
}

// openBlock is a block whose lines are still coming.
type openBlock struct {
	block
	lines   int
	text    strings.Builder
	adjoins bool // the line before belonged to an item of the same list
}

// readBlocks splits a document into blocks. It understands plain text with
// wrapped and indented lines, and the parts of Markdown and reStructuredText
// that look alike: headings, underlines and lists.
func readBlocks(text string) []block {
	r := &blockReader{afterBlank: true}
	for line := range strings.Lines(text) {
		r.readLine(strings.TrimRightFunc(line, unicode.IsSpace))
	}
	r.end(true)
	return r.blocks
}

func (r *blockReader) readLine(line string) {
	content := strings.TrimLeftFunc(line, unicode.IsSpace)
	indent := columnOf(line[:len(line)-len(content)])
	switch mark := markerOf(content); {
	case content == "":
		r.end(true)
		r.afterBlank = true
		return
	case r.underlines(content):
		r.endUnderlined(content[0])
	case isRule(content), strings.HasPrefix(content, "```"):
		r.end(true)
	case atxLevel(content) > 0:
		r.endATX(content)
	case mark.size > 0, r.open == nil, r.open.kind == listItem && indent < r.open.indent:
		r.begin(content, indent, mark)
	default:
		r.open.add(content)
	}
	r.afterBlank = false
}

// columnOf is the width of white space.
func columnOf(space string) int {
	column := 0
	for _, c := range space {
		if c == '\t' {
			column += tabWidth - column%tabWidth
		} else {
			column++
		}
	}
	return column
}

// underlines says whether the line is the underline of the single line before it.
func (r *blockReader) underlines(content string) bool {
	return isRule(content) && !r.afterBlank && r.open != nil && r.open.lines == 1 && !r.open.marker.bullet()
}

func isRule(content string) bool {
	return len(content) >= minUnderlineChars && strings.IndexByte(underlineChars, content[0]) >= 0 &&
		strings.Trim(content, content[:1]) == ""
}

func (r *blockReader) begin(content string, indent int, mark marker) {
	r.end(false)
	next := &openBlock{block: block{
		marker: mark, indent: indent, column: indent + utf8.RuneCountInString(content[:mark.size]),
	}}
	if mark.size > 0 {
		next.kind = listItem
	}
	if last := len(r.blocks) - 1; last >= 0 && !r.afterBlank {
		next.adjoins = sameList(r.blocks[last], next.block)
	}
	next.add(content[mark.size:])
	r.open = next
}

// sameList says whether an item stands in line with the one before: at the left
// edge of its marker or, with numbers aligned to the right, of its text.
func sameList(before, b block) bool {
	return before.kind == listItem && (before.indent == b.indent || before.column == b.column)
}

// add joins a wrapped line. A word that was broken at its hyphen keeps it.
func (b *openBlock) add(content string) {
	if b.lines > 0 && !endsInBrokenWord(b.text.String()) {
		b.text.WriteByte(' ')
	}
	b.text.WriteString(content)
	b.lines++
}

func endsInBrokenWord(text string) bool {
	before, broken := strings.CutSuffix(text, "-")
	if !broken {
		return false
	}
	last, _ := utf8.DecodeLastRuneInString(before)
	return unicode.IsLetter(last)
}

// end closes the open block; followedByBlank says what comes after it.
func (r *blockReader) end(followedByBlank bool) {
	if r.open == nil {
		return
	}
	closed := r.open
	r.open = nil
	closed.block.text = closed.text.String()
	closed.classify(followedByBlank)
	r.blocks = append(r.blocks, closed.block)
}

// classify tells headings and lines of a table of contents from list items. A
// heading is one short line with a number and without a full stop. With one level
// of numbers it could still be an item, so it must stand apart from the line
// above, unless that was running text, and from the one below.
func (b *openBlock) classify(followedByBlank bool) {
	if b.kind != listItem || b.lines > 1 || len(b.block.text) > maxHeadingBytes ||
		endsWith(b.block.text, terminators) {
		return
	}
	switch {
	case b.marker.bullet():
		if markerOf(b.block.text).levels > 0 {
			b.kind = contents
		}
	case b.marker.levels > 1:
		b.kind, b.level = heading, b.marker.levels
	case followedByBlank && !b.adjoins && b.marker.levels == 1 && strings.HasSuffix(b.marker.text, "."):
		b.kind, b.level = heading, 1
	}
}

// endsWith says whether the last character of text, closing brackets and
// quotation marks apart, is one of ends.
func endsWith(text, ends string) bool {
	text = strings.TrimRight(text, ")]\"'”’")
	return text != "" && strings.IndexByte(ends, text[len(text)-1]) >= 0
}

func (r *blockReader) endUnderlined(char byte) {
	level := map[byte]int{'=': 1, '*': 1, '#': 1, '-': 2}[char]
	if level == 0 {
		level = 3
	}
	if r.open.marker.levels > 0 {
		level = r.open.marker.levels
	}
	r.end(true)
	last := &r.blocks[len(r.blocks)-1]
	last.kind, last.level = heading, level
}

// atxLevel is the number of "#" of a Markdown heading, zero for any other line.
func atxLevel(content string) int {
	level := len(content) - len(strings.TrimLeft(content, "#"))
	if level == 0 || level > maxATXLevel || level == len(content) || !isSpace(content[level]) {
		return 0
	}
	return level
}

func (r *blockReader) endATX(content string) {
	r.end(true)
	level := atxLevel(content)
	title := strings.TrimSpace(strings.TrimRight(content[level:], "# \t"))
	mark := markerOf(title)
	r.blocks = append(r.blocks, block{kind: heading, text: title[mark.size:], marker: mark, level: level})
}
