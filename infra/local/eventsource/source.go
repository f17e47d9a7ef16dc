// Package eventsource feeds a queue's messages to a function as a Lambda event source mapping with
// ReportBatchItemFailures does.
//
// It receives only when a process of the function is free for the batch, as many batches at a time as the
// maximum concurrency says: a message waits in the queue, where it costs no receive, and not in hand.
// Messages that the function has finished are deleted. All others stay as they are and come back when
// their visibility timeout is over, which the function may have changed; so do the messages of a batch
// whose invocation failed.
package eventsource

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"

	"github.com/replyonce/replyonce/infra/local/lambdaruntime"
)

const (
	// pause follows a receive that failed.
	pause = 200 * time.Millisecond
	// deleteLimit bounds one deletion of finished messages.
	deleteLimit = 10 * time.Second
)

// Queue is what of the SQS client is used.
type Queue interface {
	ReceiveMessage(context.Context, *sqs.ReceiveMessageInput, ...func(*sqs.Options)) (*sqs.ReceiveMessageOutput, error)
	DeleteMessageBatch(context.Context, *sqs.DeleteMessageBatchInput, ...func(*sqs.Options)) (*sqs.DeleteMessageBatchOutput, error)
}

// Invoker is the function.
type Invoker interface {
	Invoke(context.Context, lambdaruntime.Request) (lambdaruntime.Result, error)
}

// Config describes a mapping.
type Config struct {
	Queue       Queue
	QueueURL    string
	QueueARN    string
	Region      string
	Function    Invoker
	BatchSize   int // 1 to 10; 0 is 1
	Concurrency int // batches at a time, at least 1
	Wait        int // long poll in whole seconds, 1 to 20; 0 is 1

	// Copies, if not nil, says how often a message is delivered at the same time: 2 is a double delivery,
	// as a standard queue may make. Less than 1 counts as 1.
	Copies func(types.Message) int
	// Hold, if not nil, is called with each batch before it is invoked and may wait: a slow delivery.
	Hold func(context.Context, []types.Message)
	// Failed, if not nil, gets what went wrong: a failed receive, invocation or deletion.
	Failed func(error)
}

// Source is a mapping at work.
type Source struct {
	config Config
	cancel context.CancelFunc
	done   sync.WaitGroup
}

// Start begins to poll.
func Start(config Config) *Source {
	config.Wait = max(config.Wait, 1)
	config.BatchSize = max(config.BatchSize, 1)
	ctx, cancel := context.WithCancel(context.Background())
	s := &Source{config: config, cancel: cancel}
	for range max(1, config.Concurrency) {
		s.done.Go(func() { s.poll(ctx) })
	}
	return s
}

// Close stops polling. A batch in hand is given up: its messages come back by their visibility timeout.
func (s *Source) Close() {
	s.cancel()
	s.done.Wait()
}

// poll is one of the pollers; each has at most one batch in hand.
func (s *Source) poll(ctx context.Context) {
	for ctx.Err() == nil {
		messages, err := s.receive(ctx)
		if err != nil {
			if ctx.Err() == nil {
				s.fail(err)
				sleep(ctx, pause)
			}
			continue
		}
		if len(messages) > 0 {
			s.deliver(ctx, messages)
		}
	}
}

func (s *Source) receive(ctx context.Context) ([]types.Message, error) {
	out, err := s.config.Queue.ReceiveMessage(ctx, &sqs.ReceiveMessageInput{
		QueueUrl:                    aws.String(s.config.QueueURL),
		MaxNumberOfMessages:         int32(s.config.BatchSize), //nolint:gosec // 1 to 10
		WaitTimeSeconds:             int32(s.config.Wait),      //nolint:gosec // 1 to 20
		MessageSystemAttributeNames: []types.MessageSystemAttributeName{types.MessageSystemAttributeNameAll},
		MessageAttributeNames:       []string{"All"},
	})
	if err != nil {
		return nil, fmt.Errorf("receive messages: %w", err)
	}
	return out.Messages, nil
}

// deliver invokes the function with a batch, and again at the same time with the messages that are to
// arrive more than once.
func (s *Source) deliver(ctx context.Context, messages []types.Message) {
	if s.config.Hold != nil {
		s.config.Hold(ctx, messages)
	}
	var deliveries sync.WaitGroup
	if s.config.Copies != nil {
		for _, m := range messages {
			for range s.config.Copies(m) - 1 {
				deliveries.Go(func() { s.invoke(ctx, []types.Message{m}) })
			}
		}
	}
	s.invoke(ctx, messages)
	deliveries.Wait()
}

func (s *Source) invoke(ctx context.Context, messages []types.Message) {
	payload, err := json.Marshal(newEvent(messages, s.config.QueueARN, s.config.Region))
	if err != nil {
		s.fail(fmt.Errorf("write event: %w", err))
		return
	}
	result, err := s.config.Function.Invoke(ctx, lambdaruntime.Request{Payload: payload})
	if err != nil {
		if !errors.Is(err, context.Canceled) {
			s.fail(fmt.Errorf("deliver %d messages: %w", len(messages), err))
		}
		return
	}
	batch := make(map[string]bool, len(messages))
	for _, m := range messages {
		batch[aws.ToString(m.MessageId)] = true
	}
	failed, err := failedIDs(result.Payload, batch)
	if err != nil {
		s.fail(fmt.Errorf("deliver %d messages: %w", len(messages), err))
		return
	}
	// What is finished is deleted even when the source is being closed.
	s.remove(context.WithoutCancel(ctx), messages, failed)
}

// remove deletes what has not failed. A deletion that fails is reported and not repeated: the message
// comes back, and the function then finds its work done.
func (s *Source) remove(ctx context.Context, messages []types.Message, failed map[string]bool) {
	var entries []types.DeleteMessageBatchRequestEntry
	for i, m := range messages {
		if !failed[aws.ToString(m.MessageId)] {
			entries = append(entries, types.DeleteMessageBatchRequestEntry{
				Id: aws.String(strconv.Itoa(i)), ReceiptHandle: m.ReceiptHandle,
			})
		}
	}
	if len(entries) == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, deleteLimit)
	defer cancel()
	out, err := s.config.Queue.DeleteMessageBatch(ctx, &sqs.DeleteMessageBatchInput{
		QueueUrl: aws.String(s.config.QueueURL), Entries: entries,
	})
	if err != nil {
		s.fail(fmt.Errorf("delete %d messages: %w", len(entries), err))
		return
	}
	for _, refused := range out.Failed {
		s.fail(fmt.Errorf("delete message: %s: %s", aws.ToString(refused.Code), aws.ToString(refused.Message)))
	}
}

func (s *Source) fail(err error) {
	if s.config.Failed != nil {
		s.config.Failed(err)
	}
}

func sleep(ctx context.Context, d time.Duration) {
	select {
	case <-time.After(d):
	case <-ctx.Done():
	}
}
