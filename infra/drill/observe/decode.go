package observe

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/smithy-go/logging"

	"github.com/replyonce/replyonce/shared/dynamostore"
	"github.com/replyonce/replyonce/shared/idempotency"
	"github.com/replyonce/replyonce/shared/worktask"
)

// recorded is an HTTP client that gives an item as the answer to any read.
type recorded struct{ item json.RawMessage }

// Do implements the SDK's HTTP client.
func (r recorded) Do(request *http.Request) (*http.Response, error) {
	body, err := json.Marshal(map[string]json.RawMessage{"Item": r.item})
	if err != nil {
		return nil, fmt.Errorf("write item: %w", err)
	}
	return &http.Response{
		StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"application/x-amz-json-1.0"}},
		Body: io.NopCloser(bytes.NewReader(body)), ContentLength: int64(len(body)), Request: request,
	}, nil
}

// storeOf is the product's own store on one recorded item: items are read here
// by the code that wrote them.
func storeOf(item json.RawMessage) *dynamostore.Store {
	client := dynamodb.New(dynamodb.Options{
		Region: "us-east-1", BaseEndpoint: aws.String("http://recorded"), HTTPClient: recorded{item}, Logger: logging.Nop{},
		Credentials: credentials.NewStaticCredentialsProvider("recorded", "item", ""), DisableValidateResponseChecksum: true,
	})
	return dynamostore.New(client, "recorded", dynamostore.Options{Tries: 1})
}

// taskOf reads a task from its item; false when the item is none.
func taskOf(ref worktask.Ref, item json.RawMessage) (worktask.Task, bool) {
	if len(item) == 0 {
		return worktask.Task{}, false
	}
	task, err := storeOf(item).Get(context.Background(), ref)
	return task, err == nil
}

// recordOf reads an idempotency record from its item.
func recordOf(scope idempotency.Scope, key idempotency.Key, item json.RawMessage) (idempotency.Record, bool) {
	if len(item) == 0 {
		return idempotency.Record{}, false
	}
	record, err := storeOf(item).Record(context.Background(), scope, key)
	return record, err == nil
}
