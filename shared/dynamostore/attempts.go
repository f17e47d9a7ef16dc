package dynamostore

import (
	"context"
	"fmt"

	"github.com/replyonce/replyonce/shared/dynamoschema"
	"github.com/replyonce/replyonce/shared/worktask"
)

// PutAttempt implements taskflow.EvidenceStore.
func (s *Store) PutAttempt(ctx context.Context, r worktask.AttemptRecord) error {
	if err := s.putOnce(ctx, "record of an attempt", attemptItem(r)); err != nil {
		return fmt.Errorf("put record of an attempt at task %s: %w", r.Ref, err)
	}
	return nil
}

func attemptItem(r worktask.AttemptRecord) item {
	w := newItem(dynamoschema.AttemptKey(r.Ref.Workspace, r.Ref.Scope, r.Ref.ID, r.AssignmentVersion))
	w.number(dynamoschema.AssignmentVersion, r.AssignmentVersion)
	w.text(dynamoschema.LeaseOwner, r.AssignmentID)
	w.text(dynamoschema.AttemptOutcome, string(r.Outcome))
	w.text(dynamoschema.Provider, r.Provider)
	w.text(dynamoschema.ProviderRequestID, r.ProviderRequestID)
	w.text(dynamoschema.OperationID, r.OperationID)
	w.millis(dynamoschema.BegunAt, r.BegunAt)
	w.millis(dynamoschema.EndedAt, r.EndedAt)
	w.text(dynamoschema.Cause, r.Cause)
	return w.item
}

// ListAttempts implements taskflow.EvidenceStore.
func (s *Store) ListAttempts(ctx context.Context, ref worktask.Ref) ([]worktask.AttemptRecord, error) {
	input := partition(dynamoschema.ScopePK(ref.Workspace, ref.Scope), dynamoschema.AttemptsOf(ref.ID))
	return readAll(ctx, s, input, "records of attempts at task "+ref.String(), func(r *itemReader) worktask.AttemptRecord {
		return worktask.AttemptRecord{
			Ref:               ref,
			AssignmentVersion: r.number(dynamoschema.AssignmentVersion),
			AssignmentID:      r.text(dynamoschema.LeaseOwner),
			Outcome:           worktask.AttemptOutcome(r.required(dynamoschema.AttemptOutcome)),
			Provider:          r.text(dynamoschema.Provider),
			ProviderRequestID: r.text(dynamoschema.ProviderRequestID),
			OperationID:       r.text(dynamoschema.OperationID),
			BegunAt:           r.millis(dynamoschema.BegunAt),
			EndedAt:           r.millis(dynamoschema.EndedAt),
			Cause:             r.text(dynamoschema.Cause),
		}
	})
}
