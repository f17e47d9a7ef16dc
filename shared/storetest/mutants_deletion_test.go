package storetest_test

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/replyonce/replyonce/shared/document"
	"github.com/replyonce/replyonce/shared/idempotency"
	"github.com/replyonce/replyonce/shared/storeerror"
	"github.com/replyonce/replyonce/shared/storetest"
	"github.com/replyonce/replyonce/shared/upload"
)

// noTombstone removes what is there, and remembers nothing: versions can be added
// to a document that was deleted.
type noTombstone struct{ storetest.Store }

func (s noTombstone) AddVersion(ctx context.Context, record idempotency.Record, d document.Document, v document.Version) error {
	err := s.Store.AddVersion(ctx, record, d, v)
	if _, stoneErr := s.Tombstone(ctx, d.Workspace, d.ID); stoneErr != nil || !errors.Is(err, storeerror.ErrExists) {
		return err //nolint:wrapcheck // the suite sees it
	}
	if _, found := s.Version(ctx, v.Workspace, v.Document, v.Number); found == nil {
		return err //nolint:wrapcheck // as above
	}
	return nil
}

// noFence leaves the writers of a deleted document their right: they insert after
// the deletion.
type noFence struct{ storetest.Store }

func (s noFence) FenceVersion(context.Context, string, string, int) error { return nil }

func (s noFence) EraseVersion(ctx context.Context, workspace, id string, number int) error {
	err := s.Store.EraseVersion(ctx, workspace, id, number)
	if errors.Is(err, storeerror.ErrConflict) {
		return nil
	}
	return err //nolint:wrapcheck // the suite sees it
}

// eager removes versions that nobody has fenced.
type eager struct{ storetest.Store }

func (s eager) EraseVersion(ctx context.Context, workspace, id string, number int) error {
	return errors.Join(s.FenceVersion(ctx, workspace, id, number), s.Store.EraseVersion(ctx, workspace, id, number))
}

// unrecorded announces under a record of its own each time.
type unrecorded struct {
	storetest.Store
	mu sync.Mutex
	n  int
}

func (s *unrecorded) CreateUpload(ctx context.Context, record idempotency.Record, u upload.Upload) error {
	s.mu.Lock()
	s.n++
	record.Key = idempotency.Key(fmt.Sprint(record.Key, "#", s.n))
	s.mu.Unlock()
	return s.Store.CreateUpload(ctx, record, u) //nolint:wrapcheck // the suite sees it
}
