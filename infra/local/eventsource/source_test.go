package eventsource

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"

	"github.com/replyonce/replyonce/infra/local/lambdaruntime"
)

// queue hands out prepared batches and remembers what is deleted.
type queue struct {
	batches chan []types.Message

	mu      sync.Mutex
	asked   *sqs.ReceiveMessageInput
	deleted []string
	changed chan struct{}
}

func newQueue(batches ...[]types.Message) *queue {
	q := &queue{batches: make(chan []types.Message, 10), changed: make(chan struct{}, 100)}
	for _, b := range batches {
		q.batches <- b
	}
	return q
}

func (q *queue) ReceiveMessage(ctx context.Context, in *sqs.ReceiveMessageInput, _ ...func(*sqs.Options)) (*sqs.ReceiveMessageOutput, error) {
	q.mu.Lock()
	q.asked = in
	q.mu.Unlock()
	select {
	case batch := <-q.batches:
		if batch == nil {
			return nil, errors.New("no queue")
		}
		return &sqs.ReceiveMessageOutput{Messages: batch}, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (q *queue) DeleteMessageBatch(_ context.Context, in *sqs.DeleteMessageBatchInput, _ ...func(*sqs.Options)) (*sqs.DeleteMessageBatchOutput, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, entry := range in.Entries {
		q.deleted = append(q.deleted, aws.ToString(entry.ReceiptHandle))
	}
	q.changed <- struct{}{}
	return &sqs.DeleteMessageBatchOutput{}, nil
}

func message(id string) types.Message {
	return types.Message{
		MessageId:     aws.String(id),
		ReceiptHandle: aws.String("handle-" + id),
		Body:          aws.String(`{"task":"` + id + `"}`),
		MD5OfBody:     aws.String("md5"),
		Attributes:    map[string]string{"ApproximateReceiveCount": "2", "SentTimestamp": "1"},
		MessageAttributes: map[string]types.MessageAttributeValue{
			"origin": {DataType: aws.String("String"), StringValue: aws.String("dispatcher")},
		},
	}
}

type function func(events.SQSEvent) ([]byte, error)

func (f function) Invoke(_ context.Context, req lambdaruntime.Request) (lambdaruntime.Result, error) {
	var event events.SQSEvent
	if err := json.Unmarshal(req.Payload, &event); err != nil {
		return lambdaruntime.Result{}, fmt.Errorf("read event: %w", err)
	}
	answer, err := f(event)
	return lambdaruntime.Result{Payload: answer}, err
}

func TestFailedIDs(t *testing.T) {
	t.Parallel()
	batch := map[string]bool{"a": true, "b": true}
	cases := []struct {
		answer string
		failed string // ids, or "all"
	}{
		{``, ""},
		{`null`, ""},
		{`{}`, ""},
		{`{"batchItemFailures":null}`, ""},
		{`{"batchItemFailures":[]}`, ""},
		{`{"batchItemFailures":[{"itemIdentifier":"b"}]}`, "b"},
		{`{"batchItemFailures":[{"itemIdentifier":"b"},{"itemIdentifier":"a"},{"itemIdentifier":"b"}]}`, "a b"},
		{`{"BatchItemFailures":[{"itemIdentifier":"b"}]}`, ""}, // a name that Lambda does not know
		{`{"batchItemFailures":[{"ItemIdentifier":"b"}]}`, "all"},
		{`{"batchItemFailures":[{"itemIdentifier":""}]}`, "all"},
		{`{"batchItemFailures":[{"itemIdentifier":null}]}`, "all"},
		{`{"batchItemFailures":[{"itemIdentifier":7}]}`, "all"},
		{`{"batchItemFailures":[{"itemIdentifier":"c"}]}`, "all"},
		{`{"batchItemFailures":[{"itemIdentifier":"a"},{"itemIdentifier":"c"}]}`, "all"},
		{`{"batchItemFailures":[null]}`, "all"},
		{`{"batchItemFailures":"a"}`, "all"},
		{`"ok"`, "all"},
		{`[]`, "all"},
		{`{`, "all"},
	}
	for _, c := range cases {
		failed, err := failedIDs([]byte(c.answer), batch)
		ids := make([]string, 0, len(failed))
		for id := range failed {
			ids = append(ids, id)
		}
		slices.Sort(ids)
		got := strings.Join(ids, " ")
		if err != nil {
			got = "all"
		}
		if got != c.failed {
			t.Errorf("%s: failed %q, want %q (%v)", c.answer, got, c.failed, err)
		}
	}
}

func FuzzFailedIDs(f *testing.F) {
	f.Add([]byte(`{"batchItemFailures":[{"itemIdentifier":"a"}]}`))
	f.Add([]byte(`{"batchItemFailures":null}`))
	f.Add([]byte(`[`))
	batch := map[string]bool{"a": true, "b": true}
	f.Fuzz(func(t *testing.T, answer []byte) {
		failed, err := failedIDs(answer, batch)
		if err != nil && failed != nil {
			t.Error("both an error and ids")
		}
		for id := range failed {
			if !batch[id] {
				t.Errorf("failed %q is not in the batch", id)
			}
		}
	})
}

func TestFinishedMessagesAreDeletedAndFailedOnesStay(t *testing.T) {
	t.Parallel()
	q := newQueue([]types.Message{message("a"), message("b"), message("c")})
	var got events.SQSEvent
	source := Start(Config{
		Queue: q, QueueURL: "url", QueueARN: "arn:aws:sqs:us-east-1:000000000000:q", Region: "us-east-1", BatchSize: 7,
		Function: function(func(event events.SQSEvent) ([]byte, error) {
			got = event
			return []byte(`{"batchItemFailures":[{"itemIdentifier":"b"}]}`), nil
		}),
	})
	<-q.changed
	source.Close()
	if want := []string{"handle-a", "handle-c"}; !slices.Equal(q.deleted, want) {
		t.Errorf("deleted %v", q.deleted)
	}
	if q.asked.MaxNumberOfMessages != 7 || aws.ToString(q.asked.QueueUrl) != "url" {
		t.Errorf("asked for %+v", q.asked)
	}
	record := got.Records[1]
	if record.EventSource != "aws:sqs" || record.EventSourceARN != "arn:aws:sqs:us-east-1:000000000000:q" ||
		record.AWSRegion != "us-east-1" || record.ReceiptHandle != "handle-b" || record.Body != `{"task":"b"}` ||
		record.Attributes["ApproximateReceiveCount"] != "2" ||
		aws.ToString(record.MessageAttributes["origin"].StringValue) != "dispatcher" {
		t.Errorf("record %+v", record)
	}
}

func TestNothingIsDeletedWhenTheInvocationFails(t *testing.T) {
	t.Parallel()
	killed := errors.New("killed")
	for name, fail := range map[string]function{
		"process killed": func(events.SQSEvent) ([]byte, error) { return nil, killed },
		"unknown id": func(events.SQSEvent) ([]byte, error) {
			return []byte(`{"batchItemFailures":[{"itemIdentifier":"x"}]}`), nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			q := newQueue([]types.Message{message("a"), message("b")})
			failed := make(chan error, 1)
			source := Start(Config{Queue: q, Function: fail, Failed: func(err error) { failed <- err }})
			if err := <-failed; name == "process killed" && !errors.Is(err, killed) {
				t.Errorf("reported %v", err)
			}
			source.Close()
			if len(q.deleted) != 0 {
				t.Errorf("deleted %v", q.deleted)
			}
		})
	}
}

func TestReceiveThatFailsIsRepeated(t *testing.T) {
	t.Parallel()
	q := newQueue(nil, []types.Message{message("a")})
	failed := make(chan error, 1)
	source := Start(Config{
		Queue:    q,
		Function: function(func(events.SQSEvent) ([]byte, error) { return nil, nil }),
		Failed:   func(err error) { failed <- err },
	})
	defer source.Close()
	if err := <-failed; !strings.Contains(err.Error(), "no queue") {
		t.Error(err)
	}
	<-q.changed
}

func TestNoMoreBatchesAtATimeThanTheMaximumConcurrency(t *testing.T) {
	t.Parallel()
	q := newQueue()
	for i := range 6 {
		q.batches <- []types.Message{message(fmt.Sprint(i))}
	}
	var mu sync.Mutex
	running, most := 0, 0
	arrived := make(chan struct{}, 6)
	release := make(chan struct{})
	source := Start(Config{
		Queue: q, Concurrency: 2,
		Function: function(func(events.SQSEvent) ([]byte, error) {
			mu.Lock()
			running++
			most = max(most, running)
			mu.Unlock()
			arrived <- struct{}{}
			<-release
			mu.Lock()
			running--
			mu.Unlock()
			return nil, nil
		}),
	})
	<-arrived
	<-arrived // both pollers are busy now
	close(release)
	for range 6 {
		<-q.changed
	}
	source.Close()
	if most != 2 || len(q.deleted) != 6 {
		t.Errorf("%d at a time, %d deleted", most, len(q.deleted))
	}
}

func TestDoubleDelivery(t *testing.T) {
	t.Parallel()
	q := newQueue([]types.Message{message("a"), message("b")})
	arrived := make(chan string, 3)
	both := make(chan struct{})
	source := Start(Config{
		Queue: q,
		Copies: func(m types.Message) int {
			if aws.ToString(m.MessageId) == "b" {
				return 2
			}
			return 1
		},
		Function: function(func(event events.SQSEvent) ([]byte, error) {
			for _, record := range event.Records {
				arrived <- record.MessageId
			}
			<-both // both invocations are running
			return nil, nil
		}),
	})
	var ids []string
	for range 3 {
		ids = append(ids, <-arrived)
	}
	close(both)
	slices.Sort(ids)
	if !slices.Equal(ids, []string{"a", "b", "b"}) {
		t.Errorf("delivered %v", ids)
	}
	<-q.changed
	<-q.changed
	source.Close()
}

func TestHeldBatchWaits(t *testing.T) {
	t.Parallel()
	q := newQueue([]types.Message{message("a")})
	held, release := make(chan struct{}), make(chan struct{})
	invoked := false
	source := Start(Config{
		Queue: q,
		Hold: func(context.Context, []types.Message) {
			close(held)
			<-release
		},
		Function: function(func(events.SQSEvent) ([]byte, error) {
			invoked = true
			return nil, nil
		}),
	})
	<-held
	if invoked {
		t.Error("invoked while held")
	}
	close(release)
	<-q.changed
	source.Close()
}
