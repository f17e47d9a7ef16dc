package dynamostore

import (
	"context"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/replyonce/replyonce/shared/dynamoschema"
	"github.com/replyonce/replyonce/shared/idempotency"
)

// putRecord creates the record, or replaces one past its purge time. The engine
// deletes expired items late, so the condition compares the time itself; code
// that looked before it wrote would let two requests through.
func (s *Store) putRecord(record idempotency.Record) (types.TransactWriteItem, error) {
	it := recordItem(record)
	if err := checkItem("idempotency record", it); err != nil {
		return types.TransactWriteItem{}, err
	}
	e := newExpression()
	now := number(record.CreatedAt.Unix())
	e.where(anyOf(e.absent(dynamoschema.PK), e.compare(dynamoschema.PurgeAfter, "<=", ":now_epoch_seconds", now)))
	return types.TransactWriteItem{Put: &types.Put{
		TableName:                 aws.String(s.table),
		Item:                      it,
		ConditionExpression:       e.condition(),
		ExpressionAttributeNames:  e.names,
		ExpressionAttributeValues: e.values,
	}}, nil
}

func recordItem(record idempotency.Record) item {
	w := newItem(dynamoschema.RecordKey(record.Scope, record.Key))
	w.text(dynamoschema.RequestFingerprint, record.Fingerprint.String())
	w.text(dynamoschema.Target, record.Target)
	w.millis(dynamoschema.CreatedAt, record.CreatedAt)
	w.millis(dynamoschema.ReplayUntil, record.ReplayUntil)
	w.number(dynamoschema.PurgeAfter, ceilSeconds(record.PurgeAfter))
	return w.item
}

// ceilSeconds rounds up: a key never becomes free early.
func ceilSeconds(t time.Time) int64 {
	if t.Nanosecond() > 0 {
		return t.Unix() + 1
	}
	return t.Unix()
}

// Record implements keyed.Records.
func (s *Store) Record(ctx context.Context, scope idempotency.Scope, k idempotency.Key) (idempotency.Record, error) {
	it, err := s.get(ctx, dynamoschema.RecordKey(scope, k))
	if err != nil {
		return idempotency.Record{}, fmt.Errorf("read idempotency record: %w", err)
	}
	return recordFrom(scope, k, it)
}

func recordFrom(scope idempotency.Scope, k idempotency.Key, it item) (idempotency.Record, error) {
	r := &itemReader{item: it}
	fingerprint, err := idempotency.ParseFingerprint(r.required(dynamoschema.RequestFingerprint))
	record := idempotency.Record{
		Scope: scope, Key: k, Fingerprint: fingerprint,
		Target:      r.required(dynamoschema.Target),
		CreatedAt:   r.millis(dynamoschema.CreatedAt),
		ReplayUntil: r.millis(dynamoschema.ReplayUntil),
		PurgeAfter:  time.Unix(r.number(dynamoschema.PurgeAfter), 0).UTC(),
	}
	if r.err != nil {
		return idempotency.Record{}, fmt.Errorf("decode idempotency record: %w", r.err)
	}
	if err != nil {
		return idempotency.Record{}, fmt.Errorf("decode idempotency record: %w", err)
	}
	return record, nil
}
