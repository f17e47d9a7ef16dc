package sqsqueue

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"

	"github.com/replyonce/replyonce/shared/worktask"
)

// DeadLetterClient is what of the SQS client is used to look at dead letters. It
// has no way to remove one.
type DeadLetterClient interface {
	GetQueueAttributes(ctx context.Context, in *sqs.GetQueueAttributesInput, opts ...func(*sqs.Options)) (*sqs.GetQueueAttributesOutput, error)
	ReceiveMessage(ctx context.Context, in *sqs.ReceiveMessageInput, opts ...func(*sqs.Options)) (*sqs.ReceiveMessageOutput, error)
	ChangeMessageVisibility(ctx context.Context, in *sqs.ChangeMessageVisibilityInput, opts ...func(*sqs.Options)) (*sqs.ChangeMessageVisibilityOutput, error)
}

// DeadLetters is a dead-letter queue that is only looked at.
type DeadLetters struct {
	client DeadLetterClient
	url    string
}

// NewDeadLetters is the dead-letter queue at url.
func NewDeadLetters(client DeadLetterClient, url string) *DeadLetters {
	return &DeadLetters{client, url}
}

const (
	// lookHold is how long letters are hidden from everybody else if whoever looks
	// dies before it lets them go.
	lookHold = 15 * time.Second
	// lookWait makes SQS ask all of its servers, so that a letter is not missed.
	lookWait = time.Second
	// maxReceive is how many messages SQS hands out at once.
	maxReceive = 10
)

// Look reads up to most letters and leaves them where they are: the tasks that
// they name, and how many name none. While it looks, a second or two, nobody else
// sees them. An empty queue costs one request.
//
// SQS has no reading without receiving, so each look adds to the letters' receive
// counts. A dead-letter queue has no limit of them, and nothing counts by them.
func (q *DeadLetters) Look(ctx context.Context, most int) (tasks []worktask.Ref, unreadable int, err error) {
	if empty, err := q.empty(ctx); err != nil || empty {
		return nil, 0, err
	}
	seen := map[string]bool{}
	var handles []*string
	defer func() { err = errors.Join(err, q.release(ctx, handles)) }()
	for len(seen) < most {
		letters, err := q.receive(ctx, most-len(seen))
		if err != nil {
			return tasks, unreadable, err
		}
		letters = slices.DeleteFunc(letters, func(m types.Message) bool { return seen[aws.ToString(m.MessageId)] })
		if len(letters) == 0 {
			return tasks, unreadable, nil
		}
		for _, letter := range letters {
			seen[aws.ToString(letter.MessageId)] = true
			handles = append(handles, letter.ReceiptHandle)
			if ref, err := Decode(aws.ToString(letter.Body)); err == nil {
				tasks = append(tasks, ref)
			} else {
				unreadable++
			}
		}
	}
	return tasks, unreadable, nil
}

// emptiness are the counts that are all zero when nothing is there. Letters that
// somebody holds may be free again at the next moment.
var emptiness = []types.QueueAttributeName{
	types.QueueAttributeNameApproximateNumberOfMessages, types.QueueAttributeNameApproximateNumberOfMessagesNotVisible,
}

// empty asks for SQS's own counts, which lag behind by some seconds: a letter that
// has just come is seen at the next look.
func (q *DeadLetters) empty(ctx context.Context) (bool, error) {
	out, err := q.client.GetQueueAttributes(ctx, &sqs.GetQueueAttributesInput{QueueUrl: aws.String(q.url), AttributeNames: emptiness})
	if err != nil {
		return false, fmt.Errorf("count dead letters: %w", err)
	}
	for _, name := range emptiness {
		if out.Attributes[string(name)] != "0" {
			return false, nil // or not known to be empty: the look itself decides
		}
	}
	return true, nil
}

func (q *DeadLetters) receive(ctx context.Context, most int) ([]types.Message, error) {
	out, err := q.client.ReceiveMessage(ctx, &sqs.ReceiveMessageInput{
		QueueUrl: aws.String(q.url), MaxNumberOfMessages: int32(min(max(most, 1), maxReceive)),
		VisibilityTimeout: Seconds(lookHold), WaitTimeSeconds: Seconds(lookWait),
	})
	if err != nil {
		return nil, fmt.Errorf("look at dead letters: %w", err)
	}
	return out.Messages, nil
}

// release lets everybody see the letters again. What fails comes back by itself
// after lookHold, and is told.
func (q *DeadLetters) release(ctx context.Context, handles []*string) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), lookHold)
	defer cancel()
	var failed []error
	for _, handle := range handles {
		_, err := q.client.ChangeMessageVisibility(ctx, &sqs.ChangeMessageVisibilityInput{
			QueueUrl: aws.String(q.url), ReceiptHandle: handle, VisibilityTimeout: 0,
		})
		if err != nil {
			failed = append(failed, fmt.Errorf("release a dead letter: %w", err))
		}
	}
	return errors.Join(failed...)
}
