package dynamostore

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/replyonce/replyonce/shared/dynamoschema"
	"github.com/replyonce/replyonce/shared/idempotency"
	"github.com/replyonce/replyonce/shared/storeerror"
)

// recordSlot is the place of the idempotency record among the actions of a
// creating transaction. The order of the cancellation reasons is that of the
// actions, so the place alone tells a repeat from any other refusal.
const recordSlot = 0

// create makes one creating transaction: the record, if it is absent or past
// its purge time, and what the request makes. All sizes are checked before
// anything is sent.
func (s *Store) create(ctx context.Context, record idempotency.Record, actions ...types.TransactWriteItem) error {
	put, err := s.putRecord(record)
	if err != nil {
		return err
	}
	input := &dynamodb.TransactWriteItemsInput{
		ClientRequestToken: aws.String(token(record)),
		TransactItems:      append([]types.TransactWriteItem{put}, actions...),
	}
	if err := checkTransaction(input.TransactItems); err != nil {
		return err
	}
	return s.transact(ctx, input)
}

// token names the transaction for the engine's own duplicate check. It covers
// all that differs between two records for one target, so that equal tokens
// mean equal parameters. Nothing rests on it but the price of a repeat: the SDK
// writes maps in any order, and engines that compare bytes call that different.
func token(record idempotency.Record) string {
	sum := sha256.Sum256([]byte(record.Target + " " + strconv.FormatInt(record.CreatedAt.UnixMilli(), 10)))
	return hex.EncodeToString(sum[:16])
}

// putNew creates an item that must not be there.
func (s *Store) putNew(what string, it item) (types.TransactWriteItem, error) {
	if err := checkItem(what, it); err != nil {
		return types.TransactWriteItem{}, err
	}
	e := newExpression()
	e.where(e.absent(dynamoschema.PK))
	return types.TransactWriteItem{Put: &types.Put{
		TableName:                aws.String(s.table),
		Item:                     it,
		ConditionExpression:      e.condition(),
		ExpressionAttributeNames: e.names,
	}}, nil
}

func checkTransaction(actions []types.TransactWriteItem) error {
	size := 0
	for _, action := range actions {
		if action.Put != nil {
			size += Size(action.Put.Item)
		}
	}
	if size > dynamoschema.MaxTransactionBytes {
		return &storeerror.TooLargeError{What: "transaction", Bytes: size, Limit: dynamoschema.MaxTransactionBytes}
	}
	return nil
}

// transact sends the transaction until it is decided, a bounded number of
// times, with the same token and the same parameters. Only what the engine has
// refused for the moment is sent again.
func (s *Store) transact(ctx context.Context, input *dynamodb.TransactWriteItemsInput) error {
	var open bool // an earlier try may be under way
	for try := 1; ; try++ {
		failed := sendOnce(ctx, func(once func(*dynamodb.Options)) error {
			_, err := s.client.TransactWriteItems(ctx, input, once)
			return err
		})
		if failed == nil {
			return nil
		}
		v := judge(failed)
		open = open || failed.kind == inProgress
		if v.again && try < s.options.Tries && s.pause(ctx, try) == nil {
			continue
		}
		if v.again && open {
			return fmt.Errorf("%w: %w", storeerror.ErrConflict, failed.err)
		}
		return v.err
	}
}
