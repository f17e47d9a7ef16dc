package dynamostore

import (
	"context"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/replyonce/replyonce/shared/dynamoschema"
	"github.com/replyonce/replyonce/shared/worktask"
)

// PutEvidence implements taskflow.EvidenceStore. A refused put means that the
// evidence is kept already.
func (s *Store) PutEvidence(ctx context.Context, e worktask.Evidence) error {
	if err := s.putOnce(ctx, "evidence", evidenceItem(e)); err != nil {
		return fmt.Errorf("put evidence of task %s: %w", e.Ref, err)
	}
	return nil
}

// putOnce keeps the first item of its key: a refused put is success.
func (s *Store) putOnce(ctx context.Context, what string, it item) error {
	if err := checkItem(what, it); err != nil {
		return err
	}
	x := newExpression()
	x.where(x.absent(dynamoschema.PK))
	failed := sendOnce(ctx, func(once func(*dynamodb.Options)) error {
		_, err := s.client.PutItem(ctx, &dynamodb.PutItemInput{
			TableName:                aws.String(s.table),
			Item:                     it,
			ConditionExpression:      x.condition(),
			ExpressionAttributeNames: x.names,
		}, once)
		return err
	})
	if failed == nil || failed.kind == conditionFailed {
		return nil
	}
	return failed.storeError()
}

func evidenceItem(e worktask.Evidence) item {
	w := newItem(dynamoschema.EvidenceKey(e.Ref.Workspace, e.Ref.Scope, e.Ref.ID, e.AssignmentVersion))
	w.number(dynamoschema.AssignmentVersion, e.AssignmentVersion)
	w.text(dynamoschema.LeaseOwner, e.AssignmentID)
	w.number(dynamoschema.Bytes, e.Bytes)
	w.text(dynamoschema.SHA256, e.SHA256)
	w.number(dynamoschema.InputTokens, e.Tokens.Input)
	w.number(dynamoschema.OutputTokens, e.Tokens.Output)
	w.text(dynamoschema.ProviderRequestID, e.ProviderRequestID)
	w.millis(dynamoschema.SeenAt, e.At)
	return w.item
}

// ListEvidence implements taskflow.EvidenceStore.
func (s *Store) ListEvidence(ctx context.Context, ref worktask.Ref) ([]worktask.Evidence, error) {
	input := partition(dynamoschema.ScopePK(ref.Workspace, ref.Scope), dynamoschema.EvidenceOf(ref.ID))
	return readAll(ctx, s, input, "evidence of task "+ref.String(), func(r *itemReader) worktask.Evidence {
		return worktask.Evidence{
			Ref:               ref,
			AssignmentVersion: r.number(dynamoschema.AssignmentVersion),
			AssignmentID:      r.text(dynamoschema.LeaseOwner),
			Bytes:             r.number(dynamoschema.Bytes),
			SHA256:            r.text(dynamoschema.SHA256),
			Tokens:            worktask.Tokens{Input: r.number(dynamoschema.InputTokens), Output: r.number(dynamoschema.OutputTokens)},
			ProviderRequestID: r.text(dynamoschema.ProviderRequestID),
			At:                r.millis(dynamoschema.SeenAt),
		}
	})
}
