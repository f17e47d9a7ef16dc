package conversation

import (
	"context"
	"errors"
	"fmt"

	"github.com/replyonce/replyonce/shared/identity"
	"github.com/replyonce/replyonce/shared/telemetry"
	"github.com/replyonce/replyonce/shared/worktask"
)

// EndedError says that a task had ended before it could be cancelled.
type EndedError struct {
	Task TaskView // as it ended
}

func (e *EndedError) Error() string {
	return fmt.Sprintf("task %s cannot be cancelled: it is %s", e.Task.ID, e.Task.Status)
}

// Cancel ends a task by its caller's wish; cancelling again is success. The
// write moves the version on, so an answer that arrives after it is refused.
// The errors are *EndedError for a task that ended otherwise and
// storeerror.ErrNotFound.
func (s Service) Cancel(ctx context.Context, caller identity.Caller, conversation, id string) (TaskView, error) {
	t, err := s.ownTask(ctx, caller, conversation, id)
	if err != nil {
		return TaskView{}, err
	}
	wasCancelled := t.Status == worktask.Cancelled
	t, err = s.Writer.Write(ctx, t.Ref, worktask.Cancel{Now: s.Now()})
	if refused, isRefused := errors.AsType[*worktask.RefusedError](err); isRefused {
		return TaskView{}, s.ended(ctx, refused.Seen)
	}
	if err != nil {
		return TaskView{}, fmt.Errorf("cancel task: %w", err)
	}
	if !wasCancelled {
		s.Log.Info("task cancelled", telemetry.KeyWorkspace, t.Workspace, telemetry.KeyTaskID, t.ID,
			telemetry.KeyAssignmentVersion, t.AssignmentVersion)
	}
	return s.view(ctx, t)
}

func (s Service) ended(ctx context.Context, t worktask.Task) error {
	view, err := s.view(ctx, t)
	if err != nil {
		return err
	}
	return &EndedError{Task: view}
}
