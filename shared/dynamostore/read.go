package dynamostore

import (
	"context"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/replyonce/replyonce/shared/dynamoschema"
	"github.com/replyonce/replyonce/shared/storeerror"
)

// get reads one item strongly consistently; storeerror.ErrNotFound.
func (s *Store) get(ctx context.Context, k dynamoschema.Key) (item, error) {
	out, err := s.client.GetItem(ctx, &dynamodb.GetItemInput{
		TableName:      aws.String(s.table),
		Key:            key(k),
		ConsistentRead: aws.Bool(true),
	})
	if err != nil {
		return nil, readError(err)
	}
	if len(out.Item) == 0 {
		return nil, storeerror.ErrNotFound
	}
	return out.Item, nil
}

// readError is a read that brought no answer. What the engine calls an invalid
// request is a fault of this package, and trying again cannot help.
func readError(err error) error {
	if classify(err, true) == invalid {
		return err
	}
	return fmt.Errorf("%w: %w", storeerror.ErrUnavailable, err)
}

// query reads items in key order until visit has seen enough or the engine has
// no continuation key any more. A page may be short or even empty and still not
// be the last one: the engine counts what it read, not what it returned.
func (s *Store) query(ctx context.Context, input *dynamodb.QueryInput, visit func(item) (more bool)) error {
	input.TableName = aws.String(s.table)
	for {
		out, err := s.client.Query(ctx, input)
		if err != nil {
			return readError(err)
		}
		for _, it := range out.Items {
			if !visit(it) {
				return nil
			}
		}
		if len(out.LastEvaluatedKey) == 0 {
			return nil
		}
		input.ExclusiveStartKey = out.LastEvaluatedKey
	}
}

// readAll reads all items of a query, each by read. The first one that is damaged
// ends it: half of a list would look like a whole one.
func readAll[T any](ctx context.Context, s *Store, input *dynamodb.QueryInput, what string, read func(*itemReader) T) ([]T, error) {
	var all []T
	var damaged error
	err := s.query(ctx, input, func(it item) bool {
		r := &itemReader{item: it}
		all = append(all, read(r))
		damaged = r.err
		return damaged == nil
	})
	if err != nil {
		return nil, fmt.Errorf("list %s: %w", what, err)
	}
	if damaged != nil {
		return nil, fmt.Errorf("decode %s: %w", what, damaged)
	}
	return all, nil
}

// partition is a strongly consistent query of the sort keys of a partition that
// begin with prefix; an empty prefix is all of them.
func partition(pk, prefix string) *dynamodb.QueryInput {
	e := newExpression()
	e.where(e.compare(dynamoschema.PK, "=", ":"+dynamoschema.PK, text(pk)))
	if prefix != "" {
		e.where(e.beginsWith(dynamoschema.SK, ":prefix", prefix))
	}
	return &dynamodb.QueryInput{
		KeyConditionExpression:    e.condition(),
		ExpressionAttributeNames:  e.names,
		ExpressionAttributeValues: e.values,
		ConsistentRead:            aws.Bool(true),
	}
}

// batch reads items by their keys, strongly consistently and in no order; keys
// that name no item are left out. Keys must differ.
func (s *Store) batch(ctx context.Context, keys []item) ([]item, error) {
	var found []item
	for len(keys) > 0 {
		n := min(len(keys), dynamoschema.MaxBatchGetItems)
		page, err := s.batchPage(ctx, keys[:n])
		if err != nil {
			return nil, err
		}
		found = append(found, page...)
		keys = keys[n:]
	}
	return found, nil
}

// batchPage asks again for what the engine left unread, as it may for size or
// rate, and reports rather than return half of what was asked for.
func (s *Store) batchPage(ctx context.Context, keys []item) ([]item, error) {
	var found []item
	rest := types.KeysAndAttributes{Keys: keys, ConsistentRead: aws.Bool(true)}
	for try := 1; ; try++ {
		out, err := s.client.BatchGetItem(ctx, &dynamodb.BatchGetItemInput{
			RequestItems: map[string]types.KeysAndAttributes{s.table: rest},
		})
		if err != nil {
			return nil, readError(err)
		}
		found = append(found, out.Responses[s.table]...)
		rest = out.UnprocessedKeys[s.table]
		if len(rest.Keys) == 0 {
			return found, nil
		}
		if try == s.options.Tries {
			return nil, fmt.Errorf("%w: %d items were left unread", storeerror.ErrUnavailable, len(rest.Keys))
		}
		if err := s.pause(ctx, try); err != nil {
			return nil, fmt.Errorf("%w: %w", storeerror.ErrUnavailable, err)
		}
	}
}
