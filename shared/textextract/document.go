package textextract

import (
	"sort"

	"github.com/replyonce/replyonce/shared/textextract/textblocks"
)

// Format is the kind of file that a text was taken from.
type Format string

// Formats.
const (
	PlainText Format = "text"
	Markdown  Format = "markdown"
	HTML      Format = "html"
	PDF       Format = "pdf"
	DOCX      Format = "docx"
)

// Document is the text of a file with its structure. Every position is one of
// bytes in Text.
type Document struct {
	Format Format
	// Encoding is what the bytes of a text, Markdown or HTML file were decoded
	// from, by its IANA name.
	Encoding string
	Title    string // as the file states it; may be empty
	// Text is valid UTF-8. Of plain text and Markdown it is the file as it is,
	// without a byte order mark; of the others, blocks with blank lines between.
	Text   string
	Blocks []textblocks.Block // in the order of Text, apart from each other
	// Pages are the positions where pages begin, the first page first. Only PDF
	// files have pages.
	Pages []int
}

// Page is the number, from 1, of the page at a position, or 0 without pages.
func (d Document) Page(position int) int {
	return sort.Search(len(d.Pages), func(i int) bool { return d.Pages[i] > position })
}
