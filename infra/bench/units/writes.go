package units

import (
	"context"
	"errors"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/replyonce/replyonce/shared/dynamoschema"
)

// action is one item that a request may write.
type action struct {
	table string
	key   item
	given item // the whole item, of a put
}

// write is a request that writes.
type write struct {
	operation string
	actions   []action
	factor    int
	// wantsOldItem: a refusal is to return the item that refused the write.
	wantsOldItem bool
}

// writeOf reads a request; false when it is none that the product writes with.
func writeOf(input any) (write, bool) {
	switch in := input.(type) {
	case *dynamodb.PutItemInput:
		return write{operation: "PutItem", factor: 1, actions: []action{put(in.TableName, in.Item)}}, true
	case *dynamodb.UpdateItemInput:
		return write{
			operation: "UpdateItem", factor: 1, actions: []action{{table: aws.ToString(in.TableName), key: in.Key}},
			wantsOldItem: in.ReturnValuesOnConditionCheckFailure == types.ReturnValuesOnConditionCheckFailureAllOld,
		}, true
	case *dynamodb.TransactWriteItemsInput:
		w := write{operation: "TransactWriteItems", factor: transactional}
		for _, part := range in.TransactItems {
			switch {
			case part.Put != nil:
				w.actions = append(w.actions, put(part.Put.TableName, part.Put.Item))
			case part.Update != nil:
				w.actions = append(w.actions, action{table: aws.ToString(part.Update.TableName), key: part.Update.Key})
			default:
				return write{}, false
			}
		}
		return w, true
	default:
		return write{}, false
	}
}

func put(table *string, it item) action {
	key := item{dynamoschema.PK: it[dynamoschema.PK], dynamoschema.SK: it[dynamoschema.SK]}
	return action{table: aws.ToString(table), key: key, given: it}
}

// write sends a write and prices what it did. A write that failed otherwise
// than by its conditions is listed without a price: what it did is not known.
//
// A cancelled transaction is priced as refused in each of its actions. AWS
// publishes no rule by which a part of it were free.
func (r *Recorder) write(ctx context.Context, request Request, w write, send attempt) error {
	before, err := r.imagesOf(ctx, w.actions)
	if err != nil {
		return err
	}
	_, sendErr := send()
	refused := isRefusal(sendErr)
	if sendErr != nil && !refused {
		r.add(request)
		return sendErr
	}
	after, err := r.imagesOf(ctx, w.actions)
	if err != nil {
		return err
	}
	for i, a := range w.actions {
		c := change{key: a.key, before: before[i], after: after[i], given: a.given, refused: refused, factor: w.factor}
		request.Entries = append(request.Entries, c.price(r.indexes)...)
	}
	r.add(request)
	if refused && w.wantsOldItem {
		returnOldItem(sendErr, before[0])
	}
	return sendErr
}

// imagesOf reads the items of the actions as they are now, nil for those that
// are not there.
func (r *Recorder) imagesOf(ctx context.Context, actions []action) ([]item, error) {
	images := make([]item, len(actions))
	for i, a := range actions {
		out, err := r.images.GetItem(ctx, &dynamodb.GetItemInput{
			TableName: aws.String(a.table), Key: a.key, ConsistentRead: aws.Bool(true),
		})
		if err != nil {
			return nil, fmt.Errorf("read the image of a written item: %w", err)
		}
		if len(out.Item) > 0 {
			images[i] = out.Item
		}
	}
	return images, nil
}

// isRefusal reports whether conditions refused the write.
func isRefusal(err error) bool {
	if _, ok := errors.AsType[*types.ConditionalCheckFailedException](err); ok {
		return true
	}
	_, ok := errors.AsType[*types.TransactionCanceledException](err)
	return ok
}

// returnOldItem adds the item that refused a write to the refusal where the
// engine left it out. DynamoDB returns it free of charge; with an emulator that
// does not, the product reads the item, and the bench would count a read that
// never happens on AWS.
func returnOldItem(err error, old item) {
	if refusal, ok := errors.AsType[*types.ConditionalCheckFailedException](err); ok && len(refusal.Item) == 0 {
		refusal.Item = old
	}
}
