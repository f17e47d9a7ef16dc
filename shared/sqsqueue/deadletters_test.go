package sqsqueue_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"

	"github.com/replyonce/replyonce/shared/sqsqueue"
	"github.com/replyonce/replyonce/shared/worktask"
)

// letterBox is a dead-letter queue: what is received is hidden until it is
// released, and nothing can be removed.
type letterBox struct {
	letters  []types.Message
	hidden   map[string]bool
	receives int
	failAt   int // which receive fails; 0: none
	err      error
}

func newLetterBox(bodies ...string) *letterBox {
	b := &letterBox{hidden: map[string]bool{}}
	for i, body := range bodies {
		id := strconv.Itoa(i)
		b.letters = append(b.letters, types.Message{MessageId: aws.String(id), ReceiptHandle: aws.String("handle of " + id), Body: aws.String(body)})
	}
	return b
}

func (b *letterBox) GetQueueAttributes(context.Context, *sqs.GetQueueAttributesInput, ...func(*sqs.Options)) (*sqs.GetQueueAttributesOutput, error) {
	return &sqs.GetQueueAttributesOutput{Attributes: map[string]string{
		"ApproximateNumberOfMessages":           strconv.Itoa(len(b.letters) - len(b.hidden)),
		"ApproximateNumberOfMessagesNotVisible": strconv.Itoa(len(b.hidden)),
	}}, b.err
}

func (b *letterBox) ReceiveMessage(_ context.Context, in *sqs.ReceiveMessageInput, _ ...func(*sqs.Options)) (*sqs.ReceiveMessageOutput, error) {
	b.receives++
	if b.receives == b.failAt {
		return nil, errors.New("queue is down")
	}
	out := &sqs.ReceiveMessageOutput{}
	for _, m := range b.letters {
		if !b.hidden[*m.ReceiptHandle] && len(out.Messages) < int(in.MaxNumberOfMessages) && in.VisibilityTimeout > 0 {
			b.hidden[*m.ReceiptHandle] = true
			out.Messages = append(out.Messages, m)
		}
	}
	return out, nil
}

func (b *letterBox) ChangeMessageVisibility(ctx context.Context, in *sqs.ChangeMessageVisibilityInput, _ ...func(*sqs.Options)) (*sqs.ChangeMessageVisibilityOutput, error) {
	if in.VisibilityTimeout != 0 || !b.hidden[*in.ReceiptHandle] || ctx.Err() != nil {
		return nil, fmt.Errorf("release %+v: %w", in, context.Cause(ctx))
	}
	delete(b.hidden, *in.ReceiptHandle)
	return &sqs.ChangeMessageVisibilityOutput{}, nil
}

func letterFor(t *testing.T, i int) (worktask.Ref, string) {
	t.Helper()
	named := worktask.Ref{Workspace: "acme", Scope: ref.Scope, ID: fmt.Sprintf("01JDYYYYYYYYYYYYYYYYYYYY%02d", i)}
	body, err := sqsqueue.Encode(named)
	if err != nil {
		t.Fatal(err)
	}
	return named, body
}

func TestLookLeavesLettersWhereTheyAre(t *testing.T) {
	t.Parallel()
	var bodies []string
	var wanted []worktask.Ref
	for i := range 23 {
		named, body := letterFor(t, i)
		wanted, bodies = append(wanted, named), append(bodies, body)
	}
	box := newLetterBox(append(bodies, "garbage", `{"schema":2}`)...)
	for range 2 {
		tasks, unreadable, err := sqsqueue.NewDeadLetters(box, "https://dead").Look(t.Context(), 100)
		if err != nil || unreadable != 2 || !slices.Equal(tasks, wanted) {
			t.Errorf("Look: %d tasks, %d unreadable, %v", len(tasks), unreadable, err)
		}
		if len(box.hidden) != 0 {
			t.Errorf("%d letters are still hidden", len(box.hidden))
		}
	}
}

func TestLookIsBounded(t *testing.T) {
	t.Parallel()
	var bodies []string
	for i := range 40 {
		_, body := letterFor(t, i)
		bodies = append(bodies, body)
	}
	box := newLetterBox(bodies...)
	tasks, _, err := sqsqueue.NewDeadLetters(box, "https://dead").Look(t.Context(), 25)
	if err != nil || len(tasks) != 25 || box.receives != 3 || len(box.hidden) != 0 {
		t.Errorf("Look: %d tasks with %d requests, %d hidden, %v", len(tasks), box.receives, len(box.hidden), err)
	}
}

func TestLookAtAnEmptyQueueReceivesNothing(t *testing.T) {
	t.Parallel()
	box := newLetterBox()
	tasks, unreadable, err := sqsqueue.NewDeadLetters(box, "https://dead").Look(t.Context(), 25)
	if err != nil || len(tasks)+unreadable+box.receives != 0 {
		t.Errorf("Look: %v, %d, %v after %d requests", tasks, unreadable, err, box.receives)
	}
}

// A look that fails half-way lets go of what it holds.
func TestLookThatFailsReleases(t *testing.T) {
	t.Parallel()
	var bodies []string
	for i := range 15 {
		_, body := letterFor(t, i)
		bodies = append(bodies, body)
	}
	box := newLetterBox(bodies...)
	box.failAt = 2
	ctx, cancel := context.WithCancel(t.Context())
	cancel() // even when its time is over
	if _, _, err := sqsqueue.NewDeadLetters(box, "https://dead").Look(ctx, 100); err == nil || len(box.hidden) != 0 {
		t.Errorf("Look: %v, %d letters hidden", err, len(box.hidden))
	}
	box.err = errors.New("queue is down")
	if _, _, err := sqsqueue.NewDeadLetters(box, "https://dead").Look(t.Context(), 100); !errors.Is(err, box.err) {
		t.Errorf("Look: %v", err)
	}
}
