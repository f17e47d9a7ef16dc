package operator

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"

	"github.com/replyonce/replyonce/shared/sqsqueue"
)

// DeadLetter is a received message of the dead-letter queue.
type DeadLetter struct {
	ID            string
	ReceiptHandle string
	Body          string
	ReceiveCount  int
	SentAt        time.Time // zero: not told
}

// SQSClient is what of the SQS client is used.
type SQSClient interface {
	ReceiveMessage(ctx context.Context, in *sqs.ReceiveMessageInput, opts ...func(*sqs.Options)) (*sqs.ReceiveMessageOutput, error)
	DeleteMessage(ctx context.Context, in *sqs.DeleteMessageInput, opts ...func(*sqs.Options)) (*sqs.DeleteMessageOutput, error)
	ChangeMessageVisibility(ctx context.Context, in *sqs.ChangeMessageVisibilityInput, opts ...func(*sqs.Options)) (*sqs.ChangeMessageVisibilityOutput, error)
}

// DeadLetterQueue is a dead-letter queue in SQS.
type DeadLetterQueue struct {
	Client SQSClient
	URL    string
	// Wait is how long a receive waits when nothing is there, in whole seconds.
	// Above nothing SQS asks all of its servers, so that empty means empty.
	Wait time.Duration
}

// maxReceive is how many messages SQS hands out at once.
const maxReceive = 10

// Receive takes up to ten messages and hides them from everybody else for hold.
func (q DeadLetterQueue) Receive(ctx context.Context, most int, hold time.Duration) ([]DeadLetter, error) {
	out, err := q.Client.ReceiveMessage(ctx, &sqs.ReceiveMessageInput{
		QueueUrl: aws.String(q.URL), MaxNumberOfMessages: int32(min(max(most, 1), maxReceive)),
		VisibilityTimeout: sqsqueue.Seconds(hold), WaitTimeSeconds: sqsqueue.Seconds(q.Wait),
		MessageSystemAttributeNames: []types.MessageSystemAttributeName{
			types.MessageSystemAttributeNameApproximateReceiveCount, types.MessageSystemAttributeNameSentTimestamp,
		},
	})
	if err != nil {
		return nil, fmt.Errorf("receive dead letters: %w", err)
	}
	letters := make([]DeadLetter, 0, len(out.Messages))
	for _, m := range out.Messages {
		letters = append(letters, letterOf(m))
	}
	return letters, nil
}

func letterOf(m types.Message) DeadLetter {
	letter := DeadLetter{ID: aws.ToString(m.MessageId), ReceiptHandle: aws.ToString(m.ReceiptHandle), Body: aws.ToString(m.Body)}
	// Both are for the reader of the list; what cannot be read is left out.
	letter.ReceiveCount, _ = strconv.Atoi(m.Attributes[string(types.MessageSystemAttributeNameApproximateReceiveCount)])
	if ms, err := strconv.ParseInt(m.Attributes[string(types.MessageSystemAttributeNameSentTimestamp)], 10, 64); err == nil {
		letter.SentAt = time.UnixMilli(ms).UTC()
	}
	return letter
}

// Delete removes a message for good.
func (q DeadLetterQueue) Delete(ctx context.Context, letter DeadLetter) error {
	_, err := q.Client.DeleteMessage(ctx, &sqs.DeleteMessageInput{QueueUrl: aws.String(q.URL), ReceiptHandle: aws.String(letter.ReceiptHandle)})
	if err != nil {
		return fmt.Errorf("delete dead letter %s: %w", letter.ID, err)
	}
	return nil
}

// Release lets everybody see a message again.
func (q DeadLetterQueue) Release(ctx context.Context, letter DeadLetter) error {
	_, err := q.Client.ChangeMessageVisibility(ctx, &sqs.ChangeMessageVisibilityInput{
		QueueUrl: aws.String(q.URL), ReceiptHandle: aws.String(letter.ReceiptHandle), VisibilityTimeout: 0,
	})
	if err != nil {
		return fmt.Errorf("release dead letter %s: %w", letter.ID, err)
	}
	return nil
}
