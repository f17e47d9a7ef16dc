package indexwork

import (
	"context"
	"errors"
	"fmt"

	"github.com/replyonce/replyonce/shared/indexing"
	"github.com/replyonce/replyonce/shared/storeerror"
)

// persist makes a write until it is decided or the attempt is over. Every write of
// this package may be made again: entries are compared by their hash, and taking and
// publishing know their own effect. A store that is busy for a while must not throw
// away what it took a minute to read.
func (w work) persist(ctx context.Context, write func() error) error {
	for try := 1; ; try++ {
		err := write()
		if !errors.Is(err, storeerror.ErrUnavailable) && !errors.Is(err, storeerror.ErrConflict) && !errors.Is(err, storeerror.ErrWriteUnknown) {
			return err
		}
		if w.kind.Pause(ctx, try) != nil {
			return err
		}
	}
}

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
		if err := w.persist(ctx, func() error { return w.kind.Entries.WriteEntries(ctx, w.writer, batch) }); err != nil {
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
