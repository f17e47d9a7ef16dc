package scenarios

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"

	"github.com/replyonce/replyonce/infra/bench/units"
	"github.com/replyonce/replyonce/shared/conversation"
	"github.com/replyonce/replyonce/shared/worktask"
)

// deliver does what the event source does with one message: it receives, has
// the worker handle it, and deletes what is done.
func (w *world) deliver(ctx context.Context) error {
	out, err := w.queue.ReceiveMessage(units.In(ctx, stepReceive), &sqs.ReceiveMessageInput{
		QueueUrl:                    aws.String(w.queueURL),
		MessageSystemAttributeNames: []types.MessageSystemAttributeName{types.MessageSystemAttributeNameAll},
	})
	if err != nil {
		return fmt.Errorf("receive: %w", err)
	}
	if len(out.Messages) == 0 {
		return errors.New("there is no message to deliver")
	}
	w.died = false
	answer, err := w.product.Worker.Handle(units.In(ctx, stepWork), eventOf(out.Messages))
	if err != nil {
		return fmt.Errorf("handle: %w", err)
	}
	if w.died {
		w.inHand = out.Messages
		return nil
	}
	failed := map[string]bool{}
	for _, f := range answer.BatchItemFailures {
		failed[f.ItemIdentifier] = true
	}
	return w.remove(ctx, out.Messages, failed)
}

func eventOf(messages []types.Message) events.SQSEvent {
	var event events.SQSEvent
	for _, m := range messages {
		event.Records = append(event.Records, events.SQSMessage{
			MessageId: aws.ToString(m.MessageId), ReceiptHandle: aws.ToString(m.ReceiptHandle),
			Body: aws.ToString(m.Body), Attributes: m.Attributes,
		})
	}
	return event
}

func (w *world) remove(ctx context.Context, messages []types.Message, failed map[string]bool) error {
	var done []types.DeleteMessageBatchRequestEntry
	for i, m := range messages {
		if !failed[aws.ToString(m.MessageId)] {
			done = append(done, types.DeleteMessageBatchRequestEntry{Id: aws.String(strconv.Itoa(i)), ReceiptHandle: m.ReceiptHandle})
		}
	}
	if len(done) == 0 {
		return nil
	}
	_, err := w.queue.DeleteMessageBatch(units.In(ctx, stepDelete), &sqs.DeleteMessageBatchInput{
		QueueUrl: aws.String(w.queueURL), Entries: done,
	})
	if err != nil {
		return fmt.Errorf("delete: %w", err)
	}
	return nil
}

// dies ends the worker where it is called.
func (w *world) dies() {
	w.died = true
	die()
}

// leaseEnds lets the lease of a dead worker run out, and with it the time for
// which its messages are hidden. The emulator's queue counts real seconds, so
// they are shown again by hand, which is not counted.
func (w *world) leaseEnds(ctx context.Context) error {
	w.clock.advance(w.product.Timers.Lease + w.product.Timers.SkewMargin)
	for _, m := range w.inHand {
		_, err := w.unseen.ChangeMessageVisibility(ctx, &sqs.ChangeMessageVisibilityInput{
			QueueUrl: aws.String(w.queueURL), ReceiptHandle: m.ReceiptHandle, VisibilityTimeout: 0,
		})
		if err != nil {
			return fmt.Errorf("show a message again: %w", err)
		}
	}
	w.inHand = nil
	return nil
}

// loseMessage takes the message away, as if it had never been sent.
func (w *world) loseMessage(ctx context.Context) error {
	out, err := w.unseen.ReceiveMessage(ctx, &sqs.ReceiveMessageInput{QueueUrl: aws.String(w.queueURL)})
	if err != nil || len(out.Messages) != 1 {
		return errors.Join(errors.New("lose the message"), err)
	}
	_, err = w.unseen.DeleteMessage(ctx, &sqs.DeleteMessageInput{QueueUrl: aws.String(w.queueURL), ReceiptHandle: out.Messages[0].ReceiptHandle})
	if err != nil {
		return fmt.Errorf("lose the message: %w", err)
	}
	return nil
}

// dispatch lets the grace of the handoff pass and sweeps.
func (w *world) dispatch(ctx context.Context) error {
	w.clock.advance(w.product.Timers.HandoffGrace)
	sweep := w.product.Dispatcher.Dispatch(units.In(ctx, stepDispatch))
	if !sweep.Complete || sweep.Failed > 0 {
		return fmt.Errorf("sweep %+v is not whole", sweep)
	}
	return nil
}

// stored is the task of the latest send as the table has it; not counted.
func (w *world) stored(ctx context.Context) (worktask.Task, error) {
	t, err := w.store.Get(ctx, conversation.TaskRef(w.caller.Workspace, w.conversation, w.task.ID))
	if err != nil {
		return worktask.Task{}, fmt.Errorf("read the task that was made: %w", err)
	}
	return t, nil
}
