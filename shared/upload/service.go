package upload

import (
	"context"
	"fmt"
	"time"

	"github.com/replyonce/replyonce/shared/document"
	"github.com/replyonce/replyonce/shared/identity"
	"github.com/replyonce/replyonce/shared/keyed"
	"github.com/replyonce/replyonce/shared/storeerror"
)

// OperationCreate is the name of the keyed operation. It is part of stored data
// and never changes.
const OperationCreate = "create_upload"

// PutLife is how long the signed request may be sent. It has to be begun within
// it, and may take longer.
const PutLife = 15 * time.Minute

// Service has the use cases.
type Service struct {
	Store     Store
	Objects   Objects
	Documents document.Service // with index tasks
	Creator   keyed.Creator
	NewID     func() string // a ULID, later than every one before
	Now       func() time.Time
}

// own reads an upload and hides those of other callers, and those whose time is
// over and that the database has not removed yet.
func (s Service) own(ctx context.Context, caller identity.Caller, id string) (Upload, error) {
	u, err := s.Store.Upload(ctx, caller.Workspace, id)
	if err != nil {
		return Upload{}, fmt.Errorf("read upload: %w", err)
	}
	if u.Caller != caller.ID || !s.Now().Before(u.PurgeAfter) {
		return Upload{}, fmt.Errorf("upload %s of another caller or time: %w", id, storeerror.ErrNotFound)
	}
	return u, nil
}

// now is the clock in the precision that stores keep.
func (s Service) now() time.Time { return s.Now().UTC().Truncate(time.Millisecond) }
