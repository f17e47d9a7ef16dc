// Package product puts the product's use cases together in one process, wired
// as the functions' main packages wire them, so that the bench can run them step
// by step on any endpoint.
package product

import (
	"context"
	"crypto/rand"
	"log/slog"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/sqs"

	"github.com/replyonce/replyonce/shared/conversation"
	"github.com/replyonce/replyonce/shared/document"
	"github.com/replyonce/replyonce/shared/dynamostore"
	"github.com/replyonce/replyonce/shared/idempotency"
	"github.com/replyonce/replyonce/shared/keyed"
	"github.com/replyonce/replyonce/shared/llmprovider"
	"github.com/replyonce/replyonce/shared/memstore"
	"github.com/replyonce/replyonce/shared/newid"
	"github.com/replyonce/replyonce/shared/reply"
	"github.com/replyonce/replyonce/shared/replywork"
	"github.com/replyonce/replyonce/shared/sqsqueue"
	"github.com/replyonce/replyonce/shared/taskflow"
	"github.com/replyonce/replyonce/shared/telemetry"
	"github.com/replyonce/replyonce/shared/workerhandler"
	"github.com/replyonce/replyonce/shared/worktask"
)

// Options say where and on what the product runs.
type Options struct {
	DynamoDB  *dynamodb.Client
	SQS       *sqs.Client
	Table     string
	QueueURL  string
	Provider  llmprovider.Provider
	OnUnknown worktask.UnknownPolicy // of new tasks
	Now       func() time.Time
	Monotonic func() time.Duration

	// Tasks and Kind, when not nil, wrap the store of tasks and the reply kind.
	Tasks func(taskflow.Tasks) taskflow.Tasks
	Kind  func(taskflow.Kind) taskflow.Kind
}

// Product is the use cases of the three functions that work on tasks.
type Product struct {
	Documents     document.Service
	Conversations conversation.Service
	Runner        taskflow.Runner
	Worker        workerhandler.Handler
	Dispatcher    *taskflow.Dispatcher
	Timers        worktask.Timers
}

// New makes a product with the timers of a deployment. Replies are kept on
// their tasks: none in the bench is large enough for object storage, which is
// in memory here.
func New(o Options) Product {
	store := dynamostore.New(o.DynamoDB, o.Table, dynamostore.Options{})
	queue := sqsqueue.New(o.SQS, o.QueueURL)
	objects := memstore.New(memstore.Options{})
	timers := worktask.DefaultTimers()
	log := slog.New(slog.DiscardHandler)
	ids := newid.NewSource(o.Now, rand.Reader)

	var tasks taskflow.Tasks = store
	if o.Tasks != nil {
		tasks = o.Tasks(tasks)
	}
	var kind taskflow.Kind = replywork.Kind{Conversations: store, Documents: store, Entries: store, Objects: objects, Provider: o.Provider}
	if o.Kind != nil {
		kind = o.Kind(kind)
	}
	writer := taskflow.Writer{Tasks: tasks, Now: o.Now, Pause: pause}
	creator := keyed.Creator{
		Records: store, Now: o.Now, Pause: pause,
		Windows: idempotency.Windows{Replay: timers.ReplayWindow, Purge: timers.PurgeAfter},
	}
	runner := taskflow.Runner{
		Writer: writer, Kinds: map[string]taskflow.Kind{reply.Kind: kind}, Evidence: store, Objects: objects, Timers: timers,
		NewID: ids.Next, Jitter: half, Now: o.Now, Monotonic: o.Monotonic, Log: log, Metrics: telemetry.NoMetrics{},
	}
	return Product{
		Documents: document.Service{Store: store, Creator: creator, NewID: ids.Next, Now: o.Now},
		Conversations: conversation.Service{
			Store: store, Documents: store, Writer: writer, Evidence: store, Objects: objects, Queue: queue, Creator: creator,
			NewID: ids.Next, Now: o.Now, Timers: timers, OnUnknown: o.OnUnknown, Log: log, Metrics: telemetry.NoMetrics{},
		},
		Runner: runner,
		Worker: workerhandler.Handler{
			Runner: runner, Visibility: queue, Timers: timers, Now: o.Now, Log: log,
			Remaining: func(context.Context) time.Duration { return timers.WorkerLimit },
		},
		Dispatcher: &taskflow.Dispatcher{
			Writer: writer, Handoffs: store, Queue: queue, Timers: timers, Now: o.Now, Jitter: half,
			Log: log, Metrics: telemetry.NoMetrics{}, PageSize: 100,
		},
		Timers: timers,
	}
}

// half stands for jitter: the bench has nobody to collide with.
func half() float64 { return 0.5 }

// pause is short because the endpoint is on this machine.
func pause(ctx context.Context, try int) error {
	timer := time.NewTimer(time.Duration(try) * 10 * time.Millisecond)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
