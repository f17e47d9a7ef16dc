package units_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/sqs"

	"github.com/replyonce/replyonce/infra/bench/emulated"
	"github.com/replyonce/replyonce/infra/bench/units"
	"github.com/replyonce/replyonce/shared/dynamoschema"
	"github.com/replyonce/replyonce/shared/dynamostore"
)

// bench is a table on an emulator, a watched client and its recorder.
type bench struct {
	t        *testing.T
	table    string
	client   *dynamodb.Client
	recorder *units.Recorder
	config   aws.Config
}

func newBench(t *testing.T, options ...func(*dynamodb.Options)) bench {
	t.Helper()
	cfg := emulated.Config()
	plain := dynamodb.NewFromConfig(cfg)
	table := emulated.Name(t.Name())
	if _, err := plain.CreateTable(t.Context(), dynamostore.TableInput(table)); err != nil {
		t.Fatal(err)
	}
	recorder := units.NewRecorder(plain, dynamoschema.Definition().Indexes)
	return bench{t, table, dynamodb.NewFromConfig(cfg, append(options, recorder.WatchDynamoDB)...), recorder, cfg}
}

func text(v string) types.AttributeValue { return &types.AttributeValueMemberS{Value: v} }

func number(v string) types.AttributeValue { return &types.AttributeValueMemberN{Value: v} }

type item = map[string]types.AttributeValue

func key(sk string) item {
	return item{dynamoschema.PK: text("W#acme#C#c"), dynamoschema.SK: text(sk)}
}

// task is an open task whose text has that many bytes.
func task(sk string, bytes int) item {
	it := key(sk)
	it[dynamoschema.Entry] = text(dynamoschema.EntryTask)
	it[dynamoschema.Text] = text(strings.Repeat("x", bytes))
	it[dynamoschema.HandoffShard] = number("1")
	it[dynamoschema.HandoffDueAt] = number("1795960830123")
	return it
}

func (b bench) update(ctx context.Context, sk, expression, condition string, values item) error {
	_, err := b.client.UpdateItem(ctx, &dynamodb.UpdateItemInput{
		TableName: aws.String(b.table), Key: key(sk), UpdateExpression: aws.String(expression),
		ConditionExpression: aws.String(condition), ExpressionAttributeValues: values,
		ReturnValuesOnConditionCheckFailure: types.ReturnValuesOnConditionCheckFailureAllOld,
	})
	return err
}

// only is the one request since the last call.
func (b bench) only() units.Request {
	b.t.Helper()
	requests := b.recorder.Requests()
	b.recorder.Reset()
	if len(requests) != 1 {
		b.t.Fatalf("%d requests are recorded, want 1: %+v", len(requests), requests)
	}
	return requests[0]
}

func effects(r units.Request) string {
	var list []string
	for _, e := range r.Entries {
		list = append(list, e.Effect+" "+e.Item)
	}
	return strings.Join(list, ", ")
}

func TestTransactionIsPricedByItsItems(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	ctx := units.In(t.Context(), "submit")
	record := item{dynamoschema.PK: text("W#acme#IDEMPOTENCY#a#submit#k"), dynamoschema.SK: text(dynamoschema.RecordSK)}
	input := &dynamodb.TransactWriteItemsInput{TransactItems: []types.TransactWriteItem{
		{Put: &types.Put{TableName: aws.String(b.table), Item: record, ConditionExpression: aws.String("attribute_not_exists(pk)")}},
		{Put: &types.Put{TableName: aws.String(b.table), Item: task("ENTRY#t", 1200), ConditionExpression: aws.String("attribute_not_exists(pk)")}},
	}}
	if _, err := b.client.TransactWriteItems(ctx, input); err != nil {
		t.Fatal(err)
	}
	made := b.only()
	if got, want := effects(made), "put idempotency record, put task, put index handoff"; got != want {
		t.Errorf("effects %q, want %q", got, want)
	}
	if made.Write() != 2+4+1 || made.Operation != "TransactWriteItems" || made.Step != "submit" {
		t.Errorf("request %+v, want 7 units of step submit", made)
	}
	_, err := b.client.TransactWriteItems(ctx, input)
	if _, cancelled := errors.AsType[*types.TransactionCanceledException](err); !cancelled {
		t.Fatalf("error %v, want a cancelled transaction", err)
	}
	refused := b.only()
	if got, want := effects(refused), "refused idempotency record, refused task"; got != want || refused.Write() != 6 {
		t.Errorf("effects %q with %d units, want %q with 6", got, refused.Write(), want)
	}
}

func TestUpdatesArePricedByTheLargerImage(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	if _, err := b.client.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: aws.String(b.table), Item: task("ENTRY#t", 1500)}); err != nil {
		t.Fatal(err)
	}
	if got := b.only(); got.Write() != 2+1 {
		t.Errorf("put %+v, want 3 units", got)
	}
	err := b.update(t.Context(), "ENTRY#t", "SET title = :short REMOVE handoff_shard, handoff_due_at_ms", "attribute_exists(pk)", item{":short": text("x")})
	if err != nil {
		t.Fatal(err)
	}
	if got := b.only(); got.Write() != 2+1 || effects(got) != "update task, delete index handoff" {
		t.Errorf("update %+v, want 2 units and 1 for the index", got)
	}
}

func TestRefusedUpdateReturnsTheOldItem(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	if _, err := b.client.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: aws.String(b.table), Item: task("ENTRY#t", 1500)}); err != nil {
		t.Fatal(err)
	}
	b.recorder.Reset()
	err := b.update(t.Context(), "ENTRY#t", "SET title = :title", "attribute_not_exists(pk)", item{":title": text("x")})
	refusal, refused := errors.AsType[*types.ConditionalCheckFailedException](err)
	if !refused || len(refusal.Item) == 0 {
		t.Fatalf("error %v with item %v, want a refusal with the old item", err, refusal)
	}
	if got := b.only(); got.Write() != 2 || effects(got) != "refused task" {
		t.Errorf("refused update %+v, want 2 units", got)
	}
	err = b.update(t.Context(), "ENTRY#none", "SET title = :title", "attribute_exists(pk)", item{":title": text("x")})
	if refusal, refused := errors.AsType[*types.ConditionalCheckFailedException](err); !refused || len(refusal.Item) != 0 {
		t.Fatalf("error %v, want a refusal without an item", err)
	}
	if got := b.only(); got.Write() != 1 || effects(got) != "refused log entry" {
		t.Errorf("refused update of nothing %+v, want 1 unit", got)
	}
}

func TestReadsArePricedByWhatTheyReturn(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	for _, sk := range []string{"ENTRY#a", "ENTRY#b"} {
		if _, err := b.client.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: aws.String(b.table), Item: task(sk, 3000)}); err != nil {
			t.Fatal(err)
		}
	}
	b.recorder.Reset()
	for name, c := range map[string]struct {
		read    func() error
		units   float64
		effects string
	}{
		"get": {func() error {
			_, err := b.client.GetItem(t.Context(), &dynamodb.GetItemInput{TableName: aws.String(b.table), Key: key("ENTRY#a"), ConsistentRead: aws.Bool(true)})
			return err
		}, 1, "read task"},
		"get eventually": {func() error {
			_, err := b.client.GetItem(t.Context(), &dynamodb.GetItemInput{TableName: aws.String(b.table), Key: key("ENTRY#a")})
			return err
		}, 0.5, "read task"},
		"get nothing": {func() error {
			_, err := b.client.GetItem(t.Context(), &dynamodb.GetItemInput{TableName: aws.String(b.table), Key: key("CONVERSATION"), ConsistentRead: aws.Bool(true)})
			return err
		}, 1, "missing conversation"},
		"batch, one missing": {func() error {
			_, err := b.client.BatchGetItem(t.Context(), &dynamodb.BatchGetItemInput{RequestItems: map[string]types.KeysAndAttributes{
				b.table: {Keys: []item{key("ENTRY#a"), key("ENTRY#b"), key("ENTRY#c")}, ConsistentRead: aws.Bool(true)},
			}})
			return err
		}, 3, "read task, read task, missing log entry"},
		"query": {func() error {
			_, err := b.client.Query(t.Context(), &dynamodb.QueryInput{
				TableName: aws.String(b.table), KeyConditionExpression: aws.String("pk = :pk"), ConsistentRead: aws.Bool(true),
				ExpressionAttributeValues: item{":pk": text("W#acme#C#c")},
			})
			return err
		}, 2, "read 2 x task"}, // 6 KB together, not 2 for each
		"index query": {func() error {
			_, err := b.client.Query(t.Context(), &dynamodb.QueryInput{
				TableName: aws.String(b.table), IndexName: aws.String(dynamoschema.HandoffIndex),
				KeyConditionExpression: aws.String("handoff_shard = :shard"), ExpressionAttributeValues: item{":shard": number("1")},
			})
			return err
		}, 0.5, "read 2 x index handoff"},
		"scan": {func() error {
			_, err := b.client.Scan(t.Context(), &dynamodb.ScanInput{TableName: aws.String(b.table), ConsistentRead: aws.Bool(true)})
			return err
		}, 2, "read 2 x task"},
	} {
		if err := c.read(); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if got := b.only(); got.Read() != c.units || effects(got) != c.effects || got.Write() != 0 {
			t.Errorf("%s: %+v, want %v units of %q", name, got, c.units, c.effects)
		}
	}
}

func TestReadsOfPartsAreRefused(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	_, err := b.client.GetItem(t.Context(), &dynamodb.GetItemInput{
		TableName: aws.String(b.table), Key: key("ENTRY#a"), ProjectionExpression: aws.String("pk"),
	})
	if err == nil {
		t.Error("a read whose price cannot be told was sent")
	}
	if _, err := b.client.ListTables(t.Context(), &dynamodb.ListTablesInput{}); err == nil {
		t.Error("an operation without a price was sent")
	}
	if requests := b.recorder.Requests(); len(requests) != 0 {
		t.Errorf("refused requests are recorded: %+v", requests)
	}
}

// failOnce answers the first request like a server that is overloaded.
type failOnce struct {
	failed atomic.Bool
	next   http.RoundTripper
}

func (f *failOnce) RoundTrip(r *http.Request) (*http.Response, error) {
	if f.failed.CompareAndSwap(false, true) {
		return &http.Response{StatusCode: http.StatusServiceUnavailable, Body: http.NoBody, Header: http.Header{}, Request: r}, nil
	}
	return f.next.RoundTrip(r)
}

func TestRetriesAreRequestsOfTheirOwn(t *testing.T) {
	t.Parallel()
	for name, send := range map[string]func(b bench) error{
		"put": func(b bench) error {
			_, err := b.client.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: aws.String(b.table), Item: task("ENTRY#t", 2000)})
			return err
		},
		"get": func(b bench) error {
			_, err := b.client.GetItem(t.Context(), &dynamodb.GetItemInput{TableName: aws.String(b.table), Key: key("ENTRY#t")})
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, func(o *dynamodb.Options) {
				o.HTTPClient = &http.Client{Transport: &failOnce{next: http.DefaultTransport}}
			})
			if err := send(b); err != nil {
				t.Fatal(err)
			}
			requests := b.recorder.Requests()
			if len(requests) != 2 || len(requests[0].Entries) != 0 || len(requests[1].Entries) == 0 {
				t.Errorf("requests %+v, want one without a price and one with", requests)
			}
		})
	}
}

func TestQueueRequestsAreCounted(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	queue := sqs.NewFromConfig(b.config, b.recorder.WatchSQS)
	plain := sqs.NewFromConfig(b.config)
	created, err := plain.CreateQueue(t.Context(), &sqs.CreateQueueInput{QueueName: aws.String(b.table)})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := queue.SendMessage(units.In(t.Context(), "submit"), &sqs.SendMessageInput{
		QueueUrl: created.QueueUrl, MessageBody: aws.String(strings.Repeat("x", 65<<10)),
	}); err != nil {
		t.Fatal(err)
	}
	if sent := b.only(); sent.Billed != 2 || sent.Operation != "SendMessage" || sent.Step != "submit" {
		t.Errorf("send %+v, want 2 charged requests for 65 KiB", sent)
	}
	received, err := queue.ReceiveMessage(t.Context(), &sqs.ReceiveMessageInput{QueueUrl: created.QueueUrl})
	if err != nil || len(received.Messages) != 1 {
		t.Fatalf("received %v, %v", received, err)
	}
	if got := b.only(); got.Billed != 2 {
		t.Errorf("receive %+v, want 2 charged requests", got)
	}
	if _, err := queue.ReceiveMessage(t.Context(), &sqs.ReceiveMessageInput{QueueUrl: created.QueueUrl}); err != nil {
		t.Fatal(err)
	}
	if got := b.only(); got.Billed != 1 {
		t.Errorf("empty receive %+v, want 1 charged request", got)
	}
	if _, err := queue.PurgeQueue(t.Context(), &sqs.PurgeQueueInput{QueueUrl: created.QueueUrl}); err == nil {
		t.Error("an operation without a price was sent")
	}
}
