package conversation

import (
	"context"
	"fmt"

	"github.com/replyonce/replyonce/shared/identity"
)

// List reads a page of the caller's conversations, newest first.
func (s Service) List(ctx context.Context, caller identity.Caller, after string, limit int) (List, error) {
	list, err := s.Store.List(ctx, caller.Workspace, caller.ID, after, limit)
	if err != nil {
		return List{}, fmt.Errorf("list conversations: %w", err)
	}
	return list, nil
}
