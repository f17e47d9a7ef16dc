package dynamostore

import (
	"context"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/replyonce/replyonce/shared/document"
	"github.com/replyonce/replyonce/shared/dynamoschema"
	"github.com/replyonce/replyonce/shared/idempotency"
	"github.com/replyonce/replyonce/shared/storeerror"
)

// CreateDocument implements document.Store.
func (s *Store) CreateDocument(ctx context.Context, record idempotency.Record, d document.Document, v document.Version) error {
	puts := append([]newPut{{"document", documentItem(d)}, {"document card", documentCard(d)}}, versionItems(v)...)
	if err := s.createAll(ctx, record, puts...); err != nil {
		return fmt.Errorf("create document %s: %w", d.ID, err)
	}
	return nil
}

// AddVersion implements document.Store. Document and card keep everything but the
// counter, the time of the latest version and the current one.
func (s *Store) AddVersion(ctx context.Context, record idempotency.Record, d document.Document, v document.Version) error {
	d.LatestVersion, d.UpdatedAt = v.Number, v.CreatedAt
	if v.State.Readable() {
		d.CurrentVersion = v.Number
	}
	if err := s.addVersion(ctx, record, d, v); err != nil {
		return fmt.Errorf("add version %d to document %s: %w", v.Number, d.ID, err)
	}
	return nil
}

func (s *Store) addVersion(ctx context.Context, record idempotency.Record, d document.Document, v document.Version) error {
	actions := []types.TransactWriteItem{
		{Update: s.moveCounter(d, dynamoschema.DocumentKey(d.Workspace, d.ID))},
		{Update: s.moveCounter(d, documentCardKey(d.Workspace, d.ID))},
	}
	for _, p := range versionItems(v) {
		action, err := s.putNew(p.what, p.item)
		if err != nil {
			return err
		}
		actions = append(actions, action)
	}
	return s.create(ctx, record, actions...)
}

// moveCounter takes the next number, on the document and alike on its card: of two
// versions that were made from one state, one is refused.
func (s *Store) moveCounter(d document.Document, at dynamoschema.Key) *types.Update {
	e := newExpression()
	e.where(
		e.absent(dynamoschema.DeletedAt),
		e.compare(dynamoschema.LatestVersion, "=", ":latest_before", number(int64(d.LatestVersion-1))),
	)
	e.set(dynamoschema.LatestVersion, number(int64(d.LatestVersion)))
	e.set(dynamoschema.UpdatedAt, millis(d.UpdatedAt))
	if d.CurrentVersion == d.LatestVersion {
		// Read whole, and above every number that was given out before.
		e.set(dynamoschema.CurrentVersion, number(int64(d.CurrentVersion)))
	} else {
		// A document of a release that had no current version gets one before a
		// version that is not ready comes on top. Where there is one it stands: it
		// may have moved since d was read.
		e.setIfAbsent(dynamoschema.CurrentVersion, number(int64(d.CurrentVersion)))
	}
	return &types.Update{
		TableName:                 aws.String(s.table),
		Key:                       key(at),
		ConditionExpression:       e.condition(),
		UpdateExpression:          e.update(),
		ExpressionAttributeNames:  e.names,
		ExpressionAttributeValues: e.values,
	}
}

func documentItem(d document.Document) item {
	w := newItem(dynamoschema.DocumentKey(d.Workspace, d.ID))
	writeDocument(w, d)
	return w.item
}

func documentCardKey(workspace, id string) dynamoschema.Key {
	return dynamoschema.Key{PK: dynamoschema.DocumentCardPK(workspace), SK: id}
}

// documentCard is what the workspace's list shows. It says the same as the
// document, because both move in the same writes.
func documentCard(d document.Document) item {
	w := newItem(documentCardKey(d.Workspace, d.ID))
	writeDocument(w, d)
	return w.item
}

func writeDocument(w itemWriter, d document.Document) {
	w.text(dynamoschema.Title, d.Title)
	w.count(dynamoschema.LatestVersion, d.LatestVersion)
	w.count(dynamoschema.CurrentVersion, d.CurrentVersion)
	w.millis(dynamoschema.CreatedAt, d.CreatedAt)
	w.millis(dynamoschema.UpdatedAt, d.UpdatedAt)
}

// documentFrom reads a document or its card.
func documentFrom(workspace, id string, it item) (document.Document, error) {
	r := &itemReader{item: it}
	d := document.Document{
		Workspace:     workspace,
		ID:            id,
		Title:         r.text(dynamoschema.Title),
		LatestVersion: r.count(dynamoschema.LatestVersion),
		CreatedAt:     r.millis(dynamoschema.CreatedAt),
		UpdatedAt:     r.millis(dynamoschema.UpdatedAt),
	}
	d.CurrentVersion = d.LatestVersion // where every version was ready at once
	if _, stored := it[dynamoschema.CurrentVersion]; stored {
		d.CurrentVersion = r.count(dynamoschema.CurrentVersion)
	}
	if r.err != nil {
		return document.Document{}, fmt.Errorf("decode document %s: %w", id, r.err)
	}
	return d, nil
}

// Document implements document.Store.
func (s *Store) Document(ctx context.Context, workspace, id string) (document.Document, error) {
	it, err := s.get(ctx, dynamoschema.DocumentKey(workspace, id))
	if err != nil {
		return document.Document{}, fmt.Errorf("read document %s: %w", id, err)
	}
	if _, deleted := it[dynamoschema.DeletedAt]; deleted {
		return document.Document{}, fmt.Errorf("read document %s: it was deleted: %w", id, storeerror.ErrNotFound)
	}
	return documentFrom(workspace, id, it)
}

// Documents implements document.Store.
func (s *Store) Documents(ctx context.Context, workspace, cursor string, limit int) (document.List, error) {
	cards, next, err := s.cards(ctx, dynamoschema.DocumentCardPK(workspace), cursor, limit)
	if err != nil {
		return document.List{}, fmt.Errorf("list documents: %w", err)
	}
	list := document.List{After: next}
	for _, card := range cards {
		d, err := documentFrom(workspace, sortKey(card), card)
		if err != nil {
			return document.List{}, err
		}
		list.Documents = append(list.Documents, d)
	}
	return list, nil
}
