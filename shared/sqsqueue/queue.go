package sqsqueue

import (
	"context"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sqs"

	"github.com/replyonce/replyonce/shared/worktask"
)

// Client is what of the SQS client is used.
type Client interface {
	SendMessage(ctx context.Context, in *sqs.SendMessageInput, opts ...func(*sqs.Options)) (*sqs.SendMessageOutput, error)
	ChangeMessageVisibility(ctx context.Context, in *sqs.ChangeMessageVisibilityInput, opts ...func(*sqs.Options)) (*sqs.ChangeMessageVisibilityOutput, error)
}

// Queue is one SQS queue.
type Queue struct {
	client Client
	url    string
}

// New is the queue at url.
func New(client Client, url string) *Queue { return &Queue{client, url} }

// Publish sends a handoff. The SDK may send it twice; every copy names the same
// task, and the claim stops the second one.
func (q *Queue) Publish(ctx context.Context, ref worktask.Ref) error {
	body, err := Encode(ref)
	if err != nil {
		return err
	}
	_, err = q.client.SendMessage(ctx, &sqs.SendMessageInput{QueueUrl: aws.String(q.url), MessageBody: aws.String(body)})
	if err != nil {
		return fmt.Errorf("publish handoff of task %s: %w", ref, err)
	}
	return nil
}

// Hide sets how long, from now, a received message stays invisible. SQS counts
// whole seconds: the rest is rounded up, so that it never comes back early.
func (q *Queue) Hide(ctx context.Context, receiptHandle string, d time.Duration) error {
	_, err := q.client.ChangeMessageVisibility(ctx, &sqs.ChangeMessageVisibilityInput{
		QueueUrl: aws.String(q.url), ReceiptHandle: aws.String(receiptHandle), VisibilityTimeout: Seconds(d),
	})
	if err != nil {
		return fmt.Errorf("change visibility to %s: %w", d, err)
	}
	return nil
}

// Seconds rounds up to whole seconds within what SQS accepts here.
func Seconds(d time.Duration) int32 {
	d = min(max(d, 0), worktask.MaxVisibility)
	return int32((d + time.Second - 1) / time.Second)
}
