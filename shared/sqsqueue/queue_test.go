package sqsqueue_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sqs"

	"github.com/replyonce/replyonce/shared/sqsqueue"
)

// client remembers what it was sent.
type client struct {
	sent   []*sqs.SendMessageInput
	hidden []*sqs.ChangeMessageVisibilityInput
	err    error
}

func (c *client) SendMessage(_ context.Context, in *sqs.SendMessageInput, _ ...func(*sqs.Options)) (*sqs.SendMessageOutput, error) {
	c.sent = append(c.sent, in)
	return &sqs.SendMessageOutput{}, c.err
}

func (c *client) ChangeMessageVisibility(_ context.Context, in *sqs.ChangeMessageVisibilityInput, _ ...func(*sqs.Options)) (*sqs.ChangeMessageVisibilityOutput, error) {
	c.hidden = append(c.hidden, in)
	return &sqs.ChangeMessageVisibilityOutput{}, c.err
}

// TestCaseH3NoQueueDeduplication: a wanted re-send must never be swallowed, so
// no deduplication id is sent, and the message has no delay: waiting is the
// task's and the visibility's business.
func TestCaseH3NoQueueDeduplication(t *testing.T) {
	t.Parallel()
	c := &client{}
	q := sqsqueue.New(c, "https://queue")
	for range 2 {
		if err := q.Publish(t.Context(), ref); err != nil {
			t.Fatal(err)
		}
	}
	if len(c.sent) != 2 {
		t.Fatalf("%d messages sent", len(c.sent))
	}
	for _, in := range c.sent {
		if in.MessageDeduplicationId != nil || in.MessageGroupId != nil || in.DelaySeconds != 0 {
			t.Errorf("sent %+v", in)
		}
		if got, err := sqsqueue.Decode(aws.ToString(in.MessageBody)); err != nil || got != ref {
			t.Errorf("body names %v, %v", got, err)
		}
	}
}

func TestHide(t *testing.T) {
	t.Parallel()
	c := &client{}
	if err := sqsqueue.New(c, "https://queue").Hide(t.Context(), "receipt", 1500*time.Millisecond); err != nil {
		t.Fatal(err)
	}
	if in := c.hidden[0]; in.VisibilityTimeout != 2 || aws.ToString(in.ReceiptHandle) != "receipt" || aws.ToString(in.QueueUrl) != "https://queue" {
		t.Errorf("changed %+v", in)
	}
}

func TestErrorsNameTheTask(t *testing.T) {
	t.Parallel()
	down := errors.New("queue is down")
	q := sqsqueue.New(&client{err: down}, "https://queue")
	if err := q.Publish(t.Context(), ref); !errors.Is(err, down) {
		t.Errorf("Publish: %v", err)
	}
	if err := q.Hide(t.Context(), "receipt", time.Second); !errors.Is(err, down) {
		t.Errorf("Hide: %v", err)
	}
}
