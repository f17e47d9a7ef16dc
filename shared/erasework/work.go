package erasework

import (
	"context"
	"fmt"

	"github.com/replyonce/replyonce/shared/document"
	"github.com/replyonce/replyonce/shared/taskflow"
	"github.com/replyonce/replyonce/shared/worktask"
)

// batch bounds what is removed between two looks at the time that is left.
const batch = 100

// work is one attempt at removing what is left.
type work struct {
	kind      Kind
	workspace string
	document  string
}

var _ taskflow.Work = work{}

// Call removes in the order that document.Remains asks for.
func (w work) Call(ctx context.Context, _ func(context.Context, string) error) worktask.Outcome {
	result, err := w.erase(ctx)
	if err != nil {
		// Nothing is paid and nothing removed twice hurts: the next attempt goes on.
		return worktask.Outcome{Kind: worktask.Rejected, Err: err}
	}
	return worktask.Outcome{Kind: worktask.Answered, Result: worktask.Result{Body: result.Encode()}}
}

// LookUp is never asked for: no operation is saved.
func (w work) LookUp(context.Context, string) worktask.Outcome {
	return worktask.Outcome{Kind: worktask.OperationLost}
}

func (w work) erase(ctx context.Context) (Result, error) {
	// Most are fenced already: who deletes waits for that.
	versions, err := document.Fence(ctx, w.kind.Remains, w.workspace, w.document)
	if err != nil {
		return Result{}, fmt.Errorf("erase: %w", err)
	}
	result := Result{Versions: len(versions)}
	if result.Contents, err = w.contents(ctx); err != nil {
		return Result{}, err
	}
	for _, v := range versions {
		if v.Index.Object != "" {
			if err := w.kind.Objects.DeleteObject(ctx, v.Index.Object); err != nil {
				return Result{}, fmt.Errorf("erase file of version %d of document %s: %w", v.Number, w.document, err)
			}
			result.Objects++
		}
		if err := w.kind.Remains.EraseVersion(ctx, w.workspace, w.document, v.Number); err != nil {
			return Result{}, fmt.Errorf("erase: %w", err)
		}
	}
	return result, nil
}

func (w work) contents(ctx context.Context) (int, error) {
	for all := 0; ; {
		if err := ctx.Err(); err != nil {
			return all, fmt.Errorf("erase contents of document %s: %w", w.document, context.Cause(ctx))
		}
		n, err := w.kind.Remains.EraseContents(ctx, w.workspace, w.document, batch)
		if err != nil {
			return all, fmt.Errorf("erase: %w", err)
		}
		if n == 0 {
			return all, nil
		}
		all += n
	}
}
