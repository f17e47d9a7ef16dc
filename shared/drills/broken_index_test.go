package drills_test

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/replyonce/replyonce/shared/document"
	"github.com/replyonce/replyonce/shared/drills"
	"github.com/replyonce/replyonce/shared/drills/virtual"
	"github.com/replyonce/replyonce/shared/history/check"
	"github.com/replyonce/replyonce/shared/indexing"
	"github.com/replyonce/replyonce/shared/memstore"
	"github.com/replyonce/replyonce/shared/worktask"
)

// lastPublished lets the current version follow whoever publishes last.
type lastPublished struct {
	virtual.Store
	mu   sync.Mutex
	last map[string]int
}

func (s *lastPublished) Publish(ctx context.Context, w indexing.Writer, summary indexing.Summary) error {
	err := s.Store.Publish(ctx, w, summary)
	if err == nil {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.last[w.Document] = w.Number
	}
	return err
}

func (s *lastPublished) Document(ctx context.Context, workspace, id string) (document.Document, error) {
	d, err := s.Store.Document(ctx, workspace, id)
	s.mu.Lock()
	defer s.mu.Unlock()
	if n, published := s.last[id]; published {
		d.CurrentVersion = n
	}
	return d, err
}

// anyWriter takes entries of whoever writes them.
type anyWriter struct {
	virtual.Store
	mu     sync.Mutex
	writer int64 // of the one version that is indexed
}

func (s *anyWriter) TakeVersion(ctx context.Context, w indexing.Writer) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	err := s.Store.TakeVersion(ctx, w)
	if err == nil {
		s.writer = w.Assignment
	}
	return err
}

func (s *anyWriter) WriteEntries(ctx context.Context, w indexing.Writer, entries []indexing.Entry) error {
	s.mu.Lock()
	w.Assignment = s.writer
	s.mu.Unlock()
	return s.Store.WriteEntries(ctx, w, entries)
}

// TestABrokenIndexIsFound: stores that forget one rule of versions. Drill and
// checker both have to say so.
func TestABrokenIndexIsFound(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		drill  string
		broken func(virtual.Store) virtual.Store
	}{
		{"D28", func(s virtual.Store) virtual.Store { return &lastPublished{Store: s, last: map[string]int{}} }},
		{"D34", func(s virtual.Store) virtual.Store { return &anyWriter{Store: s} }},
	} {
		t.Run(c.drill, func(t *testing.T) {
			d, _ := drills.Find(c.drill)
			r := play(t, d, d.Acts[0], virtual.Options{Timers: worktask.ShortTimers(), Store: c.broken(memstore.New(memstore.Options{}))})
			if len(r.Deviations) == 0 {
				t.Errorf("the drill finds nothing: %v", r.Seen)
			}
			if !slices.ContainsFunc(r.Findings, func(f string) bool { return strings.HasPrefix(f, string(check.P12)+":") }) {
				t.Errorf("the checker does not name P12: %v", r.Findings)
			}
		})
	}
}
