package rates

import (
	"context"
	"fmt"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
)

// call is one bare request, ready to be sent.
type call func(ctx context.Context) error

// replay makes calls with the captured inputs, in which ids are replaced by
// others of the same length: the same sizes and conditions on new items.
func replay(inputs []any, ids *strings.Replacer, db *dynamodb.Client, queue *sqs.Client) ([]call, error) {
	calls := make([]call, 0, len(inputs))
	for _, input := range inputs {
		switch in := input.(type) {
		case *dynamodb.GetItemInput:
			twin := *in
			twin.Key = twinOf(in.Key, ids)
			calls = append(calls, func(ctx context.Context) error { return last(db.GetItem(ctx, &twin)) })
		case *dynamodb.QueryInput:
			twin := *in
			calls = append(calls, func(ctx context.Context) error { return last(db.Query(ctx, &twin)) })
		case *dynamodb.UpdateItemInput:
			twin := *in
			twin.Key = twinOf(in.Key, ids)
			calls = append(calls, func(ctx context.Context) error { return last(db.UpdateItem(ctx, &twin)) })
		case *dynamodb.TransactWriteItemsInput:
			twin := twinOfTransaction(in, ids)
			calls = append(calls, func(ctx context.Context) error { return last(db.TransactWriteItems(ctx, twin)) })
		case *sqs.SendMessageInput:
			twin := *in
			twin.MessageBody = aws.String(ids.Replace(aws.ToString(in.MessageBody)))
			calls = append(calls, func(ctx context.Context) error { return last(queue.SendMessage(ctx, &twin)) })
		default:
			return nil, fmt.Errorf("there is no replay for %T", input)
		}
	}
	return calls, nil
}

// last drops the output of a request.
func last[T any](_ T, err error) error { return err }

func twinOf(it map[string]types.AttributeValue, ids *strings.Replacer) map[string]types.AttributeValue {
	twin := make(map[string]types.AttributeValue, len(it))
	for name, value := range it {
		if text, ok := value.(*types.AttributeValueMemberS); ok {
			value = &types.AttributeValueMemberS{Value: ids.Replace(text.Value)}
		}
		twin[name] = value
	}
	return twin
}

// twinOfTransaction leaves the token to the SDK, which makes a new one.
func twinOfTransaction(in *dynamodb.TransactWriteItemsInput, ids *strings.Replacer) *dynamodb.TransactWriteItemsInput {
	twin := *in
	twin.ClientRequestToken = nil
	twin.TransactItems = nil
	for _, part := range in.TransactItems {
		if part.Put != nil {
			put := *part.Put
			put.Item = twinOf(put.Item, ids)
			part.Put = &put
		}
		twin.TransactItems = append(twin.TransactItems, part)
	}
	return &twin
}
