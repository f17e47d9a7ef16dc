package memstore

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/replyonce/replyonce/shared/document"
	"github.com/replyonce/replyonce/shared/indexing"
	"github.com/replyonce/replyonce/shared/storeerror"
)

type entryKey struct {
	target indexing.Target
	key    indexing.Key
}

type keptEntry struct {
	body []byte
	sum  string
}

// change runs a write of the version that w writes to, with the lock held, if the
// version is being indexed with w's pipeline and may says so of its writer.
func (s *Store) change(ctx context.Context, what string, w indexing.Writer, may func(writer int64) bool, apply func(*document.Version) error) error {
	err := reachable(ctx)
	if err == nil {
		s.mu.Lock()
		defer s.mu.Unlock()
		key := versionKey{documentKey{w.Workspace, w.Document}, w.Number}
		v, found := s.versions[key]
		if !found || v.State != document.Indexing || v.Index.Pipeline != w.Pipeline || !may(v.Index.Writer) {
			err = indexing.ErrReplaced
		} else if err = apply(&v); err == nil {
			s.versions[key] = v
		}
	}
	if err != nil {
		return fmt.Errorf("%s version %d of document %s: %w", what, w.Number, w.Document, err)
	}
	return nil
}

func held(w indexing.Writer) func(int64) bool {
	return func(writer int64) bool { return writer == w.Assignment }
}

// TakeVersion implements indexing.Store.
func (s *Store) TakeVersion(ctx context.Context, w indexing.Writer) error {
	return s.change(ctx, "take", w, func(writer int64) bool { return writer <= w.Assignment }, func(v *document.Version) error {
		v.Index.Writer = w.Assignment
		return nil
	})
}

// WriteEntries implements indexing.Store.
func (s *Store) WriteEntries(ctx context.Context, w indexing.Writer, entries []indexing.Entry) error {
	if len(entries) == 0 {
		return nil
	}
	size := 0
	for _, e := range entries {
		if err := checkItem("index entry", len(e.Body)); err != nil {
			return fmt.Errorf("write %s of version %d of document %s: %w", e.Key, w.Number, w.Document, err)
		}
		size += len(e.Body)
	}
	if err := checkTransaction(size); err != nil {
		return fmt.Errorf("write entries of version %d of document %s: %w", w.Number, w.Document, err)
	}
	return s.change(ctx, "write entries of", w, held(w), func(*document.Version) error {
		for _, e := range entries {
			if kept, there := s.entries[entryKey{w.Target, e.Key}]; there && kept.sum != e.Sum() {
				return indexing.ErrDiffers
			}
		}
		for _, e := range entries {
			s.entries[entryKey{w.Target, e.Key}] = keptEntry{slices.Clone(e.Body), e.Sum()}
		}
		return nil
	})
}

// ListEntries implements indexing.Store.
func (s *Store) ListEntries(ctx context.Context, t indexing.Target) ([]indexing.Stored, error) {
	if err := reachable(ctx); err != nil {
		return nil, fmt.Errorf("list entries of version %d of document %s: %w", t.Number, t.Document, err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []indexing.Stored
	for at, kept := range s.entries {
		if at.target == t {
			all = append(all, indexing.Stored{Key: at.key, Bytes: len(kept.body), SHA256: kept.sum})
		}
	}
	slices.SortFunc(all, func(a, b indexing.Stored) int {
		stages := indexing.Stages()
		return cmp.Or(cmp.Compare(slices.Index(stages, a.Stage), slices.Index(stages, b.Stage)), cmp.Compare(a.Part, b.Part))
	})
	return all, nil
}

// ReadEntries implements indexing.Store.
func (s *Store) ReadEntries(ctx context.Context, t indexing.Target, keys []indexing.Key) ([]indexing.Entry, error) {
	if err := reachable(ctx); err != nil {
		return nil, fmt.Errorf("read entries of version %d of document %s: %w", t.Number, t.Document, err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	var found []indexing.Entry
	for _, key := range keys {
		kept, there := s.entries[entryKey{t, key}]
		if !there {
			continue
		}
		e := indexing.Entry{Key: key, Body: slices.Clone(kept.body)}
		if e.Sum() != kept.sum {
			return nil, fmt.Errorf("read entry %s of version %d of document %s: %w", key, t.Number, t.Document, storeerror.ErrCorrupt)
		}
		found = append(found, e)
	}
	return found, nil
}

// CloseVersion implements document.Versions.
func (s *Store) CloseVersion(ctx context.Context, workspace, id string, number int, reason string) error {
	if err := reachable(ctx); err != nil {
		return fmt.Errorf("close version %d of document %s: %w", number, id, err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	key := versionKey{documentKey{workspace, id}, number}
	if v, found := s.versions[key]; found && v.State == document.Indexing {
		v.State, v.Index.Failure = document.Failed, reason
		s.versions[key] = v
	}
	return nil
}

// Publish implements indexing.Store.
func (s *Store) Publish(ctx context.Context, w indexing.Writer, summary indexing.Summary) error {
	err := s.change(ctx, "publish", w, held(w), func(v *document.Version) error {
		key := documentKey{w.Workspace, w.Document}
		d, found := s.documents[key]
		if !found {
			return indexing.ErrDeleted
		}
		v.State = document.Ready
		v.Index.Entries, v.Index.Passages, v.Index.Pages, v.Index.Manifest = summary.Entries, summary.Passages, summary.Pages, summary.Manifest
		d.CurrentVersion = max(d.CurrentVersion, w.Number)
		s.documents[key] = d
		return nil
	})
	return s.orEarlier(ctx, err, w, func(v document.Version) bool {
		return v.State == document.Ready && v.Index.Manifest == summary.Manifest
	})
}

// FailVersion implements indexing.Store.
func (s *Store) FailVersion(ctx context.Context, w indexing.Writer, reason string) error {
	err := s.change(ctx, "fail", w, held(w), func(v *document.Version) error {
		v.State, v.Index.Failure = document.Failed, reason
		return nil
	})
	return s.orEarlier(ctx, err, w, func(v document.Version) bool {
		return v.State == document.Failed && v.Index.Writer == w.Assignment
	})
}

// orEarlier makes success of a refusal that the write's own effect explains.
func (s *Store) orEarlier(ctx context.Context, err error, w indexing.Writer, mark func(document.Version) bool) error {
	if err == nil {
		return nil
	}
	if v, readErr := s.Version(ctx, w.Workspace, w.Document, w.Number); readErr == nil && v.Index.Pipeline == w.Pipeline && mark(v) {
		return nil
	}
	return err
}
