package dynamostore

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
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

// ofWriter is the condition of every write of a version's writer.
func ofWriter(e *expression, w indexing.Writer) {
	e.where(
		e.compare(dynamoschema.State, "=", ":indexing", text(string(document.Indexing))),
		e.compare(dynamoschema.Pipeline, "=", ":pipeline", text(w.Pipeline)),
		e.compare(dynamoschema.IndexWriter, "=", ":writer", number(w.Assignment)),
	)
}

// entryItem holds an entry. The hash beside the body is what conditions and lists
// look at.
func entryItem(w indexing.Writer, entry indexing.Entry) item {
	it := newItem(dynamoschema.IndexKey(w.Workspace, w.Document, w.Number, w.Pipeline, string(entry.Stage), entry.Part))
	it.text(dynamoschema.SHA256, entry.Sum())
	it.number(dynamoschema.Bytes, int64(len(entry.Body)))
	it.item[dynamoschema.Body] = &types.AttributeValueMemberB{Value: entry.Body}
	return it.item
}

// WriteEntries implements indexing.Store.
func (s *Store) WriteEntries(ctx context.Context, w indexing.Writer, entries []indexing.Entry) error {
	if len(entries) == 0 {
		return nil
	}
	// First, in the place that creating transactions have the record in: of several
	// refusals the one that comes from there decides.
	actions := []types.TransactWriteItem{s.checkWriter(w)}
	for _, entry := range entries {
		action, err := s.putEntry(w, entry)
		if err != nil {
			return fmt.Errorf("write %s of version %d of document %s: %w", entry.Key, w.Number, w.Document, err)
		}
		actions = append(actions, action)
	}
	err := checkTransaction(actions)
	if err == nil {
		err = s.transact(ctx, &dynamodb.TransactWriteItemsInput{TransactItems: actions})
	}
	switch {
	case err == nil:
		return nil
	case errors.Is(err, storeerror.ErrRecordExists): // the first action's condition
		err = fmt.Errorf("%w: %w", indexing.ErrReplaced, err)
	case errors.Is(err, storeerror.ErrExists):
		err = fmt.Errorf("%w: %w", indexing.ErrDiffers, err)
	}
	return fmt.Errorf("write entries of version %d of document %s: %w", w.Number, w.Document, err)
}

func (s *Store) checkWriter(w indexing.Writer) types.TransactWriteItem {
	e := newExpression()
	ofWriter(e, w)
	return types.TransactWriteItem{ConditionCheck: &types.ConditionCheck{
		TableName:                 aws.String(s.table),
		Key:                       key(dynamoschema.VersionKey(w.Workspace, w.Document, w.Number)),
		ConditionExpression:       e.condition(),
		ExpressionAttributeNames:  e.names,
		ExpressionAttributeValues: e.values,
	}}
}

// putEntry writes an entry that is absent, or there with the same hash: writing
// the same again changes nothing.
func (s *Store) putEntry(w indexing.Writer, entry indexing.Entry) (types.TransactWriteItem, error) {
	it := entryItem(w, entry)
	if err := checkItem("index entry", it); err != nil {
		return types.TransactWriteItem{}, err
	}
	e := newExpression()
	e.where(anyOf(e.absent(dynamoschema.PK), e.compare(dynamoschema.SHA256, "=", ":same", text(entry.Sum()))))
	return types.TransactWriteItem{Put: &types.Put{
		TableName:                 aws.String(s.table),
		Item:                      it,
		ConditionExpression:       e.condition(),
		ExpressionAttributeNames:  e.names,
		ExpressionAttributeValues: e.values,
	}}, nil
}

// ListEntries implements indexing.Store. Bodies are not asked for, though the
// engine reads, and counts, whole items.
func (s *Store) ListEntries(ctx context.Context, t indexing.Target) ([]indexing.Stored, error) {
	byStage := map[indexing.Stage][]indexing.Stored{}
	var damaged error
	input := partition(dynamoschema.DocumentPK(t.Workspace, t.Document), dynamoschema.EntriesOf(t.Number, t.Pipeline))
	input.ProjectionExpression = project(input.ExpressionAttributeNames, dynamoschema.SK, dynamoschema.SHA256, dynamoschema.Bytes)
	err := s.query(ctx, input, func(it item) bool {
		var e indexing.Stored
		e, damaged = storedEntry(it)
		byStage[e.Stage] = append(byStage[e.Stage], e)
		return damaged == nil
	})
	if err = errors.Join(err, damaged); err != nil {
		return nil, fmt.Errorf("list entries of version %d of document %s: %w", t.Number, t.Document, err)
	}
	var all []indexing.Stored
	for _, stage := range indexing.Stages() { // which is not the order of the keys
		all = append(all, byStage[stage]...)
	}
	return all, nil
}

// project names the attributes that a read returns.
func project(names map[string]string, attributes ...string) *string {
	list := ""
	for _, a := range attributes {
		names["#"+a] = a
		list += ", #" + a
	}
	return aws.String(list[2:])
}

func storedEntry(it item) (indexing.Stored, error) {
	stage, part, err := dynamoschema.ParseIndexSK(sortKey(it))
	if err != nil {
		return indexing.Stored{}, err
	}
	r := &itemReader{item: it}
	e := indexing.Stored{
		Key:   indexing.Key{Stage: indexing.Stage(stage), Part: part},
		Bytes: r.count(dynamoschema.Bytes), SHA256: r.required(dynamoschema.SHA256),
	}
	if r.err != nil {
		return indexing.Stored{}, fmt.Errorf("decode entry %s: %w", e.Key, r.err)
	}
	return e, nil
}

// ReadEntries implements indexing.Store.
func (s *Store) ReadEntries(ctx context.Context, t indexing.Target, keys []indexing.Key) ([]indexing.Entry, error) {
	wanted := make([]item, len(keys))
	for i, k := range keys {
		wanted[i] = key(dynamoschema.IndexKey(t.Workspace, t.Document, t.Number, t.Pipeline, string(k.Stage), k.Part))
	}
	found, err := s.batch(ctx, wanted)
	if err != nil {
		return nil, fmt.Errorf("read entries of version %d of document %s: %w", t.Number, t.Document, err)
	}
	entries := make([]indexing.Entry, 0, len(found))
	for _, it := range found {
		entry, err := entryFrom(it)
		if err != nil {
			return nil, fmt.Errorf("read entries of version %d of document %s: %w", t.Number, t.Document, err)
		}
		entries = append(entries, entry)
	}
	return entries, nil
}

func entryFrom(it item) (indexing.Entry, error) {
	described, err := storedEntry(it)
	if err != nil {
		return indexing.Entry{}, err
	}
	body, ok := it[dynamoschema.Body].(*types.AttributeValueMemberB)
	if !ok {
		return indexing.Entry{}, fmt.Errorf("entry %s has no body: %w", described.Key, storeerror.ErrCorrupt)
	}
	if sum := sha256.Sum256(body.Value); hex.EncodeToString(sum[:]) != described.SHA256 {
		return indexing.Entry{}, fmt.Errorf("entry %s: %w", described.Key, storeerror.ErrCorrupt)
	}
	return indexing.Entry{Key: described.Key, Body: body.Value}, nil
}
