package dynamostore_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/replyonce/replyonce/shared/dynamoschema"
	"github.com/replyonce/replyonce/shared/dynamostore/dynamotest"
)

// Emulators are kinder than DynamoDB, and each in its own way. The product must
// rest on none of it, so this table says what is known of each; it is asserted,
// so that a new version that behaves otherwise is noticed and the suite's own
// deviations are looked at again.
func TestKnownDeviations(t *testing.T) {
	t.Parallel()
	for _, p := range []struct {
		name    string
		probe   func(p prober) (bool, error)
		kumo    bool
		minidyn bool // DynamoDB: all true
	}{
		{"a failed condition returns the old item", prober.oldItem, false, true},
		{"a cancelled transaction returns the old item", prober.oldItemOfTransaction, false, false},
		{"actions in order have the reason None", prober.reasonNone, false, true},
		{"a repeated token makes nothing twice", prober.token, false, false},
		{"placeholders are replaced as wholes", prober.wholePlaceholders, false, true},
		{"reserved words are refused", prober.reservedWords, false, true},
		{"unused values are refused", prober.unusedValues, false, true},
		{"idle parentheses are refused", prober.idleParentheses, false, false},
		{"attributes can be removed", prober.removes, true, false},
		{"items above 400 KB are refused", prober.itemLimit, false, false},
	} {
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			for engine, e := range map[string]struct {
				url  func(*testing.T) string
				want bool
			}{
				"kumo": {startKumo, p.kumo}, "minidyn": {startMinidyn, p.minidyn},
			} {
				client := dynamotest.Client(e.url(t), nil)
				got, err := p.probe(prober{t.Context(), client, dynamotest.NewTable(t, client)})
				if err != nil {
					t.Errorf("%s: %v", engine, err)
				} else if got != e.want {
					t.Errorf("on %s: %t, known for %t", engine, got, e.want)
				}
			}
		})
	}
}

// prober asks an engine directly.
type prober struct {
	ctx    context.Context //nolint:containedctx // lives for one probe
	client *dynamodb.Client
	table  string
}

type attributes = map[string]types.AttributeValue

func str(v string) types.AttributeValue { return &types.AttributeValueMemberS{Value: v} }

func num(v string) types.AttributeValue { return &types.AttributeValueMemberN{Value: v} }

func primaryKey() attributes { return attributes{dynamoschema.PK: str("p"), dynamoschema.SK: str("s")} }

// put stores an item with more attributes than its key.
func (p prober) put(more attributes) error {
	it := primaryKey()
	for name, v := range more {
		it[name] = v
	}
	_, err := p.client.PutItem(p.ctx, &dynamodb.PutItemInput{TableName: &p.table, Item: it})
	if err != nil {
		return fmt.Errorf("put: %w", err)
	}
	return nil
}

func (p prober) get() (attributes, error) {
	out, err := p.client.GetItem(p.ctx, &dynamodb.GetItemInput{TableName: &p.table, Key: primaryKey()})
	if err != nil {
		return nil, fmt.Errorf("get: %w", err)
	}
	return out.Item, nil
}

func (p prober) update(expression string, names map[string]string, values attributes) error {
	_, err := p.client.UpdateItem(p.ctx, &dynamodb.UpdateItemInput{
		TableName: &p.table, Key: primaryKey(), UpdateExpression: &expression,
		ExpressionAttributeNames: names, ExpressionAttributeValues: values,
	})
	return err //nolint:wrapcheck // the probe looks at it
}

// refused tells whether an engine has refused a request as not valid.
func refused(err error) (bool, error) {
	var apiErr interface{ ErrorCode() string }
	switch {
	case err == nil:
		return false, nil
	case errors.As(err, &apiErr):
		return true, nil
	default:
		return false, err
	}
}

func (p prober) oldItem() (bool, error) {
	if err := p.put(attributes{"a": str("x")}); err != nil {
		return false, err
	}
	_, err := p.client.UpdateItem(p.ctx, &dynamodb.UpdateItemInput{
		TableName: &p.table, Key: primaryKey(), UpdateExpression: aws.String("SET #a = :y"), ConditionExpression: aws.String("#a = :y"),
		ExpressionAttributeNames: map[string]string{"#a": "a"}, ExpressionAttributeValues: attributes{":y": str("y")},
		ReturnValuesOnConditionCheckFailure: types.ReturnValuesOnConditionCheckFailureAllOld,
	})
	failed, ok := errors.AsType[*types.ConditionalCheckFailedException](err)
	if !ok {
		return false, err
	}
	return len(failed.Item) > 0, nil
}

// cancel makes a transaction of one action whose condition fails and one that
// is in order.
func (p prober) cancel() (*types.TransactionCanceledException, error) {
	if err := p.put(nil); err != nil {
		return nil, err
	}
	_, err := p.client.TransactWriteItems(p.ctx, &dynamodb.TransactWriteItemsInput{TransactItems: []types.TransactWriteItem{
		{Put: &types.Put{
			TableName: &p.table, Item: primaryKey(), ConditionExpression: aws.String("attribute_not_exists(#pk)"),
			ExpressionAttributeNames:            map[string]string{"#pk": dynamoschema.PK},
			ReturnValuesOnConditionCheckFailure: types.ReturnValuesOnConditionCheckFailureAllOld,
		}},
		{Put: &types.Put{TableName: &p.table, Item: attributes{dynamoschema.PK: str("q"), dynamoschema.SK: str("s")}}},
	}})
	cancelled, ok := errors.AsType[*types.TransactionCanceledException](err)
	if !ok || len(cancelled.CancellationReasons) != 2 {
		return nil, fmt.Errorf("want a cancelled transaction with two reasons: %w", err)
	}
	return cancelled, nil
}

func (p prober) oldItemOfTransaction() (bool, error) {
	cancelled, err := p.cancel()
	if err != nil {
		return false, err
	}
	return len(cancelled.CancellationReasons[0].Item) > 0, nil
}

func (p prober) reasonNone() (bool, error) {
	cancelled, err := p.cancel()
	if err != nil {
		return false, err
	}
	return aws.ToString(cancelled.CancellationReasons[1].Code) == "None", nil
}

func (p prober) token() (bool, error) {
	input := &dynamodb.TransactWriteItemsInput{
		ClientRequestToken: aws.String("token"),
		TransactItems: []types.TransactWriteItem{{Put: &types.Put{
			TableName: &p.table, Item: primaryKey(), ConditionExpression: aws.String("attribute_not_exists(#pk)"),
			ExpressionAttributeNames: map[string]string{"#pk": dynamoschema.PK},
		}}},
	}
	if _, err := p.client.TransactWriteItems(p.ctx, input); err != nil {
		return false, fmt.Errorf("first: %w", err)
	}
	_, err := p.client.TransactWriteItems(p.ctx, input)
	again, err := refused(err)
	return !again, err
}

// wholePlaceholders tries several times: replacing goes by a map, in any order.
func (p prober) wholePlaceholders() (bool, error) {
	names := map[string]string{"#1": "one", "#10": "ten"}
	for range 20 {
		if err := p.put(nil); err != nil {
			return false, err
		}
		if err := p.update("SET #10 = :v, #1 = :v", names, attributes{":v": str("v")}); err != nil {
			return false, err
		}
		got, err := p.get()
		if err != nil {
			return false, err
		}
		if got["ten"] == nil || got["one"] == nil || len(got) != 4 {
			return false, nil
		}
	}
	return true, nil
}

func (p prober) reservedWords() (bool, error) {
	return refused(p.update("SET status = :v", nil, attributes{":v": str("v")}))
}

func (p prober) unusedValues() (bool, error) {
	return refused(p.update("SET #a = :v", map[string]string{"#a": "a"}, attributes{":v": str("v"), ":w": str("w")}))
}

func (p prober) idleParentheses() (bool, error) {
	_, err := p.client.UpdateItem(p.ctx, &dynamodb.UpdateItemInput{
		TableName: &p.table, Key: primaryKey(), UpdateExpression: aws.String("SET #a = :v"),
		ConditionExpression:      aws.String("((attribute_not_exists(#a)))"),
		ExpressionAttributeNames: map[string]string{"#a": "a"}, ExpressionAttributeValues: attributes{":v": str("v")},
	})
	return refused(err)
}

func (p prober) removes() (bool, error) {
	if err := p.put(attributes{"a": str("x"), dynamoschema.HandoffDueAt: num("1"), dynamoschema.HandoffShard: num("1")}); err != nil {
		return false, err
	}
	if err := p.update("REMOVE #a", map[string]string{"#a": "a"}, nil); err != nil {
		return false, err
	}
	got, err := p.get()
	return got["a"] == nil, err
}

func (p prober) itemLimit() (bool, error) {
	return refused(errors.Unwrap(p.put(attributes{"a": str(strings.Repeat("x", dynamoschema.MaxItemBytes))})))
}
