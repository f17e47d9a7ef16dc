package textextract

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// File is what was uploaded.
type File struct {
	Name  string // as declared; only its extension is looked at, and only as a hint
	Bytes []byte
}

// Extractor takes text from files. Its zero value reads everything but PDF, within
// the default limits.
type Extractor struct {
	Limits Limits    // zero: DefaultLimits
	PDF    PDFEngine // nil: PDF files are unsupported
}

// errTime is the cause of the end of a file's time.
var errTime = errors.New("the time for one file is over")

// Extract takes the text out of a file. A file without usable text is reported as
// an *Error; any other error is one of the caller's context or of an engine that
// could not be started, and says nothing about the file.
func (e Extractor) Extract(ctx context.Context, file File) (Document, error) {
	if e.Limits == (Limits{}) {
		e.Limits = DefaultLimits()
	}
	if len(file.Bytes) > e.Limits.FileBytes {
		return Document{}, failure(TooLarge, "the file has %d bytes, the limit is %d", len(file.Bytes), e.Limits.FileBytes)
	}
	limited, cancel := context.WithTimeoutCause(ctx, e.Limits.Time, errTime)
	defer cancel()
	document, err := e.extract(limited, file)
	switch {
	case err == nil:
	case errors.Is(context.Cause(limited), errTime) && ctx.Err() == nil:
		return Document{}, &Error{Reason: TimeLimit, Err: err}
	default:
		return Document{}, err
	}
	if strings.TrimSpace(document.Text) == "" {
		return Document{}, failure(NoText, "the %s file has no text", document.Format)
	}
	return document, nil
}

func (e Extractor) extract(ctx context.Context, file File) (Document, error) {
	switch container := sniffContainer(file.Bytes); container {
	case containerPDF:
		return e.readPDF(ctx, file.Bytes)
	case containerZip:
		return readDOCX(ctx, file.Bytes, e.Limits)
	case containerOLE:
		return Document{}, oleFailure(file.Bytes)
	case containerOther:
		return Document{}, failure(UnsupportedFormat, "the file begins like a %s file", mediaType(file.Bytes))
	case containerNone:
	}
	text, encoding, err := decode(file.Bytes, looksLikeHTML(file.Bytes))
	if err != nil {
		return Document{}, err
	}
	format := textFormat(file.Name, text)
	// HTML loses its tags, so only what is left of it counts.
	if format != HTML && len(text) > e.Limits.TextBytes {
		return Document{}, failure(TooLarge, "the text has %d bytes, the limit is %d", len(text), e.Limits.TextBytes)
	}
	document, err := e.readText(ctx, format, text)
	if err != nil {
		return Document{}, err
	}
	document.Format, document.Encoding = format, encoding
	return document, nil
}

func (e Extractor) readText(ctx context.Context, format Format, text string) (Document, error) {
	switch format {
	case HTML:
		return readHTML(ctx, text, e.Limits)
	case Markdown:
		return readMarkdown(ctx, text, e.Limits)
	case PlainText, PDF, DOCX:
		return readPlain(ctx, text, e.Limits)
	}
	return Document{}, fmt.Errorf("read text of format %q: it is not a text format", format)
}
