package textextract

import (
	"bytes"
	"net/http"
	"path"
	"regexp"
	"strings"
)

// container is what the first bytes of a file tell, if it is no text.
type container int

const (
	containerNone container = iota
	containerPDF
	containerZip
	containerOLE // older Office files, and encrypted newer ones
	containerOther
)

// pdfHeaderWithin is how far from the start readers look for a PDF's header.
const pdfHeaderWithin = 1024

var (
	zipMagic = []byte("PK\x03\x04")
	zipEmpty = []byte("PK\x05\x06")
	oleMagic = []byte("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1")
	rtfMagic = []byte(`{\rtf`)
)

func sniffContainer(file []byte) container {
	switch {
	case bytes.HasPrefix(file, zipMagic), bytes.HasPrefix(file, zipEmpty):
		return containerZip
	case bytes.HasPrefix(file, oleMagic):
		return containerOLE
	case hasPDFHeader(file):
		return containerPDF
	case bytes.HasPrefix(file, rtfMagic):
		return containerOther
	case !strings.HasPrefix(mediaType(file), "text/") && mediaType(file) != "application/octet-stream":
		return containerOther
	}
	return containerNone
}

// hasPDFHeader looks for the header at the start of a line: readers allow bytes
// before it, but a text that only mentions it is no PDF file.
func hasPDFHeader(file []byte) bool {
	head := file[:min(len(file), pdfHeaderWithin)]
	at := bytes.Index(head, []byte("%PDF-"))
	return at == 0 || at > 0 && bytes.ContainsAny(head[at-1:at], "\r\n\x00") && bytes.Contains(file, []byte("endobj"))
}

func mediaType(file []byte) string {
	if bytes.HasPrefix(file, rtfMagic) {
		return "application/rtf"
	}
	found, _, _ := strings.Cut(http.DetectContentType(file), ";")
	return found
}

// encryptedPackage is the name of the stream that holds an encrypted Office file,
// in UTF-16 as OLE directories have it ([MS-OFFCRYPTO] 2.3.4.4).
var encryptedPackage = []byte("E\x00n\x00c\x00r\x00y\x00p\x00t\x00e\x00d\x00P\x00a\x00c\x00k\x00a\x00g\x00e\x00")

func oleFailure(file []byte) *Error {
	if bytes.Contains(file, encryptedPackage) {
		return failure(Encrypted, "the Office file is encrypted")
	}
	return failure(UnsupportedFormat, "the file is one of an older Office program")
}

var htmlStart = regexp.MustCompile(`(?i)^(\s|<!--[^>]*-->|<\?xml[^>]*>)*<(!doctype\s+html|html|head|body|title|meta|script|article|section|div|table|p|h[1-6])[\s>]`)

// htmlWithin is how much of a file is looked at to recognise HTML.
const htmlWithin = 4096

func looksLikeHTML(file []byte) bool {
	head := bytes.TrimPrefix(file, []byte("\xef\xbb\xbf"))
	return htmlStart.Match(head[:min(len(head), htmlWithin)])
}

var (
	htmlTag      = regexp.MustCompile(`(?i)<(p|div|h[1-6]|br|table|ul|ol|li|span|a)(\s[^<>]*)?/?>`)
	markdownLine = regexp.MustCompile("(?m)^(#{1,6} \\S|```|\\* \\S|- \\S|> \\S|\\[[^\\]\n]+\\]: \\S)|\\]\\([^)\n]+\\)")
	markdownHead = regexp.MustCompile(`(?m)^#{1,6} \S`)
)

// markdownSigns is how many different signs make a text without a name Markdown.
const markdownSigns = 3

// textFormat tells the formats that are text apart: by how the text begins, then
// by its name where the text agrees with it, then by signs of Markdown.
func textFormat(name, text string) Format {
	head := text[:min(len(text), htmlWithin)]
	extension := strings.ToLower(path.Ext(strings.ReplaceAll(name, `\`, "/")))
	switch {
	case htmlStart.MatchString(head):
		return HTML
	case (extension == ".html" || extension == ".htm" || extension == ".xhtml") && htmlTag.MatchString(head):
		return HTML
	case extension == ".md" || extension == ".markdown":
		return Markdown
	case extension == "" && markdownHead.MatchString(head) && len(markdownLine.FindAllString(head, markdownSigns)) == markdownSigns:
		return Markdown
	}
	return PlainText
}
