// Package workerhandler turns SQS batches into runs of the task flow and their
// actions into a partial batch response.
package workerhandler

import (
	"context"
	"fmt"
	"log/slog"
	"runtime/debug"
	"strconv"
	"sync"
	"time"

	"github.com/aws/aws-lambda-go/events"

	"github.com/replyonce/replyonce/shared/sqsqueue"
	"github.com/replyonce/replyonce/shared/taskflow"
	"github.com/replyonce/replyonce/shared/telemetry"
	"github.com/replyonce/replyonce/shared/worktask"
)

// refusedDelay is how soon a message that is not ours comes back. It reaches the
// dead-letter queue after as many deliveries as the queue allows, within
// minutes; at the queue's own visibility that would take hours.
const refusedDelay = 10 * time.Second

// Runner makes one attempt at a delivered task.
type Runner interface {
	Run(ctx context.Context, d taskflow.Delivery) taskflow.Action
}

// Visibility changes how long a received message stays hidden.
type Visibility interface {
	Hide(ctx context.Context, receiptHandle string, d time.Duration) error
}

// Handler handles batches.
type Handler struct {
	Runner     Runner
	Visibility Visibility
	Timers     worktask.Timers
	Now        func() time.Time // the same clock as the Runner's
	// Remaining is how long the runtime lets this invocation run on.
	Remaining func(ctx context.Context) time.Duration
	Log       *slog.Logger
}

// Handle works on the records of a batch in parallel. A record that cannot be
// handled is reported alone; the others are finished. The error is always nil:
// an error would bring the whole batch back.
func (h Handler) Handle(ctx context.Context, batch events.SQSEvent) (events.SQSEventResponse, error) {
	ends := h.Now().Add(h.Remaining(ctx))
	keeper := newKeeper(h.Visibility, h.Timers, h.Log)
	stop := keeper.start(ctx)
	failed := make([]bool, len(batch.Records))
	var records sync.WaitGroup
	for i, record := range batch.Records {
		records.Go(func() { failed[i] = !h.handle(ctx, record, ends, keeper) })
	}
	records.Wait()
	stop()
	response := events.SQSEventResponse{BatchItemFailures: []events.SQSBatchItemFailure{}}
	for i, record := range batch.Records {
		if failed[i] {
			response.BatchItemFailures = append(response.BatchItemFailures, events.SQSBatchItemFailure{ItemIdentifier: record.MessageId})
		}
	}
	return response, nil
}

// handle reports whether the message is done and may be deleted.
func (h Handler) handle(ctx context.Context, record events.SQSMessage, ends time.Time, keeper *keeper) (done bool) {
	log := h.Log.With(telemetry.KeyMessageID, record.MessageId)
	defer func() {
		if p := recover(); p != nil {
			// The value may quote what a person wrote; its type and the stack do not.
			log.Error("record panicked", telemetry.KeyError, fmt.Sprintf("panic of type %T", p), "stack", string(debug.Stack()))
			done = false
		}
	}()
	ref, err := sqsqueue.Decode(record.Body)
	if err != nil {
		log.Error("message refused, left to the dead-letter queue", telemetry.KeyError, err)
		h.hide(ctx, record, refusedDelay, log)
		return false
	}
	action := h.Runner.Run(ctx, taskflow.Delivery{
		Ref: ref, ReceiveCount: receiveCount(record), FunctionEnds: ends,
		Hold: func(ctx context.Context) { keeper.hold(ctx, record.ReceiptHandle) },
	})
	return h.settle(ctx, record, action, keeper, log)
}

// settle carries out the action on the message. Only a message that is to be
// deleted stays hidden until the handler returns.
func (h Handler) settle(ctx context.Context, record events.SQSMessage, action taskflow.Action, keeper *keeper, log *slog.Logger) bool {
	switch action.Kind {
	case taskflow.Delete:
		return true
	case taskflow.Wait:
		keeper.release(record.ReceiptHandle)
		h.hide(ctx, record, action.After, log)
		return false
	case taskflow.Back:
		keeper.release(record.ReceiptHandle)
		return false
	}
	return false
}

// hide sets when the message comes back; without it the due time on the task
// brings the task back.
func (h Handler) hide(ctx context.Context, record events.SQSMessage, after time.Duration, log *slog.Logger) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), hideLimit)
	defer cancel()
	if err := h.Visibility.Hide(ctx, record.ReceiptHandle, after); err != nil {
		log.Warn("message was not deferred", telemetry.KeyError, err)
	}
}

// receiveCount is for the choice of the first read only, never a budget.
func receiveCount(record events.SQSMessage) int {
	n, err := strconv.Atoi(record.Attributes["ApproximateReceiveCount"])
	if err != nil {
		return 1
	}
	return n
}
