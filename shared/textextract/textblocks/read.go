package textblocks

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	tabWidth          = 8
	underlineChars    = "=-*~^\"'#+"
	minUnderlineChars = 3
	maxATXLevel       = 6
)

// reader turns lines into blocks.
type reader struct {
	blocks []Block
	open   *openBlock
	// afterBlank says that a blank line precedes the line that is being read.
	afterBlank bool
	// marked counts the headings that are underlined or begin with "#"; numbered
	// are the places of those that only a number tells.
	marked   int
	numbered []int
}

// markedHeadings is from how many marked headings on a text is taken to mark all
// of them, so that a short line with a number is an item.
const markedHeadings = 3

// line is a line without the space around it, and where that stands.
type line struct {
	content    string
	indent     int // column of its first character
	start, end int
}

// Read splits a text into blocks, in its order. Line ends may be LF or CRLF.
func Read(text string) []Block {
	r := &reader{afterBlank: true}
	position := 0
	for raw := range strings.Lines(text) {
		trimmed := strings.TrimRightFunc(raw, unicode.IsSpace)
		content := strings.TrimLeftFunc(trimmed, unicode.IsSpace)
		space := trimmed[:len(trimmed)-len(content)]
		r.read(line{
			content: content, indent: columnOf(space),
			start: position + len(space), end: position + len(trimmed),
		})
		position += len(raw)
	}
	r.end(true)
	if r.marked >= markedHeadings {
		for _, at := range r.numbered {
			r.blocks[at].Kind, r.blocks[at].Level = ListItem, 0
		}
	}
	return r.blocks
}

func (r *reader) read(l line) {
	switch mark := MarkerOf(l.content); {
	case l.content == "":
		r.end(true)
		r.afterBlank = true
		return
	case r.underlines(l.content):
		r.endUnderlined(l.content[0])
	case isRule(l.content), strings.HasPrefix(l.content, "```"):
		r.end(true)
	// A heading stands alone at the edge; elsewhere "#" begins a comment in a program.
	case l.indent == 0 && (r.afterBlank || r.open == nil) && atxLevel(l.content) > 0:
		r.addATX(l)
	case mark.Size > 0, r.open == nil, r.open.Kind == ListItem && l.indent < r.open.Indent:
		r.begin(l, mark)
	default:
		r.open.add(l.content, l.end)
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
func (r *reader) underlines(content string) bool {
	return isRule(content) && !r.afterBlank && r.open != nil && r.open.lines == 1 && !r.open.Marker.Bullet()
}

func isRule(content string) bool {
	return len(content) >= minUnderlineChars && strings.IndexByte(underlineChars, content[0]) >= 0 &&
		strings.Trim(content, content[:1]) == ""
}

func (r *reader) begin(l line, mark Marker) {
	r.end(false)
	next := &openBlock{Block: Block{
		Marker: mark, Indent: l.indent, Column: l.indent + utf8.RuneCountInString(l.content[:mark.Size]), Start: l.start,
	}}
	if mark.Size > 0 {
		next.Kind = ListItem
	}
	if last := len(r.blocks) - 1; last >= 0 && !r.afterBlank {
		next.adjoins = sameList(r.blocks[last], next.Block)
	}
	next.add(l.content[mark.Size:], l.end)
	r.open = next
}

// end closes the open block; followedByBlank says what comes after it.
func (r *reader) end(followedByBlank bool) {
	if r.open == nil {
		return
	}
	closed := r.open
	r.open = nil
	closed.Text = closed.text.String()
	closed.classify(followedByBlank)
	if closed.Kind == Heading {
		r.numbered = append(r.numbered, len(r.blocks))
	}
	r.blocks = append(r.blocks, closed.Block)
}

func (r *reader) endUnderlined(char byte) {
	level := map[byte]int{'=': 1, '*': 1, '#': 1, '-': 2}[char]
	if level == 0 {
		level = 3
	}
	if r.open.Marker.Levels > 0 {
		level = r.open.Marker.Levels
	}
	r.end(true)
	last := len(r.blocks) - 1
	r.blocks[last].Kind, r.blocks[last].Level = Heading, level
	if n := len(r.numbered); n > 0 && r.numbered[n-1] == last {
		r.numbered = r.numbered[:n-1]
	}
	r.marked++
}

// atxLevel is the number of "#" of a Markdown heading, zero for any other line.
func atxLevel(content string) int {
	level := len(content) - len(strings.TrimLeft(content, "#"))
	if level == 0 || level > maxATXLevel || level == len(content) || !isSpace(content[level]) {
		return 0
	}
	return level
}

func (r *reader) addATX(l line) {
	r.end(true)
	level := atxLevel(l.content)
	title := strings.TrimSpace(strings.TrimRight(l.content[level:], "# \t"))
	mark := MarkerOf(title)
	r.marked++
	r.blocks = append(r.blocks, Block{
		Kind: Heading, Text: title[mark.Size:], Marker: mark, Level: level, Start: l.start, End: l.end,
	})
}
