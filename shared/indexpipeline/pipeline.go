package indexpipeline

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"

	"github.com/replyonce/replyonce/shared/indexwork"
	"github.com/replyonce/replyonce/shared/retrieval"
	"github.com/replyonce/replyonce/shared/textextract"
)

// layout changes whenever entries are laid out in another way here.
const layout = "1"

// Name is what this pipeline is called. Workers of different releases that share it
// make the same entries; others leave each other's tasks alone.
func Name() string {
	sum := sha256.Sum256([]byte(layout + " " + textextract.Settings + " " + retrieval.Settings))
	return hex.EncodeToString(sum[:4])
}

// Pipeline makes entries. Its zero value reads everything but PDF.
type Pipeline struct {
	Extractor textextract.Extractor
}

var _ indexwork.Pipeline = Pipeline{}

// Name implements indexwork.Pipeline.
func (Pipeline) Name() string { return Name() }

// Run implements indexwork.Pipeline.
func (p Pipeline) Run(ctx context.Context, source indexwork.Source) (indexwork.Built, error) {
	doc, err := p.Extractor.Extract(ctx, textextract.File{Name: source.FileName, Bytes: source.Body})
	if refused, ok := errors.AsType[*textextract.Error](err); ok {
		return indexwork.Built{}, &indexwork.SourceError{Reason: string(refused.Reason), Err: err}
	}
	if err != nil {
		return indexwork.Built{}, fmt.Errorf("extract: %w", err)
	}
	passages := retrieval.Split(doc)
	if err := ctx.Err(); err != nil {
		return indexwork.Built{}, fmt.Errorf("split: %w", context.Cause(ctx))
	}
	entries := textEntries(doc)
	entries = append(entries, partEntries(retrieval.Build(passages))...)
	return indexwork.Built{Entries: entries, Passages: len(passages), Pages: len(doc.Pages)}, nil
}
