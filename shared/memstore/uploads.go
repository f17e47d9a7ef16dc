package memstore

import (
	"context"
	"fmt"
	"time"

	"github.com/replyonce/replyonce/shared/idempotency"
	"github.com/replyonce/replyonce/shared/storeerror"
	"github.com/replyonce/replyonce/shared/upload"
)

type uploadKey struct{ workspace, id string }

// CreateUpload implements upload.Store.
func (s *Store) CreateUpload(ctx context.Context, record idempotency.Record, u upload.Upload) error {
	key := uploadKey{u.Workspace, u.ID}
	u.CreatedAt, u.PurgeAfter = millis(u.CreatedAt), purgeTime(u.PurgeAfter)
	err := checkItem("upload", textBytes(u.Workspace, u.ID, u.Caller, u.Document, u.Title, u.FileName, u.MediaType, u.SHA256))
	if err == nil {
		err = s.create(ctx, record,
			func() bool { _, taken := s.uploads[key]; return taken },
			func() { s.uploads[key] = u })
	}
	if err != nil {
		return fmt.Errorf("create upload %s: %w", u.ID, err)
	}
	return nil
}

// Upload implements upload.Store.
func (s *Store) Upload(ctx context.Context, workspace, id string) (upload.Upload, error) {
	if err := reachable(ctx); err != nil {
		return upload.Upload{}, fmt.Errorf("read upload %s: %w", id, err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	u, found := s.uploads[uploadKey{workspace, id}]
	if !found {
		return upload.Upload{}, fmt.Errorf("read upload %s: %w", id, storeerror.ErrNotFound)
	}
	return u, nil
}

// purgeTime is whole seconds, rounded up: a key never becomes free early.
func purgeTime(t time.Time) time.Time {
	seconds := t.Unix()
	if t.Nanosecond() > 0 {
		seconds++
	}
	return time.Unix(seconds, 0).UTC()
}
