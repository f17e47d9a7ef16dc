package scenarios

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"

	"github.com/replyonce/replyonce/infra/bench/product"
	"github.com/replyonce/replyonce/infra/bench/units"
	"github.com/replyonce/replyonce/shared/conversation"
	"github.com/replyonce/replyonce/shared/document"
	"github.com/replyonce/replyonce/shared/dynamoschema"
	"github.com/replyonce/replyonce/shared/dynamostore"
	"github.com/replyonce/replyonce/shared/idempotency"
	"github.com/replyonce/replyonce/shared/identity"
	"github.com/replyonce/replyonce/shared/taskflow"
	"github.com/replyonce/replyonce/shared/worktask"
)

// The sizes that the bounds are stated for: ids are ULIDs of 26 characters,
// callers, keys and request ids are UUIDs of 36.
const (
	workspace     = "01K3Z8QJ4T5V6W7X8Y9ZABCDEF"
	callerID      = "9b2f7c1e-5d38-4f6a-8e21-c7a4d9035b6f"
	requestID     = "c0a8f3d2-7e41-4b95-a6d8-13579bdf2468"
	questionBytes = 200
	// documentBytes is for the prompt's reads, which grow with the document.
	documentBytes = 20 << 10
)

// world is the product on a table and a queue of its own, and the event source
// in front of its worker.
type world struct {
	product  product.Product
	provider *provider
	recorder *units.Recorder
	clock    *clock
	queue    *sqs.Client // counted, as the event source's is
	store    *dynamostore.Store
	unseen   *sqs.Client // not counted, as store is not
	queueURL string

	caller       identity.Caller
	conversation string
	document     string
	keys         int
	task         conversation.TaskView // that the latest send made, as accepted

	died    bool            // the worker, in the latest delivery
	inHand  []types.Message // of the worker that died
	counted []units.Request
	calls   int64 // of the provider, meanwhile
}

// newWorld makes table and queue under the name, a document and a conversation
// about it. None of that is counted.
func newWorld(ctx context.Context, cfg aws.Config, name string, policy worktask.UnknownPolicy) (*world, error) {
	unseen := dynamodb.NewFromConfig(cfg)
	if _, err := unseen.CreateTable(ctx, dynamostore.TableInput(name)); err != nil {
		return nil, fmt.Errorf("create table %s: %w", name, err)
	}
	w := &world{
		provider: &provider{}, clock: &clock{}, unseen: sqs.NewFromConfig(cfg), store: dynamostore.New(unseen, name, dynamostore.Options{}),
		recorder: units.NewRecorder(unseen, dynamoschema.Definition().Indexes),
		caller:   identity.Caller{ID: callerID, Workspace: workspace},
	}
	created, err := w.unseen.CreateQueue(ctx, &sqs.CreateQueueInput{QueueName: aws.String(name)})
	if err != nil {
		return nil, fmt.Errorf("create queue %s: %w", name, err)
	}
	w.queueURL = aws.ToString(created.QueueUrl)
	w.queue = sqs.NewFromConfig(cfg, w.recorder.WatchSQS)
	w.product = product.New(product.Options{
		DynamoDB: dynamodb.NewFromConfig(cfg, w.recorder.WatchDynamoDB), SQS: w.queue, Table: name, QueueURL: w.queueURL,
		Provider: w.provider, OnUnknown: policy, Now: w.clock.now, Monotonic: w.clock.monotonic,
		Tasks: func(t taskflow.Tasks) taskflow.Tasks { return namedTasks{t} },
		Kind:  func(k taskflow.Kind) taskflow.Kind { return namedKind{k} },
	})
	if err := w.furnish(ctx); err != nil {
		return nil, err
	}
	return w, nil
}

func (w *world) furnish(ctx context.Context) error {
	text := strings.Repeat("The council decides by a majority of the votes cast. ", documentBytes)[:documentBytes]
	d, err := w.product.Documents.Create(ctx, w.caller, w.nextKey(), document.CreateInput{Title: "Constitution of the example", Text: text})
	if err != nil {
		return fmt.Errorf("create document: %w", err)
	}
	w.document = d.ID
	c, err := w.product.Conversations.Create(ctx, w.caller, w.nextKey(), conversation.CreateInput{Document: d.ID})
	if err != nil {
		return fmt.Errorf("create conversation: %w", err)
	}
	w.conversation = c.ID
	return nil
}

func (w *world) nextKey() idempotency.Key {
	w.keys++
	return w.key()
}

// key is the latest one, of 36 characters.
func (w *world) key() idempotency.Key {
	return idempotency.Key(fmt.Sprintf("3f2b8c1e-64a7-4d09-b5e8-%012d", w.keys))
}

// count runs f and keeps the requests that are made meanwhile.
func (w *world) count(f func() error) error {
	w.recorder.Reset()
	before := w.provider.calls.Load()
	err := f()
	w.counted, w.calls = w.recorder.Requests(), w.provider.calls.Load()-before
	return err
}

// send submits the question under a new key.
func (w *world) send(ctx context.Context, history ...string) error {
	w.nextKey()
	accepted, err := w.submit(ctx, history...)
	if err != nil {
		return err
	}
	if accepted.Outcome.Replayed {
		return errors.New("a first send was taken for a repeat")
	}
	w.task = accepted.Task
	return nil
}

// repeat submits the question again under its key.
func (w *world) repeat(ctx context.Context) error {
	accepted, err := w.submit(ctx)
	if err != nil {
		return err
	}
	if !accepted.Outcome.Replayed || accepted.Task.ID != w.task.ID {
		return fmt.Errorf("a repeat brought task %s, want a replay of %s", accepted.Task.ID, w.task.ID)
	}
	return nil
}

func (w *world) submit(ctx context.Context, history ...string) (conversation.Accepted, error) {
	question := strings.Repeat("Who decides about this? ", questionBytes)[:questionBytes]
	accepted, err := w.product.Conversations.Submit(units.In(ctx, stepSubmit), w.caller, w.key(), conversation.SubmitInput{
		Conversation: w.conversation, Text: question, Document: w.document, Version: 1, History: history, GatewayRequestID: requestID,
	})
	if err != nil {
		return conversation.Accepted{}, fmt.Errorf("submit: %w", err)
	}
	return accepted, nil
}

// regenerate asks for another reply to the message of the latest task.
func (w *world) regenerate(ctx context.Context) error {
	accepted, err := w.product.Conversations.Regenerate(units.In(ctx, stepRegenerate), w.caller, w.nextKey(), conversation.RegenerateInput{
		Conversation: w.conversation, Message: w.task.Message, GatewayRequestID: requestID,
	})
	if err != nil {
		return fmt.Errorf("regenerate: %w", err)
	}
	w.task = accepted.Task
	return nil
}

func (w *world) cancel(ctx context.Context) error {
	if _, err := w.product.Conversations.Cancel(units.In(ctx, stepCancel), w.caller, w.conversation, w.task.ID); err != nil {
		return fmt.Errorf("cancel: %w", err)
	}
	return nil
}
