package pdfengine

import (
	"strings"

	"github.com/klippa-app/go-pdfium/references"
	"github.com/klippa-app/go-pdfium/requests"

	"github.com/replyonce/replyonce/shared/textextract"
)

// Bookmarks are a hint, so what goes beyond these is left out. Bookmarks that
// point back at each other end here too; the library's own walk over them does not.
const (
	maxBookmarks     = 5000
	maxBookmarkDepth = 12
	maxTitleBytes    = 1000
)

// outlineReader lists the bookmarks that point to pages, in their order.
type outlineReader struct {
	*reader
	pages   int
	visited int
	found   []textextract.PDFHeading
}

func (r *reader) outline(pages int) []textextract.PDFHeading {
	o := &outlineReader{reader: r, pages: pages}
	o.children(nil, 1)
	return o.found
}

// children visits what is below a bookmark; nil is the document itself.
func (o *outlineReader) children(of *references.FPDF_BOOKMARK, level int) {
	if level > maxBookmarkDepth {
		return
	}
	first, err := o.pdfium.FPDFBookmark_GetFirstChild(&requests.FPDFBookmark_GetFirstChild{Document: o.document, Bookmark: of})
	if err != nil {
		return
	}
	for at := first.Bookmark; at != nil && o.visited < maxBookmarks; {
		o.visited++
		o.visit(*at, level)
		o.children(at, level+1)
		next, err := o.pdfium.FPDFBookmark_GetNextSibling(&requests.FPDFBookmark_GetNextSibling{Document: o.document, Bookmark: *at})
		if err != nil {
			return
		}
		at = next.Bookmark
	}
}

func (o *outlineReader) visit(bookmark references.FPDF_BOOKMARK, level int) {
	title, err := o.pdfium.FPDFBookmark_GetTitle(&requests.FPDFBookmark_GetTitle{Bookmark: bookmark})
	if err != nil || title.Title == "" || len(title.Title) > maxTitleBytes {
		return
	}
	target, err := o.pdfium.FPDFBookmark_GetDest(&requests.FPDFBookmark_GetDest{Document: o.document, Bookmark: bookmark})
	if err != nil || target.Dest == nil {
		return
	}
	page, err := o.pdfium.FPDFDest_GetDestPageIndex(&requests.FPDFDest_GetDestPageIndex{Document: o.document, Dest: *target.Dest})
	if err != nil || page.Index < 0 || page.Index >= o.pages {
		return
	}
	o.found = append(o.found, textextract.PDFHeading{Title: strings.ToValidUTF8(title.Title, "\uFFFD"), Page: page.Index, Level: level})
}
