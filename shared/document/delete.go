package document

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/replyonce/replyonce/shared/identity"
	"github.com/replyonce/replyonce/shared/storeerror"
	"github.com/replyonce/replyonce/shared/worktask"
)

// KindErase is the kind of the tasks that remove what deleted documents leave.
const KindErase = "erase"

// deleteTries bounds how often a deletion looks at the document again.
const deleteTries = 5

// Delete deletes a document for the whole workspace. When it returns, the document
// cannot be read, asked about or added to; a task removes its versions, entries and
// files. Whoever asks looks at the version alone, so all of them are fenced first; when
// that is cut off, the task does it, and so does deleting again. Deleting again is success, and accepts another such task if the one before
// has failed. The errors are storeerror.ErrNotFound for a document that never was,
// and those of stores.
func (s Service) Delete(ctx context.Context, caller identity.Caller, id, gatewayRequestID string) error {
	if s.Index == nil {
		return fmt.Errorf("delete document %s: nobody takes the task: %w", id, storeerror.ErrNotFound)
	}
	t := s.eraseTask(caller, id, gatewayRequestID)
	for try := 1; ; try++ {
		done, err := s.delete(ctx, t, id)
		if done {
			_, err = Fence(ctx, s.Store, t.Workspace, id)
		}
		if done || err != nil && !undecided(err) {
			return wrapDelete(id, err)
		}
		if try == deleteTries {
			return wrapDelete(id, errors.Join(storeerror.ErrUnavailable, err))
		}
		if err := s.Creator.Pause(ctx, try); err != nil {
			return wrapDelete(id, fmt.Errorf("%w: %w", storeerror.ErrUnavailable, err))
		}
	}
}

func wrapDelete(id string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("delete document %s: %w", id, err)
}

// undecided reports whether the document must be read to know what happened.
func undecided(err error) bool {
	return errors.Is(err, storeerror.ErrExists) || errors.Is(err, storeerror.ErrConflict) || errors.Is(err, storeerror.ErrWriteUnknown)
}

// delete reads first and writes under the condition that what it read still stands,
// so that a write whose acknowledgement was lost is found by the next try.
func (s Service) delete(ctx context.Context, t worktask.Task, id string) (done bool, err error) {
	stone, err := s.Store.Tombstone(ctx, t.Workspace, id)
	switch {
	case errors.Is(err, storeerror.ErrNotFound):
		if _, err := s.Store.Document(ctx, t.Workspace, id); err != nil {
			return false, err //nolint:wrapcheck // wrapped by Delete
		}
	case err != nil:
		return false, err //nolint:wrapcheck // as above
	case stone.EraseTask == t.ID:
		s.publishTask(ctx, t)
		return true, nil
	default:
		if again, err := s.eraseAgain(ctx, stone); err != nil || !again {
			return err == nil, err
		}
	}
	next := Tombstone{Workspace: t.Workspace, Document: id, DeletedAt: s.deletedAt(stone), EraseTask: t.ID}
	if err := s.Store.DeleteDocument(ctx, next, stone.EraseTask, t); err != nil {
		return false, err //nolint:wrapcheck // as above
	}
	s.publishTask(ctx, t)
	return true, nil
}

// deletedAt stays when an erasure is begun anew.
func (s Service) deletedAt(stone Tombstone) time.Time {
	if stone.DeletedAt.IsZero() {
		return s.now()
	}
	return stone.DeletedAt
}

// eraseAgain: a task that ended without completing has left something behind.
func (s Service) eraseAgain(ctx context.Context, stone Tombstone) (bool, error) {
	ref := worktask.Ref{Workspace: stone.Workspace, Scope: ScopeOf(stone.Document), ID: stone.EraseTask}
	before, err := s.Index.Tasks.Get(ctx, ref)
	if err != nil {
		return false, fmt.Errorf("read erase task: %w", err)
	}
	return before.Status == worktask.Failed || before.Status == worktask.Cancelled, nil
}

func (s Service) eraseTask(caller identity.Caller, id, gatewayRequestID string) worktask.Task {
	ref := worktask.Ref{Workspace: caller.Workspace, Scope: ScopeOf(id), ID: s.NewID()}
	return worktask.NewTask(ref, KindErase, caller.ID, "{}", gatewayRequestID, worktask.RetryUnknown, s.now(), patient(s.Index.Timers, eraseDeadline))
}
