package dynamostore

import (
	"context"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/replyonce/replyonce/shared/dynamoschema"
	"github.com/replyonce/replyonce/shared/taskflow"
)

// DueHandoffs implements taskflow.Handoffs. One call is one page of the index,
// so that a sweep that runs out of time has a place to go on from.
func (s *Store) DueHandoffs(ctx context.Context, shard int, now time.Time, limit int, cursor string) (taskflow.DuePage, error) {
	page, err := s.dueHandoffs(ctx, shard, now, limit, cursor)
	if err != nil {
		return taskflow.DuePage{}, fmt.Errorf("list due handoffs of shard %d: %w", shard, err)
	}
	return page, nil
}

func (s *Store) dueHandoffs(ctx context.Context, shard int, now time.Time, limit int, cursor string) (taskflow.DuePage, error) {
	input := s.dueInput(shard, now, limit)
	if cursor != "" {
		last, err := parseIndexCursor(cursor, shard)
		if err != nil {
			return taskflow.DuePage{}, err
		}
		input.ExclusiveStartKey = last
	}
	out, err := s.client.Query(ctx, input)
	if err != nil {
		return taskflow.DuePage{}, readError(err)
	}
	next, err := indexCursor(out.LastEvaluatedKey)
	if err != nil {
		return taskflow.DuePage{}, err
	}
	page := taskflow.DuePage{Cursor: next}
	for _, it := range out.Items {
		r := &itemReader{item: it}
		ref, err := refFrom(r)
		due := r.millis(dynamoschema.HandoffDueAt)
		if err != nil || r.err != nil || due.IsZero() {
			continue // not an entry of this product; it must not stop the sweep
		}
		page.Due = append(page.Due, taskflow.DueHandoff{Ref: ref, DueAt: due})
	}
	return page, nil
}

// dueInput asks for keys only, whatever the index projects.
func (s *Store) dueInput(shard int, now time.Time, limit int) *dynamodb.QueryInput {
	e := newExpression()
	e.where(
		e.compare(dynamoschema.HandoffShard, "=", ":shard", number(int64(shard))),
		e.compare(dynamoschema.HandoffDueAt, "<=", ":now", millis(now)),
	)
	return &dynamodb.QueryInput{
		TableName:                 aws.String(s.table),
		IndexName:                 aws.String(dynamoschema.HandoffIndex),
		KeyConditionExpression:    e.condition(),
		ExpressionAttributeNames:  e.names,
		ExpressionAttributeValues: e.values,
		Limit:                     aws.Int32(int32(max(limit, 1))), //nolint:gosec // callers bound it to a page
	}
}
