// Package documents measures what real documents cost to index and how well their
// passages are found: times of extracting, splitting and building, the start of the
// PDF engine, write units of DynamoDB, bytes that a question reads, and recall.
package documents

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/replyonce/replyonce/shared/retrieval"
	"github.com/replyonce/replyonce/shared/retrieval/check"
	"github.com/replyonce/replyonce/shared/textextract"
	"github.com/replyonce/replyonce/shared/textextract/pdfengine"
)

const (
	// leastRecall is promised on the set of the project.
	leastRecall = 0.9
	// otherAim is aimed at on a set in everyday words and on one by somebody who saw
	// only the documents. Nothing breaks below it: what is made to pass it would no
	// longer tell how questions go that nobody prepared for.
	otherAim = 0.8
)

// Report is everything that was measured.
type Report struct {
	// ColdStart is from the first PDF file to the engine's first answer.
	ColdStart time.Duration `json:"cold_start_ns"`
	Indexed   []Indexed     `json:"indexed"`
	Sets      []Set         `json:"sets"`
}

// Indexed is one document.
type Indexed struct {
	Name       string        `json:"name"`
	FileBytes  int           `json:"file_bytes"`
	TextBytes  int           `json:"text_bytes"`
	Passages   int           `json:"passages"`
	Parts      int           `json:"parts"`
	PartBytes  int           `json:"part_bytes"`
	WriteUnits int           `json:"write_units"`
	Extract    time.Duration `json:"extract_ns"`
	Index      time.Duration `json:"index_ns"` // splitting and building
}

// Set is how a set of questions went.
type Set struct {
	Name  string  `json:"name"`
	Least float64 `json:"least"`
	// Aim says that Least is aimed at, not promised.
	Aim    bool         `json:"aim,omitempty"`
	Result check.Result `json:"result"`
}

// Reached says whether the recall is what was promised or aimed at.
func (s Set) Reached() bool { return s.Result.Recall() >= s.Least }

// Broken lists the promised bounds that do not hold. Times are no bounds.
func (r Report) Broken() []string {
	var broken []string
	for _, s := range r.Sets {
		if !s.Aim && !s.Reached() {
			broken = append(broken, fmt.Sprintf("recall of %s is %.3f, at least %.1f is promised", s.Name, s.Result.Recall(), s.Least))
		}
		if s.Result.MostRead > retrieval.MaxReadBytes {
			broken = append(broken, fmt.Sprintf("a question of %s reads %d bytes, at most %d are promised", s.Name, s.Result.MostRead, retrieval.MaxReadBytes))
		}
	}
	return broken
}

// Measure reads the documents in the folder data and the sets of questions in the
// module's folder root. A set that is missing is left out.
func Measure(ctx context.Context, root, data string) (Report, error) {
	var r Report
	engine := &pdfengine.Process{}
	defer engine.Close()
	extractor := textextract.Extractor{PDF: engine}
	start := time.Now()
	if _, err := extractor.Extract(ctx, textextract.File{Bytes: onePage}); err != nil {
		return Report{}, fmt.Errorf("start PDF engine: %w", err)
	}
	r.ColdStart = time.Since(start)
	for _, name := range []string{"policy.txt", "policy.pdf"} {
		indexed, err := measure(ctx, extractor, filepath.Join(data, name))
		if err != nil {
			return Report{}, err
		}
		r.Indexed = append(r.Indexed, indexed)
	}
	for _, set := range []Set{{Name: "questions.json", Least: leastRecall}, {Name: "questions-tuning.json", Least: otherAim, Aim: true}, {Name: "questions-other.json", Least: otherAim, Aim: true}} {
		questions, err := check.ReadQuestions(filepath.Join(root, "shared", "retrieval", "testdata", set.Name))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return Report{}, fmt.Errorf("read set: %w", err)
		}
		if set.Result, err = check.Run(ctx, data, questions); err != nil {
			return Report{}, fmt.Errorf("ask the questions of %s: %w", set.Name, err)
		}
		r.Sets = append(r.Sets, set)
	}
	return r, nil
}

func measure(ctx context.Context, extractor textextract.Extractor, file string) (Indexed, error) {
	content, err := os.ReadFile(file) //nolint:gosec // one of two names
	if err != nil {
		return Indexed{}, fmt.Errorf("read document: %w", err)
	}
	x := Indexed{Name: filepath.Base(file), FileBytes: len(content)}
	start := time.Now()
	document, err := extractor.Extract(ctx, textextract.File{Name: x.Name, Bytes: content})
	if err != nil {
		return Indexed{}, fmt.Errorf("read document %s: %w", x.Name, err)
	}
	x.Extract, x.TextBytes = time.Since(start), len(document.Text)
	start = time.Now()
	passages := retrieval.Split(document)
	parts := retrieval.Build(passages)
	x.Index, x.Passages, x.Parts = time.Since(start), len(passages), len(parts)
	for _, p := range parts {
		x.PartBytes += len(p.Bytes)
		x.WriteUnits += writeUnits(len(p.Bytes))
	}
	return x, nil
}

// keyBytes is what an item has beside the part: names and values of its keys.
const keyBytes = 120

// writeUnits is what writing an item costs: one for each kilobyte begun.
func writeUnits(bytes int) int { return (bytes + keyBytes + 1023) / 1024 }

// onePage is the smallest PDF file with a text, so that its time is that of the
// engine's start.
var onePage = []byte(`%PDF-1.4
1 0 obj << /Type /Catalog /Pages 2 0 R >> endobj
2 0 obj << /Type /Pages /Kids [3 0 R] /Count 1 >> endobj
3 0 obj << /Type /Page /Parent 2 0 R /MediaBox [0 0 99 99] /Contents 4 0 R
  /Resources << /Font << /F << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >> >> >> endobj
4 0 obj << /Length 26 >> stream
BT /F 9 Tf 9 9 Td (A) Tj ET
endstream endobj
trailer << /Root 1 0 R >>
%%EOF
`)
