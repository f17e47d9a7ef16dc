package indexwork

import (
	"context"
	"fmt"

	"github.com/replyonce/replyonce/shared/indexing"
)

// write adds what an earlier attempt has not written, in order and in as few
// writes as the store takes.
func (w work) write(ctx context.Context, entries []indexing.Entry) error {
	stored, err := w.kind.Entries.ListEntries(ctx, w.writer.Target)
	if err != nil {
		return fmt.Errorf("list entries: %w", err)
	}
	there := make(map[indexing.Key]string, len(stored))
	for _, e := range stored {
		there[e.Key] = e.SHA256
	}
	var batch []indexing.Entry
	size := 0
	flush := func() error {
		if err := w.kind.Entries.WriteEntries(ctx, w.writer, batch); err != nil {
			return fmt.Errorf("write entries: %w", err)
		}
		batch, size = nil, 0
		return nil
	}
	for _, e := range entries {
		if sum, found := there[e.Key]; found && sum == e.Sum() {
			continue
		}
		if len(batch) == indexing.MaxEntries || size+len(e.Body) > indexing.MaxBytes {
			if err := flush(); err != nil {
				return err
			}
		}
		batch, size = append(batch, e), size+len(e.Body)
	}
	return flush()
}
