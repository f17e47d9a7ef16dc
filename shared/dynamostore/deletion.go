package dynamostore

import (
	"context"
	"errors"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/replyonce/replyonce/shared/document"
	"github.com/replyonce/replyonce/shared/dynamoschema"
	"github.com/replyonce/replyonce/shared/storeerror"
	"github.com/replyonce/replyonce/shared/worktask"
)

// DeleteDocument implements document.Store.
func (s *Store) DeleteDocument(ctx context.Context, t document.Tombstone, previous string, task worktask.Task) error {
	err := s.deleteDocument(ctx, t, previous, task)
	if errors.Is(err, storeerror.ErrRecordExists) { // the first action's condition
		err = fmt.Errorf("%w: %w", storeerror.ErrExists, err)
	}
	if err != nil {
		return fmt.Errorf("delete document %s: %w", t.Document, err)
	}
	return nil
}

func (s *Store) deleteDocument(ctx context.Context, t document.Tombstone, previous string, task worktask.Task) error {
	put, err := s.putNew("erase task", taskItem(task))
	if err != nil {
		return err
	}
	return s.transact(ctx, &dynamodb.TransactWriteItemsInput{TransactItems: []types.TransactWriteItem{
		{Update: s.entomb(t, previous)},
		{Delete: &types.Delete{TableName: aws.String(s.table), Key: key(documentCardKey(t.Workspace, t.Document))}},
		put,
	}})
}

// entomb leaves of the document what was there, so that its id stays taken, and
// adds what every write of it is refused by.
func (s *Store) entomb(t document.Tombstone, previous string) *types.Update {
	e := newExpression()
	e.where(e.present(dynamoschema.PK))
	if previous == "" {
		e.where(e.absent(dynamoschema.DeletedAt))
	} else {
		e.where(e.compare(dynamoschema.EraseTask, "=", ":previous", text(previous)))
	}
	e.set(dynamoschema.DeletedAt, millis(t.DeletedAt))
	e.set(dynamoschema.EraseTask, text(t.EraseTask))
	return &types.Update{
		TableName:                 aws.String(s.table),
		Key:                       key(dynamoschema.DocumentKey(t.Workspace, t.Document)),
		ConditionExpression:       e.condition(),
		UpdateExpression:          e.update(),
		ExpressionAttributeNames:  e.names,
		ExpressionAttributeValues: e.values,
	}
}

// Tombstone implements document.Remains.
func (s *Store) Tombstone(ctx context.Context, workspace, id string) (document.Tombstone, error) {
	it, err := s.get(ctx, dynamoschema.DocumentKey(workspace, id))
	if err != nil {
		return document.Tombstone{}, fmt.Errorf("read tombstone of document %s: %w", id, err)
	}
	if _, deleted := it[dynamoschema.DeletedAt]; !deleted {
		return document.Tombstone{}, fmt.Errorf("read tombstone of document %s: %w", id, storeerror.ErrNotFound)
	}
	r := &itemReader{item: it}
	t := document.Tombstone{
		Workspace: workspace, Document: id,
		DeletedAt: r.millis(dynamoschema.DeletedAt), EraseTask: r.required(dynamoschema.EraseTask),
	}
	if r.err != nil {
		return document.Tombstone{}, fmt.Errorf("decode tombstone of document %s: %w", id, r.err)
	}
	return t, nil
}

// FenceVersion implements document.Remains.
func (s *Store) FenceVersion(ctx context.Context, workspace, id string, number int) error {
	e := newExpression()
	e.where(e.present(dynamoschema.PK))
	e.set(dynamoschema.State, text(string(document.Deleted)))
	failed := s.untilSettled(ctx, func(once func(*dynamodb.Options)) error {
		_, err := s.client.UpdateItem(ctx, &dynamodb.UpdateItemInput{
			TableName:                 aws.String(s.table),
			Key:                       key(dynamoschema.VersionKey(workspace, id, number)),
			ConditionExpression:       e.condition(),
			UpdateExpression:          e.update(),
			ExpressionAttributeNames:  e.names,
			ExpressionAttributeValues: e.values,
		}, once)
		return err
	})
	if failed == nil || failed.kind == conditionFailed { // not there: removed by another
		return nil
	}
	return fmt.Errorf("fence version %d of document %s: %w", number, id, failed.storeError())
}

// EraseVersion implements document.Remains.
func (s *Store) EraseVersion(ctx context.Context, workspace, id string, number int) error {
	e := newExpression()
	e.where(anyOf(e.absent(dynamoschema.PK), e.compare(dynamoschema.State, "=", ":deleted", text(string(document.Deleted)))))
	failed := s.untilSettled(ctx, func(once func(*dynamodb.Options)) error {
		_, err := s.client.DeleteItem(ctx, &dynamodb.DeleteItemInput{
			TableName:                 aws.String(s.table),
			Key:                       key(dynamoschema.VersionKey(workspace, id, number)),
			ConditionExpression:       e.condition(),
			ExpressionAttributeNames:  e.names,
			ExpressionAttributeValues: e.values,
		}, once)
		return err
	})
	if failed == nil {
		return nil
	}
	err := failed.storeError()
	if failed.kind == conditionFailed {
		err = fmt.Errorf("%w: %w", storeerror.ErrConflict, failed.err)
	}
	return fmt.Errorf("erase version %d of document %s: %w", number, id, err)
}

// untilSettled repeats a write for which landing twice is landing once, as long as
// the engine puts it off: a version that is deleted may be in the transaction of a
// worker that writes its entries.
func (s *Store) untilSettled(ctx context.Context, call func(func(*dynamodb.Options)) error) *failure {
	for try := 1; ; try++ {
		failed := sendOnce(ctx, call)
		if failed == nil || failed.kind != conflict && failed.kind != throttled || try >= s.options.Tries || s.pause(ctx, try) != nil {
			return failed
		}
	}
}

// EraseContents implements document.Remains. It asks for keys only, though the
// engine reads, and counts, whole items.
func (s *Store) EraseContents(ctx context.Context, workspace, id string, limit int) (int, error) {
	var keys []item
	for _, prefix := range []string{dynamoschema.PartPrefix, dynamoschema.IndexPrefix} {
		if len(keys) >= limit {
			break
		}
		input := partition(dynamoschema.DocumentPK(workspace, id), prefix)
		input.ProjectionExpression = project(input.ExpressionAttributeNames, dynamoschema.PK, dynamoschema.SK)
		err := s.query(ctx, input, func(it item) bool {
			keys = append(keys, it)
			return len(keys) < limit
		})
		if err != nil {
			return 0, fmt.Errorf("list contents of document %s: %w", id, err)
		}
	}
	if err := s.remove(ctx, keys); err != nil {
		return 0, fmt.Errorf("erase contents of document %s: %w", id, err)
	}
	return len(keys), nil
}

// remove deletes items by their keys, which must differ. Repeating it is safe, so
// retries are the client's.
func (s *Store) remove(ctx context.Context, keys []item) error {
	for len(keys) > 0 {
		n := min(len(keys), dynamoschema.MaxBatchWriteItems)
		if err := s.removeBatch(ctx, keys[:n]); err != nil {
			return err
		}
		keys = keys[n:]
	}
	return nil
}

// removeBatch sends again what the engine left undone, as it may for its rate.
func (s *Store) removeBatch(ctx context.Context, keys []item) error {
	rest := make([]types.WriteRequest, len(keys))
	for i, k := range keys {
		rest[i] = types.WriteRequest{DeleteRequest: &types.DeleteRequest{Key: k}}
	}
	for try := 1; ; try++ {
		out, err := s.client.BatchWriteItem(ctx, &dynamodb.BatchWriteItemInput{
			RequestItems: map[string][]types.WriteRequest{s.table: rest},
		})
		if err != nil {
			return fmt.Errorf("%w: %w", storeerror.ErrUnavailable, err)
		}
		rest = out.UnprocessedItems[s.table]
		if len(rest) == 0 {
			return nil
		}
		if try == s.options.Tries {
			return fmt.Errorf("%w: %d items were left undone", storeerror.ErrUnavailable, len(rest))
		}
		if err := s.pause(ctx, try); err != nil {
			return fmt.Errorf("%w: %w", storeerror.ErrUnavailable, err)
		}
	}
}
