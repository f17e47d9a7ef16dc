package retrieval

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/replyonce/replyonce/shared/textextract"
	"github.com/replyonce/replyonce/shared/textextract/textblocks"
)

// Sizes of passages, in bytes. A section that is shorter stays a passage of its
// own, so that what is cited is never of two sections.
const (
	MinBytes    = 200
	TargetBytes = 1000
	MaxBytes    = 1200
)

const (
	// maxHeadings and maxHeadingBytes bound the path that every passage carries.
	maxHeadings     = 6
	maxHeadingBytes = 120
	// maxIntroBytes bounds what is searched of a list's introduction.
	maxIntroBytes = 400
	sentenceEnds  = ".!?"
)

// Split takes a document's text apart into passages, in its order. Lines of a
// table of contents are left out, unless there is nothing else.
func Split(document textextract.Document) []Passage {
	s := &splitter{document: document}
	for _, b := range document.Blocks {
		s.read(b)
	}
	s.flush()
	if len(s.passages) == 0 {
		for _, b := range document.Blocks {
			s.addText(b, "")
		}
		s.flush()
	}
	s.countRunes()
	identify(s.passages)
	return s.passages
}

type splitter struct {
	document textextract.Document
	headings []textblocks.Block // open ones, outermost first
	path     []string           // of headings
	lists    []openList
	open     *Passage
	passages []Passage
	// section is the number of the first passage of the section.
	section int
}

// openList is a block that list items hang from, until one stands further out.
type openList struct {
	column int
	text   string
	start  int
}

func (s *splitter) read(b textblocks.Block) {
	switch b.Kind {
	case textblocks.Heading:
		s.flush()
		s.enter(b)
	case textblocks.Contents:
		s.flush()
	case textblocks.Paragraph, textblocks.ListItem:
		s.addText(b, s.introduction(b))
	}
}

// enter opens a section and closes those that are not around it.
func (s *splitter) enter(b textblocks.Block) {
	s.headings = slices.DeleteFunc(s.headings, func(h textblocks.Block) bool { return h.Level >= b.Level })
	s.headings = append(s.headings, b)
	s.path = nil
	for _, h := range s.headings[max(0, len(s.headings)-maxHeadings):] {
		s.path = append(s.path, shorten(strings.Join(strings.Fields(h.Title()), " "), maxHeadingBytes))
	}
	s.lists = nil
	s.section = len(s.passages)
}

// introduction is what the block hangs from, and notes whether others may hang
// from the block.
func (s *splitter) introduction(b textblocks.Block) string {
	for len(s.lists) > 0 && s.lists[len(s.lists)-1].column >= b.Column {
		s.lists = s.lists[:len(s.lists)-1]
	}
	intro := ""
	if b.Kind == textblocks.ListItem {
		for _, list := range s.lists {
			intro += list.text + "\n"
		}
	}
	if !textblocks.EndsWith(b.Text, sentenceEnds) {
		s.lists = append(s.lists, openList{column: b.Column, text: lastSentence(b.Text), start: b.Start})
	}
	return shorten(strings.TrimSpace(intro), maxIntroBytes)
}

// lastSentence is what a list continues: "He is elected. The board may:" is about
// the board.
func lastSentence(text string) string {
	at := strings.LastIndex(text, ". ")
	if at < 0 {
		return text
	}
	return text[at+2:]
}

// addText adds a block to the open passage, or to the next ones.
func (s *splitter) addText(b textblocks.Block, intro string) {
	for _, piece := range pieces(s.document.Text, b.Start, b.End) {
		s.addPiece(piece, intro)
		intro = ""
	}
}

func (s *splitter) addPiece(piece span, intro string) {
	if s.open != nil && !s.fits(piece) {
		s.flush()
	}
	if s.open == nil {
		s.open = &Passage{Headings: s.path, Start: piece.start, Page: s.document.Page(piece.start), intro: intro}
	}
	s.open.End = piece.end
}

// fits says whether a piece joins the open passage. A passage may grow over the
// target only while it is too small, and over the end of a page likewise.
func (s *splitter) fits(piece span) bool {
	have, together := s.open.End-s.open.Start, piece.end-s.open.Start
	if have < MinBytes {
		return together <= MaxBytes
	}
	return together <= TargetBytes && s.document.Page(piece.start) == s.open.Page
}

// flush ends the open passage. What is left of a section joins the passage before
// it when it is small.
func (s *splitter) flush() {
	if s.open == nil {
		return
	}
	p := *s.open
	s.open = nil
	if last := len(s.passages) - 1; last >= s.section && p.End-p.Start < MinBytes &&
		p.End-s.passages[last].Start <= MaxBytes && p.Page == s.passages[last].Page {
		p.Start, p.intro, p.Page = s.passages[last].Start, s.passages[last].intro, s.passages[last].Page
		s.passages = s.passages[:last]
	}
	p.Text = s.document.Text[p.Start:p.End]
	s.passages = append(s.passages, p)
}

func (s *splitter) countRunes() {
	at, runes := 0, 0
	for i := range s.passages {
		p := &s.passages[i]
		runes += utf8.RuneCountInString(s.document.Text[at:p.Start])
		at = p.Start
		p.StartRune = runes
	}
}
