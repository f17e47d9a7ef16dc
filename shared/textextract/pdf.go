package textextract

import (
	"context"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/replyonce/replyonce/shared/textextract/textblocks"
)

// PDFEngine takes a PDF file apart. Errors that the file is to blame for are
// *Error. Package pdfengine has one.
type PDFEngine interface {
	ReadPDF(ctx context.Context, file []byte, limits Limits) (PDFContent, error)
}

// PDFContent is what an engine finds in a PDF file.
type PDFContent struct {
	Pages   []PDFPage
	Outline []PDFHeading // the bookmarks, in their order
}

// PDFPage is one page.
type PDFPage struct {
	Text  string // lines end in LF
	Label string // as printed on the page: "iv"; may be empty
}

// PDFHeading is a bookmark.
type PDFHeading struct {
	Title string
	Page  int // index into Pages
	Level int // 1 is the highest
}

func (e Extractor) readPDF(ctx context.Context, file []byte) (Document, error) {
	if e.PDF == nil {
		return Document{}, failure(UnsupportedFormat, "no PDF engine is there")
	}
	content, err := e.PDF.ReadPDF(ctx, file, e.Limits)
	if err != nil {
		return Document{}, err
	}
	pages := make([][]string, len(content.Pages))
	for i, page := range content.Pages {
		pages[i] = pageLines(page.Text)
	}
	stripRunningLines(pages, content.Pages)
	b := &pdfBuilder{limits: e.Limits, outline: headingsByPage(content.Outline), titled: len(content.Outline) > 0}
	for i, lines := range pages {
		if ctx.Err() != nil {
			return Document{}, context.Cause(ctx)
		}
		if err := b.addPage(i, lines); err != nil {
			return Document{}, err
		}
	}
	return b.document(), nil
}

// softHyphens are how an engine reports a hyphen that only the end of a line made.
const softHyphens = "\x02\uFFFE\u00AD"

// pageLines are the lines of a page, broken words joined and spaces trimmed.
func pageLines(text string) []string {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	for _, hyphen := range softHyphens {
		text = strings.ReplaceAll(text, string(hyphen)+"\n", "")
		text = strings.ReplaceAll(text, string(hyphen), "")
	}
	text = withoutControls(strings.ToValidUTF8(text, "\uFFFD"))
	var lines []string
	for line := range strings.SplitSeq(text, "\n") {
		if line = strings.TrimSpace(line); line != "" {
			lines = append(lines, line)
		}
	}
	return lines
}

// minRunningPages is on how many pages a line at the edge must be to be a running
// head or foot.
const minRunningPages = 4

// stripRunningLines drops running heads and feet: lines at the edge of pages that
// are there again and again, page numbers apart, and lines that have the page's
// number at an end on most pages. They would part sentences and match everywhere.
func stripRunningLines(pages [][]string, described []PDFPage) {
	for _, edge := range []edge{firstLine, lastLine} {
		seen := make(map[string]int)
		numbered := 0
		for i, lines := range pages {
			if at := edge(lines); at >= 0 {
				seen[withoutDigits(lines[at])]++
				if hasPageNumber(lines[at], described[i].Label) {
					numbered++
				}
			}
		}
		mostly := numbered >= minRunningPages && 2*numbered > len(pages)
		for i, lines := range pages {
			at := edge(lines)
			if at < 0 {
				continue
			}
			if seen[withoutDigits(lines[at])] >= minRunningPages || mostly && hasPageNumber(lines[at], described[i].Label) {
				pages[i] = append(lines[:at:at], lines[at+1:]...)
			}
		}
	}
}

// edge is the index of a page's line at the top or the bottom, or -1.
type edge func(lines []string) int

func firstLine(lines []string) int { return min(0, len(lines)-1) }
func lastLine(lines []string) int  { return len(lines) - 1 }

func withoutDigits(line string) string {
	return strings.Map(func(c rune) rune {
		if unicode.IsDigit(c) {
			return -1
		}
		return c
	}, line)
}

func hasPageNumber(line, label string) bool {
	return label != "" && (line == label || strings.HasPrefix(line, label+" ") || strings.HasSuffix(line, " "+label))
}

func headingsByPage(outline []PDFHeading) map[int][]PDFHeading {
	found := make(map[int][]PDFHeading)
	for _, h := range outline {
		found[h.Page] = append(found[h.Page], h)
	}
	return found
}

// pdfBuilder puts pages together.
type pdfBuilder struct {
	limits  Limits
	outline map[int][]PDFHeading
	// titled says that the file has bookmarks: what else looks like a heading, such
	// as a line of the table of contents, is none.
	titled bool
	text   strings.Builder
	blocks []textblocks.Block
	pages  []int
}

func (b *pdfBuilder) document() Document {
	return Document{Format: PDF, Title: firstHeading(b.blocks), Text: b.text.String(), Blocks: b.blocks, Pages: b.pages}
}

func (b *pdfBuilder) addPage(number int, lines []string) error {
	if b.text.Len() > 0 {
		b.text.WriteString(blockGap)
	}
	b.pages = append(b.pages, b.text.Len())
	for _, part := range b.parts(number, lines) {
		if err := b.addPart(part); err != nil {
			return err
		}
	}
	return nil
}

// pdfPart is a heading that a bookmark names, or the lines up to the next.
type pdfPart struct {
	level int // 0 for text
	lines []string
}

// parts cuts a page at the headings that bookmarks say are on it, in their order.
func (b *pdfBuilder) parts(page int, lines []string) []pdfPart {
	var parts []pdfPart
	wanted := b.outline[page]
	from := 0
	for i := 0; i < len(lines) && len(wanted) > 0; i++ {
		n, match := matchHeading(lines[i:], wanted)
		if n == 0 {
			continue
		}
		parts = append(parts, pdfPart{lines: lines[from:i]}, pdfPart{level: wanted[match].Level, lines: lines[i : i+n]})
		wanted = wanted[match+1:]
		from = i + n
		i = from - 1
	}
	return append(parts, pdfPart{lines: lines[from:]})
}

// maxHeadingLines is how many lines a heading may take.
const maxHeadingLines = 3

// matchHeading says how many lines from the first make a heading that is wanted,
// and which of them.
func matchHeading(lines []string, wanted []PDFHeading) (n, match int) {
	joined := ""
	for n := 1; n <= min(maxHeadingLines, len(lines)); n++ {
		joined += " " + lines[n-1]
		for match, h := range wanted {
			if sameTitle(joined, h.Title) {
				return n, match
			}
		}
	}
	return 0, 0
}

// sameTitle compares letters and digits only; the line may have a number before
// the title.
func sameTitle(line, title string) bool {
	line = strings.TrimSpace(line)
	if len(line) > 4*len(title)+16 {
		return false
	}
	want := letters(title)
	if want == "" {
		return false
	}
	return letters(line) == want || letters(line[textblocks.MarkerOf(line).Size:]) == want
}

func letters(text string) string {
	return strings.Map(func(c rune) rune {
		if !unicode.IsLetter(c) && !unicode.IsDigit(c) {
			return -1
		}
		return unicode.ToLower(c)
	}, text)
}

func (b *pdfBuilder) addPart(part pdfPart) error {
	if len(part.lines) == 0 {
		return nil
	}
	if last := len(b.pages) - 1; b.text.Len() > b.pages[last] {
		b.text.WriteString(blockGap)
	}
	start := b.text.Len()
	if part.level > 0 {
		title := strings.Join(part.lines, " ")
		b.text.WriteString(title)
		block := textblocks.Block{Kind: textblocks.Heading, Level: part.level, Text: title, Start: start, End: b.text.Len()}
		splitNumber(&block)
		b.blocks = append(b.blocks, block)
		return b.check()
	}
	text := withParagraphs(part.lines)
	b.text.WriteString(text)
	for _, block := range textblocks.Read(text) {
		block.Start += start
		block.End += start
		switch {
		case strings.Contains(block.Text, leader):
			block.Kind, block.Level = textblocks.Contents, 0
		case b.titled && block.Kind == textblocks.Heading:
			block.Kind, block.Level = textblocks.Paragraph, 0
		}
		b.blocks = append(b.blocks, block)
	}
	return b.check()
}

// leader leads the eye from a title to its page number in a table of contents.
const leader = ". . . ."

func (b *pdfBuilder) check() error {
	if b.text.Len() > b.limits.TextBytes {
		return failure(TooLarge, "the text has more than %d bytes", b.limits.TextBytes)
	}
	if len(b.blocks) > b.limits.Blocks {
		return failure(TooLarge, "the document has more than %d blocks", b.limits.Blocks)
	}
	return nil
}

const (
	// fullLine is the part of the longest line from which a line is full: a shorter
	// one that ends a sentence ends a paragraph, for PDF has no blank lines.
	fullLine     = 0.85
	sentenceEnds = ".!?:"
)

func withParagraphs(lines []string) string {
	longest := 0
	for _, line := range lines {
		longest = max(longest, len(line))
	}
	var b strings.Builder
	for i, line := range lines {
		b.WriteString(line)
		if i == len(lines)-1 {
			break
		}
		b.WriteByte('\n')
		ended := float64(len(line)) < fullLine*float64(longest) && textblocks.EndsWith(line, sentenceEnds)
		if ended || isNumberedTitle(line, lines[i+1]) {
			b.WriteByte('\n')
		}
	}
	return b.String()
}

// isNumberedTitle says whether a line such as "3.2 Opening hours" is whole: without
// bookmarks and blank lines only the capital letter of the next line tells.
func isNumberedTitle(line, next string) bool {
	mark := textblocks.MarkerOf(line)
	first, _ := utf8.DecodeRuneInString(next)
	return mark.Levels > 1 && len(line) < maxTitleBytes && !textblocks.EndsWith(line, ".,;:!?") && unicode.IsUpper(first)
}

// maxTitleBytes is how long a line can be to be taken for a title.
const maxTitleBytes = 90
