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
	"github.com/replyonce/replyonce/shared/indexing"
	"github.com/replyonce/replyonce/shared/storeerror"
)

// TakeVersion implements indexing.Store. The writer only ever grows, so a worker
// that was replaced cannot take the version back.
func (s *Store) TakeVersion(ctx context.Context, w indexing.Writer) error {
	e := newExpression()
	e.where(
		e.compare(dynamoschema.State, "=", ":indexing", text(string(document.Indexing))),
		e.compare(dynamoschema.Pipeline, "=", ":pipeline", text(w.Pipeline)),
		anyOf(e.absent(dynamoschema.IndexWriter), e.compare(dynamoschema.IndexWriter, "<=", ":mine", number(w.Assignment))),
	)
	e.set(dynamoschema.IndexWriter, number(w.Assignment))
	return s.updateVersion(ctx, "take", w, e)
}

// FailVersion implements indexing.Store.
func (s *Store) FailVersion(ctx context.Context, w indexing.Writer, reason string) error {
	e := newExpression()
	ofWriter(e, w)
	e.set(dynamoschema.State, text(string(document.Failed)))
	e.set(dynamoschema.IndexFailure, text(reason))
	err := s.updateVersion(ctx, "fail", w, e)
	if errors.Is(err, indexing.ErrReplaced) && s.versionHas(ctx, w, func(v document.Version) bool {
		return v.State == document.Failed && v.Index.Writer == w.Assignment
	}) {
		return nil // written before, and the acknowledgement lost
	}
	return err
}

// CloseVersion implements document.Versions. It asks for no writer: the task that
// would have one has ended.
func (s *Store) CloseVersion(ctx context.Context, workspace, id string, number int, reason string) error {
	e := newExpression()
	e.where(e.compare(dynamoschema.State, "=", ":indexing", text(string(document.Indexing))))
	e.set(dynamoschema.State, text(string(document.Failed)))
	e.set(dynamoschema.IndexFailure, text(reason))
	w := indexing.Writer{Target: indexing.Target{Workspace: workspace, Document: id, Number: number}}
	if err := s.updateVersion(ctx, "close", w, e); !errors.Is(err, indexing.ErrReplaced) {
		return err
	}
	return nil
}

// Publish implements indexing.Store.
func (s *Store) Publish(ctx context.Context, w indexing.Writer, summary indexing.Summary) error {
	err := s.transact(ctx, &dynamodb.TransactWriteItemsInput{
		TransactItems: []types.TransactWriteItem{
			{Update: s.ready(w, summary)},
			{Update: s.moveCurrent(w.Target, dynamoschema.DocumentKey(w.Workspace, w.Document))},
			{Update: s.moveCurrent(w.Target, documentCardKey(w.Workspace, w.Document))},
		},
	})
	switch {
	case err == nil:
		return nil
	case errors.Is(err, storeerror.ErrRecordExists): // the first action's condition
		err = fmt.Errorf("%w: %w", indexing.ErrReplaced, err)
	case errors.Is(err, storeerror.ErrExists):
		err = s.publishBelow(ctx, w, summary)
	}
	if errors.Is(err, indexing.ErrReplaced) && s.versionHas(ctx, w, func(v document.Version) bool {
		return v.State == document.Ready && v.Index.Manifest == summary.Manifest
	}) {
		return nil // published before, by whomever: the entries are the same
	}
	if err != nil {
		return fmt.Errorf("publish version %d of document %s: %w", w.Number, w.Document, err)
	}
	return nil
}

// publishBelow makes a version ready whose document points higher already.
func (s *Store) publishBelow(ctx context.Context, w indexing.Writer, summary indexing.Summary) error {
	it, err := s.get(ctx, dynamoschema.DocumentKey(w.Workspace, w.Document))
	if errors.Is(err, storeerror.ErrNotFound) {
		return indexing.ErrDeleted
	}
	if err != nil {
		return err
	}
	r := &itemReader{item: it}
	if deleted := !r.millis(dynamoschema.DeletedAt).IsZero(); deleted {
		return indexing.ErrDeleted
	}
	update := s.ready(w, summary)
	return s.updateVersionWith(ctx, "publish", w, &dynamodb.UpdateItemInput{
		TableName: update.TableName, Key: update.Key,
		ConditionExpression: update.ConditionExpression, UpdateExpression: update.UpdateExpression,
		ExpressionAttributeNames: update.ExpressionAttributeNames, ExpressionAttributeValues: update.ExpressionAttributeValues,
	})
}

// ready makes the version ready if w is its writer.
func (s *Store) ready(w indexing.Writer, summary indexing.Summary) *types.Update {
	e := newExpression()
	ofWriter(e, w)
	e.set(dynamoschema.State, text(string(document.Ready)))
	e.set(dynamoschema.IndexEntries, number(int64(summary.Entries)))
	e.set(dynamoschema.Passages, number(int64(summary.Passages)))
	e.set(dynamoschema.Pages, number(int64(summary.Pages)))
	e.set(dynamoschema.IndexManifest, text(summary.Manifest))
	return &types.Update{
		TableName:                 aws.String(s.table),
		Key:                       key(dynamoschema.VersionKey(w.Workspace, w.Document, w.Number)),
		ConditionExpression:       e.condition(),
		UpdateExpression:          e.update(),
		ExpressionAttributeNames:  e.names,
		ExpressionAttributeValues: e.values,
	}
}

// moveCurrent moves the current version of a document, or alike on its card, up and
// never back: of two versions that become ready in any order the higher one stays.
func (s *Store) moveCurrent(t indexing.Target, at dynamoschema.Key) *types.Update {
	e := newExpression()
	e.where(
		e.absent(dynamoschema.DeletedAt),
		e.compare(dynamoschema.CurrentVersion, "<", ":number", number(int64(t.Number))),
	)
	e.set(dynamoschema.CurrentVersion, number(int64(t.Number)))
	return &types.Update{
		TableName:                 aws.String(s.table),
		Key:                       key(at),
		ConditionExpression:       e.condition(),
		UpdateExpression:          e.update(),
		ExpressionAttributeNames:  e.names,
		ExpressionAttributeValues: e.values,
	}
}

func (s *Store) updateVersion(ctx context.Context, what string, w indexing.Writer, e *expression) error {
	return s.updateVersionWith(ctx, what, w, &dynamodb.UpdateItemInput{
		TableName:                 aws.String(s.table),
		Key:                       key(dynamoschema.VersionKey(w.Workspace, w.Document, w.Number)),
		ConditionExpression:       e.condition(),
		UpdateExpression:          e.update(),
		ExpressionAttributeNames:  e.names,
		ExpressionAttributeValues: e.values,
	})
}

func (s *Store) updateVersionWith(ctx context.Context, what string, w indexing.Writer, input *dynamodb.UpdateItemInput) error {
	failed := sendOnce(ctx, func(once func(*dynamodb.Options)) error {
		_, err := s.client.UpdateItem(ctx, input, once)
		return err
	})
	if failed == nil {
		return nil
	}
	err := failed.storeError()
	if failed.kind == conditionFailed {
		err = fmt.Errorf("%w: %w", indexing.ErrReplaced, failed.err)
	}
	return fmt.Errorf("%s version %d of document %s: %w", what, w.Number, w.Document, err)
}

// versionHas reads the version back, for a write whose condition may have met its
// own effect. A read that fails proves nothing.
func (s *Store) versionHas(ctx context.Context, w indexing.Writer, mark func(document.Version) bool) bool {
	v, err := s.Version(ctx, w.Workspace, w.Document, w.Number)
	return err == nil && v.Index.Pipeline == w.Pipeline && mark(v)
}
