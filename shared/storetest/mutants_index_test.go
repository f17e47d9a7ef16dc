package storetest_test

import (
	"context"
	"slices"
	"sync"

	"github.com/replyonce/replyonce/shared/document"
	"github.com/replyonce/replyonce/shared/indexing"
	"github.com/replyonce/replyonce/shared/memstore"
	"github.com/replyonce/replyonce/shared/storetest"
)

// indexMutants are stores that index versions wrongly.
func indexMutants() []mutant {
	return []mutant{
		whole("a current version that follows whoever is last", "Indexing/currentVersionNeverMovesBack", func(s storetest.Store) storetest.Store {
			return &lastPublished{Store: s, last: map[string]int{}}
		}),
		whole("entries without the version", "Indexing/currentVersionNeverMovesBack", func(s storetest.Store) storetest.Store {
			return &oneShelf{Store: s, entries: map[string][]indexing.Entry{}}
		}),
		whole("entries of whoever writes", "Indexing/replacedWriterIsRefused", func(s storetest.Store) storetest.Store {
			return &anyWriter{Store: s, writer: map[indexing.Target]int64{}}
		}),
		{"entries that are deleted and written anew", "Indexing/entriesAreNeverOverwritten", func() storetest.Store {
			return &rewriting{Store: memstore.New(memstore.Options{}), mine: map[indexing.Target]map[indexing.Key]indexing.Entry{}}
		}},
	}
}

// lastPublished is a pointer without its condition.
type lastPublished struct {
	storetest.Store
	mu   sync.Mutex
	last map[string]int
}

func (s *lastPublished) Publish(ctx context.Context, w indexing.Writer, summary indexing.Summary) error {
	err := s.Store.Publish(ctx, w, summary)
	if err == nil {
		s.mu.Lock()
		s.last[w.Document] = w.Number
		s.mu.Unlock()
	}
	return err //nolint:wrapcheck // the suite sees it
}

func (s *lastPublished) Document(ctx context.Context, workspace, id string) (document.Document, error) {
	d, err := s.Store.Document(ctx, workspace, id)
	s.mu.Lock()
	defer s.mu.Unlock()
	if n, published := s.last[id]; published {
		d.CurrentVersion = n
	}
	return d, err //nolint:wrapcheck // the suite sees it
}

// oneShelf keeps the entries of all versions of a document under the same keys: those
// of a longer old version stay beside those of a shorter new one.
type oneShelf struct {
	storetest.Store
	mu      sync.Mutex
	entries map[string][]indexing.Entry
}

func (s *oneShelf) WriteEntries(ctx context.Context, w indexing.Writer, entries []indexing.Entry) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, e := range entries {
		for _, old := range s.entries[w.Document] {
			if old.Key == e.Key && old.Sum() != e.Sum() {
				return indexing.ErrDiffers
			}
		}
	}
	if err := s.Store.WriteEntries(ctx, w, entries); err != nil {
		return err //nolint:wrapcheck // the suite sees it
	}
	s.entries[w.Document] = append(s.entries[w.Document], entries...)
	return nil
}

// anyWriter leaves the writer's check out of writes of entries: it writes as the
// writer that the version has.
type anyWriter struct {
	storetest.Store
	mu     sync.Mutex
	writer map[indexing.Target]int64
}

func (s *anyWriter) TakeVersion(ctx context.Context, w indexing.Writer) error {
	err := s.Store.TakeVersion(ctx, w)
	if err == nil {
		s.mu.Lock()
		s.writer[w.Target] = w.Assignment
		s.mu.Unlock()
	}
	return err //nolint:wrapcheck // the suite sees it
}

func (s *anyWriter) WriteEntries(ctx context.Context, w indexing.Writer, entries []indexing.Entry) error {
	s.mu.Lock()
	if writer, taken := s.writer[w.Target]; taken {
		w.Assignment = writer
	}
	s.mu.Unlock()
	return s.Store.WriteEntries(ctx, w, entries) //nolint:wrapcheck // the suite sees it
}

// rewriting deletes what is there before it writes: another body is taken.
type rewriting struct {
	storetest.Store
	mu   sync.Mutex
	mine map[indexing.Target]map[indexing.Key]indexing.Entry
}

func (s *rewriting) WriteEntries(ctx context.Context, w indexing.Writer, entries []indexing.Entry) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	kept := s.mine[w.Target]
	if kept == nil {
		kept = map[indexing.Key]indexing.Entry{}
		s.mine[w.Target] = kept
	}
	var absent []indexing.Entry
	for _, e := range entries {
		if _, there := kept[e.Key]; !there {
			absent = append(absent, e)
		}
	}
	if err := s.Store.WriteEntries(ctx, w, absent); err != nil {
		return err //nolint:wrapcheck // the suite sees it
	}
	for _, e := range entries {
		kept[e.Key] = e
	}
	return nil
}

func (s *rewriting) ListEntries(ctx context.Context, t indexing.Target) ([]indexing.Stored, error) {
	stored, err := s.Store.ListEntries(ctx, t)
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, e := range stored {
		stored[i] = indexing.Describe([]indexing.Entry{s.mine[t][e.Key]})[0]
	}
	return stored, err //nolint:wrapcheck // the suite sees it
}

func (s *rewriting) ReadEntries(ctx context.Context, t indexing.Target, keys []indexing.Key) ([]indexing.Entry, error) {
	entries, err := s.Store.ReadEntries(ctx, t, keys)
	s.mu.Lock()
	defer s.mu.Unlock()
	entries = slices.Clone(entries)
	for i, e := range entries {
		entries[i] = s.mine[t][e.Key]
	}
	return entries, err //nolint:wrapcheck // the suite sees it
}
