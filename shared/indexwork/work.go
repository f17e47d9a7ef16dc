package indexwork

import (
	"context"
	"errors"
	"fmt"

	"github.com/replyonce/replyonce/shared/document"
	"github.com/replyonce/replyonce/shared/indexing"
	"github.com/replyonce/replyonce/shared/storeerror"
	"github.com/replyonce/replyonce/shared/taskflow"
	"github.com/replyonce/replyonce/shared/worktask"
)

// work is one attempt at an index.
type work struct {
	kind    Kind
	input   indexing.Input
	version document.Version // as it was when the attempt began
	writer  indexing.Writer
}

// Call makes the index. There is no operation to save.
func (w work) Call(ctx context.Context, _ func(context.Context, string) error) worktask.Outcome {
	switch {
	case w.version.State.Readable(): // published by an attempt that died before it could say so
		return answered(summaryOf(w.version.Index))
	case w.version.State == document.Failed: // likewise
		return worktask.Outcome{Kind: worktask.Permanent, Reason: worktask.DocumentUnreadable}
	}
	summary, err := w.index(ctx)
	if err != nil {
		return w.failed(ctx, err)
	}
	return answered(summary)
}

func summaryOf(index document.Index) indexing.Summary {
	return indexing.Summary{Entries: index.Entries, Passages: index.Passages, Pages: index.Pages, Manifest: index.Manifest}
}

func answered(s indexing.Summary) worktask.Outcome {
	result := indexing.Result(s)
	return worktask.Outcome{Kind: worktask.Answered, Result: worktask.Result{Body: result.Encode()}}
}

// LookUp is never asked for: no operation is saved.
func (w work) LookUp(context.Context, string) worktask.Outcome {
	return worktask.Outcome{Kind: worktask.OperationLost}
}

func (w work) index(ctx context.Context) (indexing.Summary, error) {
	if err := w.persist(ctx, func() error { return w.kind.Entries.TakeVersion(ctx, w.writer) }); err != nil {
		return indexing.Summary{}, fmt.Errorf("take the version: %w", err)
	}
	source, err := w.kind.source(ctx, w.writer, w.input)
	if err != nil {
		return indexing.Summary{}, fmt.Errorf("read source: %w", err)
	}
	built, err := w.kind.Pipeline.Run(ctx, source)
	if err != nil {
		return indexing.Summary{}, fmt.Errorf("run pipeline: %w", err)
	}
	if err := w.write(ctx, built.Entries); err != nil {
		return indexing.Summary{}, err
	}
	return w.publish(ctx, built)
}

// publish makes the version ready once a read has proven that every entry is
// there, and nothing else.
func (w work) publish(ctx context.Context, built Built) (indexing.Summary, error) {
	stored, err := w.kind.Entries.ListEntries(ctx, w.writer.Target)
	if err != nil {
		return indexing.Summary{}, fmt.Errorf("list entries before publishing: %w", err)
	}
	summary := indexing.Summary{
		Entries: len(stored), Passages: built.Passages, Pages: built.Pages, Manifest: indexing.Manifest(stored),
	}
	if wanted := indexing.Manifest(indexing.Describe(built.Entries)); summary.Manifest != wanted {
		return indexing.Summary{}, fmt.Errorf("%d entries are stored and %d were made: %w", len(stored), len(built.Entries), indexing.ErrDiffers)
	}
	if err := w.persist(ctx, func() error { return w.kind.Entries.Publish(ctx, w.writer, summary) }); err != nil {
		return indexing.Summary{}, fmt.Errorf("publish: %w", err)
	}
	return summary, nil
}

// failed puts an error into the engine's words. What is wrong with the source is
// said on the version, too, where whoever reads it looks.
func (w work) failed(ctx context.Context, err error) worktask.Outcome {
	outcome := worktask.Outcome{Kind: worktask.Permanent, Reason: worktask.DocumentUnreadable, Err: err}
	source, isSource := errors.AsType[*SourceError](err)
	switch {
	case isSource:
		if err := w.kind.Entries.FailVersion(ctx, w.writer, source.Reason); err != nil {
			return worktask.Outcome{Kind: worktask.Rejected, Err: err} // said by the next attempt
		}
		return outcome
	case errors.Is(err, indexing.ErrDeleted), errors.Is(err, storeerror.ErrNotFound), errors.Is(err, storeerror.ErrCorrupt),
		errors.Is(err, indexing.ErrDiffers):
		return outcome
	}
	// Replaced, cut off or without a store: nothing is paid, entries stay, and the
	// next attempt goes on from them.
	return worktask.Outcome{Kind: worktask.Rejected, Err: err}
}

var _ taskflow.Work = work{}
