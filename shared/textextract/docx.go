package textextract

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"
)

const (
	// maxZipEntries bounds the directory of a container; documents have some dozens.
	maxZipEntries = 10_000

	relationships    = "_rels/.rels"
	usualMainPart    = "word/document.xml"
	officeDocument   = "/officeDocument"
	encryptedByZip   = 0x1
	stylesBesideMain = "styles.xml"
)

// archive reads parts of a zip file. What all of them unpack to has one budget, so
// that neither one huge part nor many add up, whatever sizes the directory states.
type archive struct {
	files map[string]*zip.File
	left  int64 // bytes that may still be unpacked
}

func openArchive(file []byte, limits Limits) (*archive, error) {
	z, err := zip.NewReader(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		return nil, failure(Broken, "read the container: %w", err)
	}
	if len(z.File) > maxZipEntries {
		return nil, failure(TooLarge, "the container has %d parts", len(z.File))
	}
	a := &archive{files: make(map[string]*zip.File, len(z.File)), left: int64(limits.InflatedBytes)}
	for _, f := range z.File {
		if f.Flags&encryptedByZip != 0 {
			return nil, failure(Encrypted, "part %q of the container is encrypted", f.Name)
		}
		if _, twice := a.files[f.Name]; twice {
			return nil, failure(Broken, "the container has two parts named %q", f.Name)
		}
		a.files[f.Name] = f
	}
	return a, nil
}

// errBudget says that a part unpacks to more than is left.
var errBudget = errors.New("the parts unpack to more than the limit")

// open reads a part as XML.
func (a *archive) open(name string) (*xml.Decoder, io.Closer, error) {
	f, found := a.files[name]
	if !found {
		return nil, nil, failure(Broken, "part %q is missing", name)
	}
	r, err := f.Open()
	if err != nil {
		return nil, nil, failure(Broken, "open part %q: %w", name, err)
	}
	decoder := xml.NewDecoder(&budgetReader{archive: a, reader: r})
	decoder.Strict = true
	return decoder, r, nil
}

type budgetReader struct {
	archive *archive
	reader  io.Reader
}

func (b *budgetReader) Read(p []byte) (int, error) {
	if b.archive.left <= 0 {
		return 0, errBudget
	}
	if int64(len(p)) > b.archive.left {
		p = p[:b.archive.left]
	}
	n, err := b.reader.Read(p)
	b.archive.left -= int64(n)
	if err != nil && !errors.Is(err, io.EOF) {
		return n, fmt.Errorf("unpack: %w", err)
	}
	return n, err //nolint:wrapcheck // io.EOF has to stay itself
}

// xmlFailure names what ended the reading of a part.
func xmlFailure(name string, err error) error {
	var own *Error
	switch {
	case errors.As(err, &own), errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded), errors.Is(err, errTime):
		return err
	case errors.Is(err, errBudget):
		return failure(TooLarge, "read part %q: %w", name, err)
	}
	return failure(Broken, "read part %q: %w", name, err)
}

// walk calls start and end for the elements of a part, and text for what stands
// between, within the limit of depth. A document type is refused: no part of an
// Office file has one, and entities of one's own are what it would be for.
func (a *archive) walk(ctx context.Context, name string, depthLimit int, h xmlHandler) error {
	decoder, closer, err := a.open(name)
	if err != nil {
		return err
	}
	defer func() { _ = closer.Close() }()
	var pace pacer
	depth := 0
	for {
		if err := pace.step(ctx); err != nil {
			return err
		}
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return xmlFailure(name, err)
		}
		switch t := token.(type) {
		case xml.StartElement:
			if depth++; depth > depthLimit {
				return failure(TooDeep, "more than %d elements are open in one another", depthLimit)
			}
			err = h.start(t)
		case xml.EndElement:
			depth--
			err = h.end(t.Name.Local)
		case xml.CharData:
			h.text(string(t))
		case xml.Directive:
			err = failure(Broken, "part %q has a document type", name)
		}
		if err != nil {
			return xmlFailure(name, err)
		}
	}
}

// xmlHandler is told what a part contains.
type xmlHandler struct {
	start func(xml.StartElement) error
	end   func(name string) error
	text  func(string)
}

func attribute(element xml.StartElement, local string) string {
	for _, a := range element.Attr {
		if a.Name.Local == local {
			return a.Value
		}
	}
	return ""
}

func ignoreEnd(string) error { return nil }

func ignoreText(string) {}

// mainPart finds the document in the container by its relationship; programs name
// the part differently.
func (a *archive) mainPart(ctx context.Context, depth int) (string, error) {
	main := ""
	if a.files[relationships] != nil {
		err := a.walk(ctx, relationships, depth, xmlHandler{text: ignoreText, end: ignoreEnd, start: func(e xml.StartElement) error {
			if e.Name.Local == "Relationship" && strings.HasSuffix(attribute(e, "Type"), officeDocument) {
				main = strings.TrimPrefix(path.Clean("/"+attribute(e, "Target")), "/")
			}
			return nil
		}})
		if err != nil {
			return "", err
		}
	}
	if main == "" && a.files[usualMainPart] != nil {
		main = usualMainPart
	}
	if !strings.HasPrefix(main, "word/") {
		return "", failure(UnsupportedFormat, "the container holds no text document")
	}
	return main, nil
}

// readDOCX reads an Office Open XML text document (ECMA-376 part 1, chapter 17).
func readDOCX(ctx context.Context, file []byte, limits Limits) (Document, error) {
	a, err := openArchive(file, limits)
	if err != nil {
		return Document{}, err
	}
	main, err := a.mainPart(ctx, limits.Depth)
	if err != nil {
		return Document{}, err
	}
	styles := map[string]docxStyle{}
	if part := path.Join(path.Dir(main), stylesBesideMain); a.files[part] != nil {
		if styles, err = readStyles(ctx, a, part, limits.Depth); err != nil {
			return Document{}, err
		}
	}
	r := &docxReader{builder: builder{limits: limits}, styles: styles}
	if err := a.walk(ctx, main, limits.Depth, xmlHandler{start: r.start, end: r.end, text: r.characters}); err != nil {
		return Document{}, err
	}
	return r.document(DOCX, r.title), nil
}
