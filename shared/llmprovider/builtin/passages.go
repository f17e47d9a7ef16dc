package builtin

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/rivo/uniseg"

	"github.com/replyonce/replyonce/shared/llmprovider"
	"github.com/replyonce/replyonce/shared/textextract/textblocks"
)

// maxPassageBytes is the length above which a sentence is split: it bounds what
// is quoted when a text has no sentences, such as a table or a long line of code.
const maxPassageBytes = 700

// looseSpaces is the number of spaces from which a text can be a sentence;
// "(See §6.2.)" is none.
const looseSpaces = 2

// terminators end a sentence or a clause, sentenceEnds a sentence.
const (
	terminators  = ".;:,!?"
	sentenceEnds = ".!?"
)

// none is the index of no passage.
const none = -1

// passage is the smallest thing that is quoted: a sentence or a list item.
type passage struct {
	text    string
	marker  string // of the list item that it begins
	block   int    // number of the block that it is from
	section int    // index into document.sections
	// intro is the passage that introduces the list, such as "The board may:". An
	// item alone would not say who may.
	intro int
	// title says that this is a heading or a line of a table of contents, which is
	// quoted only when nothing else fits.
	title bool
	// loose says that it is a fragment: no list item, and without the end or the
	// length of a sentence.
	loose bool
}

// document is a text taken apart.
type document struct {
	passages []passage
	// sections are the headings, each with the one above it; the first, empty one
	// holds what precedes all headings.
	sections []string
}

// openList is a block that a list may hang from.
type openList struct {
	column  int
	passage int
}

type documentReader struct {
	document
	block    int
	headings []textblocks.Block
	lists    []openList
}

func readDocument(text string) document {
	r := &documentReader{document: document{sections: []string{""}}}
	for _, b := range textblocks.Read(clean(text)) {
		r.readBlock(b)
	}
	return r.document
}

// clean makes a text printable: valid UTF-8, with one kind of line end and with
// spaces for control characters, which have no place in a quotation.
func clean(text string) string {
	text = strings.ToValidUTF8(text, "\uFFFD")
	text = strings.ReplaceAll(text, "\r\n", "\n")
	return strings.Map(plain, text)
}

func plain(c rune) rune {
	switch {
	case c == '\n' || c == '\t':
		return c
	case c == '\r' || c == '\f':
		return '\n'
	case unicode.IsControl(c):
		return ' '
	}
	return c
}

func (r *documentReader) readBlock(b textblocks.Block) {
	r.block++
	switch b.Kind {
	case textblocks.Heading:
		r.enterSection(b)
		r.add(passage{text: b.Title(), intro: none, title: true})
		r.lists = r.lists[:0]
	case textblocks.Contents:
		r.add(passage{text: b.Text, intro: none, title: true})
	case textblocks.Paragraph, textblocks.ListItem:
		r.readSentences(b)
	}
}

// enterSection names the section by its heading and the heading above that.
func (r *documentReader) enterSection(b textblocks.Block) {
	r.headings = slices.DeleteFunc(r.headings, func(h textblocks.Block) bool { return h.Level >= b.Level })
	name := b.Title()
	if above := len(r.headings) - 1; above >= 0 {
		name = r.headings[above].Title() + " › " + name
	}
	r.headings = append(r.headings, b)
	r.sections = append(r.sections, name)
}

func (r *documentReader) readSentences(b textblocks.Block) {
	for len(r.lists) > 0 && r.lists[len(r.lists)-1].column >= b.Column {
		r.lists = r.lists[:len(r.lists)-1]
	}
	intro := none
	if b.Kind == textblocks.ListItem && len(r.lists) > 0 {
		intro = r.lists[len(r.lists)-1].passage
	}
	for i, sentence := range sentences(b.Text) {
		p := passage{text: sentence, intro: none}
		if i == 0 && b.Kind == textblocks.ListItem {
			p.marker, p.intro = b.Marker.Text, intro
		}
		p.loose = p.marker == "" && (!textblocks.EndsWith(sentence, terminators) || strings.Count(sentence, " ") < looseSpaces)
		r.add(p)
	}
	if last := len(r.passages) - 1; last >= 0 && introduces(r.passages[last]) {
		r.lists = append(r.lists, openList{column: b.Column, passage: last})
	}
}

// introduces says whether a list after the passage would continue it.
func introduces(p passage) bool { return !p.title && !textblocks.EndsWith(p.text, sentenceEnds) }

func (r *documentReader) add(p passage) {
	if strings.IndexFunc(p.text, isWordRune) < 0 {
		return
	}
	p.block, p.section = r.block, len(r.sections)-1
	r.passages = append(r.passages, p)
}

// sentences splits a joined text by the rules of UAX #29, without the breaks that
// they put after common abbreviations, and splits what is too long to quote.
func sentences(text string) []string {
	var found []string
	pending, state := "", -1
	for text != "" {
		var sentence string
		sentence, text, state = uniseg.FirstSentenceInString(text, state)
		pending += sentence
		if text != "" && endsInAbbreviation(pending) && len(pending) < maxPassageBytes {
			continue
		}
		found = appendLimited(found, strings.TrimSpace(pending))
		pending = ""
	}
	return found
}

var abbreviations = []string{
	"e.g.", "i.e.", "cf.", "vs.", "approx.", "mr.", "mrs.", "ms.", "dr.", "prof.", "st.", "no.", "nos.", "fig.", "sec.", "art.",
}

func endsInAbbreviation(text string) bool {
	text = strings.TrimRight(text, " ")
	word := strings.ToLower(text[strings.LastIndexAny(text, " (")+1:])
	return slices.Contains(abbreviations, word)
}

// appendLimited adds a sentence, in parts of at most maxPassageBytes.
func appendLimited(found []string, sentence string) []string {
	for len(sentence) > maxPassageBytes {
		size := splitAt(sentence)
		found = append(found, sentence[:size])
		sentence = strings.TrimLeft(sentence[size:], " ")
	}
	if sentence == "" {
		return found
	}
	return append(found, sentence)
}

// splitAt is where to split a text that is too long: between words if there are
// any, otherwise between graphemes, and inside one only if it alone is too long.
func splitAt(text string) int {
	part := llmprovider.CutText(text, maxPassageBytes)
	if space := strings.LastIndexByte(part, ' '); space > 0 {
		return space
	}
	size := len(part)
	if size == 0 {
		size = maxPassageBytes
		for !utf8.RuneStart(text[size]) {
			size--
		}
	}
	return size
}
