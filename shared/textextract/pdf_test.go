package textextract

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// pdfOf is an engine that finds what it is told to.
type pdfOf struct {
	content PDFContent
	err     error
}

func (p pdfOf) ReadPDF(context.Context, []byte, Limits) (PDFContent, error) { return p.content, p.err }

var pdfFile = []byte("%PDF-1.7\n")

func TestPDFPagesHeadingsAndRunningLines(t *testing.T) {
	t.Parallel()
	var content PDFContent
	for i := range 5 {
		content.Pages = append(content.Pages, PDFPage{Label: fmt.Sprint(i + 1), Text: fmt.Sprintf(
			"House rules, release 3\nText of page %d, which is a long line of a para\x02\ngraph and goes on.\nChapter %c %d\n", i+1, 'A'+i, i+1)})
	}
	content.Pages[1].Text = "House rules, release 3\n1.1 Opening\nhours\nThe library opens at nine on most days of the week, and earlier.\nClosed.\nFrom five.\n1.1. Opening 2\n"
	content.Pages[4].Text = ""
	content.Outline = []PDFHeading{{Title: "Opening hours", Page: 1, Level: 2}, {Title: "Absent", Page: 2, Level: 1}}
	d := extract(t, Extractor{PDF: pdfOf{content: content}}, "", pdfFile)
	want := "Text of page 1, which is a long line of a paragraph and goes on.\n## 1.1 Opening hours\n" +
		"The library opens at nine on most days of the week, and earlier. Closed.\nFrom five.\n" +
		"Text of page 3, which is a long line of a paragraph and goes on.\nText of page 4, which is a long line of a paragraph and goes on.\n"
	if diff := cmp.Diff(want, outline(d)); diff != "" {
		t.Errorf("blocks (-want +got):\n%s", diff)
	}
	var pages []int
	for _, b := range d.Blocks {
		pages = append(pages, d.Page(b.Start))
	}
	if diff := cmp.Diff([]int{1, 2, 2, 2, 3, 4}, pages); diff != "" {
		t.Errorf("pages (-want +got):\n%s", diff)
	}
	if len(d.Pages) != 5 || d.Page(0) != 1 || d.Page(len(d.Text)) != 5 || (Document{}).Page(3) != 0 {
		t.Errorf("page positions %v", d.Pages)
	}
}

func TestPDFWithoutBookmarksHasItsNumberedHeadings(t *testing.T) {
	t.Parallel()
	content := PDFContent{Pages: []PDFPage{{Text: "1.1 Opening\nThe library opens at nine.\n1.2 Closing . . . . . . . 7\n"}}}
	d := extract(t, Extractor{PDF: pdfOf{content: content}}, "", pdfFile)
	if got := outline(d); got != "## 1.1 Opening\nThe library opens at nine.\n… Closing . . . . . . . 7\n" {
		t.Errorf("blocks:\n%s", got)
	}
}

func TestRefusedPDF(t *testing.T) {
	t.Parallel()
	page := strings.Repeat("A page full of words. ", 100)
	tests := []struct {
		name   string
		engine pdfOf
		want   Reason
	}{
		{"scanned", pdfOf{content: PDFContent{Pages: make([]PDFPage, 3)}}, NoText},
		{"encrypted", pdfOf{err: &Error{Reason: Encrypted}}, Encrypted},
		{"text too large", pdfOf{content: PDFContent{Pages: []PDFPage{{Text: page}, {Text: page}}}}, TooLarge},
	}
	limits := DefaultLimits()
	limits.TextBytes = 3000
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			_, err := Extractor{Limits: limits, PDF: test.engine}.Extract(t.Context(), File{Bytes: pdfFile})
			if got := reasonOf(t, err); got != test.want {
				t.Errorf("reason %s, want %s", got, test.want)
			}
		})
	}
	broken := errors.New("no engine")
	if _, err := (Extractor{PDF: pdfOf{err: broken}}).Extract(t.Context(), File{Bytes: pdfFile}); !errors.Is(err, broken) {
		t.Errorf("error %v, want that of the engine", err)
	}
}

// FuzzPDFPages: whatever an engine finds on pages ends in blocks that stand where
// they say.
func FuzzPDFPages(f *testing.F) {
	f.Add("1 A\ntext.\n\f", "A", "1", 0)
	f.Add("\x02\n\xff. . . .", "", "", 1)
	f.Add(strings.Repeat("x 7\n", 5), "x 7", "7", 0)
	f.Fuzz(func(t *testing.T, text, title, label string, page int) {
		content := PDFContent{Outline: []PDFHeading{{Title: title, Page: page, Level: 1}}}
		for range 5 {
			content.Pages = append(content.Pages, PDFPage{Text: text, Label: label})
		}
		d, err := Extractor{PDF: pdfOf{content: content}, Limits: fuzzLimits()}.readPDF(context.Background(), nil)
		if err != nil {
			reasonOf(t, err)
			return
		}
		checkPositions(t, d)
	})
}
