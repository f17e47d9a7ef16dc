package onemachine

import (
	"context"
	"errors"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"

	"github.com/replyonce/replyonce/shared/history"
	"github.com/replyonce/replyonce/shared/sqsqueue"
	"github.com/replyonce/replyonce/shared/worktask"
)

func scopeOf(m types.Message) string {
	ref, err := sqsqueue.Decode(aws.ToString(m.Body))
	if err != nil {
		return ""
	}
	return ref.Scope
}

// HoldDeliveries implements drills.World.
func (w *World) HoldDeliveries(scope string) (release func()) {
	gate := make(chan struct{})
	w.mu.Lock()
	defer w.mu.Unlock()
	w.held[scope] = gate
	return func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		if w.held[scope] == gate {
			delete(w.held, scope)
			close(gate)
		}
	}
}

// hold is the event source's hook: it waits while a message of the batch is held
// back.
func (w *World) hold(ctx context.Context, batch []types.Message) {
	if w.options.Hold != nil {
		w.options.Hold(ctx, batch)
	}
	for _, m := range batch {
		w.mu.Lock()
		gate := w.held[scopeOf(m)]
		w.mu.Unlock()
		if gate == nil {
			continue
		}
		select {
		case <-gate:
		case <-ctx.Done():
		}
	}
}

// DeliverTwice implements drills.World.
func (w *World) DeliverTwice(scope string) (stop func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.twice[scope] = true
	return func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		delete(w.twice, scope)
	}
}

// copies is the event source's hook: how often a message is delivered.
func (w *World) copies(m types.Message) int {
	n := 1
	if w.options.Copies != nil {
		n = w.options.Copies(m)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.twice[scopeOf(m)] {
		n = max(n, 2)
	}
	return n
}

// Put implements drills.World.
func (w *World) Put(ctx context.Context, body string) error {
	return w.put(ctx, w.stack.QueueURL(), body)
}

func (w *World) put(ctx context.Context, queue, body string) error {
	if _, err := w.queues.SendMessage(ctx, &sqs.SendMessageInput{QueueUrl: aws.String(queue), MessageBody: aws.String(body)}); err != nil {
		return fmt.Errorf("put a message into the queue: %w", err)
	}
	return nil
}

// Redrive implements drills.World.
func (w *World) Redrive(ctx context.Context, ref worktask.Ref) error {
	body, err := sqsqueue.Encode(ref)
	if err != nil {
		return err //nolint:wrapcheck // says what it is
	}
	dead := w.stack.DeadLetterQueueURL()
	if err := w.put(ctx, dead, body); err != nil {
		return err
	}
	got, err := w.queues.ReceiveMessage(ctx, &sqs.ReceiveMessageInput{QueueUrl: aws.String(dead), MaxNumberOfMessages: 1, WaitTimeSeconds: 1})
	if err != nil {
		return fmt.Errorf("receive from the dead-letter queue: %w", err)
	}
	if len(got.Messages) == 0 {
		return errors.New("the dead-letter queue gives its message to nobody")
	}
	m := got.Messages[0]
	tell := func(kind history.Kind) {
		w.current().Record(history.Event{Actor: "queue", Kind: kind, Task: history.RefOf(ref), Message: &history.Message{ID: aws.ToString(m.MessageId)}})
	}
	tell(history.DeadLettered)
	if _, err := w.queues.DeleteMessage(ctx, &sqs.DeleteMessageInput{QueueUrl: aws.String(dead), ReceiptHandle: m.ReceiptHandle}); err != nil {
		return fmt.Errorf("delete from the dead-letter queue: %w", err)
	}
	tell(history.Redriven)
	return w.put(ctx, w.stack.QueueURL(), aws.ToString(m.Body))
}
