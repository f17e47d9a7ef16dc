package operator_test

import (
	"context"
	"crypto/rand"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"

	"github.com/replyonce/replyonce/infra/bench/emulated"
	"github.com/replyonce/replyonce/infra/bench/product"
	"github.com/replyonce/replyonce/infra/operator"
	"github.com/replyonce/replyonce/shared/conversation"
	"github.com/replyonce/replyonce/shared/document"
	"github.com/replyonce/replyonce/shared/dynamostore"
	"github.com/replyonce/replyonce/shared/idempotency"
	"github.com/replyonce/replyonce/shared/identity"
	"github.com/replyonce/replyonce/shared/keyed"
	"github.com/replyonce/replyonce/shared/newid"
	"github.com/replyonce/replyonce/shared/reply"
	"github.com/replyonce/replyonce/shared/sqsqueue"
	"github.com/replyonce/replyonce/shared/taskflow"
	"github.com/replyonce/replyonce/shared/worktask"
)

// What people write; no report may have it unless it was asked for.
const (
	secretQuestion = "Does the plaintiff QUESTION-MARKER know?"
	secretReply    = "Yes, REPLY-MARKER says so."
)

// rig is the product on the emulator, with a table and queues of its own, a
// clock that the test moves and a provider that it scripts.
type rig struct {
	t       *testing.T
	product product.Product
	store   *dynamostore.Store
	sqs     *sqs.Client
	queue   *sqsqueue.Queue
	letters operator.DeadLetterQueue
	clock   *clock
	script  *script

	alice        identity.Caller
	conversation string
	document     string
	keys         int
}

type clock struct {
	mu sync.Mutex
	at time.Time
}

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

func (c *clock) advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(d)
}

// script is the reply kind of the rig: its calls end as the test says.
type script struct {
	mu    sync.Mutex
	next  func(ctx context.Context) worktask.Outcome
	calls int
}

func (s *script) then(next func(context.Context) worktask.Outcome) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.next = next
}

func (s *script) Prepare(context.Context, worktask.Task) (taskflow.Work, error) { return s, nil }

func (s *script) Call(ctx context.Context, _ func(context.Context, string) error) worktask.Outcome {
	s.mu.Lock()
	next := s.next
	s.calls++
	s.mu.Unlock()
	return next(ctx)
}

func (s *script) LookUp(context.Context, string) worktask.Outcome {
	return worktask.Outcome{Kind: worktask.OperationLost}
}

func answered() worktask.Outcome {
	return worktask.Outcome{
		Kind:   worktask.Answered,
		Result: worktask.Result{Body: reply.Result{Text: secretReply, Provider: "test", Model: "m-1"}.Encode()},
		Report: worktask.Report{Tokens: worktask.Tokens{Input: 11, Output: 7}, ProviderRequestID: "p-1"},
	}
}

func ends(o worktask.Outcome) func(context.Context) worktask.Outcome {
	return func(context.Context) worktask.Outcome { return o }
}

func declined() worktask.Outcome {
	return worktask.Outcome{Kind: worktask.Permanent, Reason: worktask.Declined}
}

func newRig(t *testing.T) *rig {
	t.Helper()
	cfg, name := emulated.Config(), emulated.Name(t.Name())
	db, queues := dynamodb.NewFromConfig(cfg), sqs.NewFromConfig(cfg)
	if _, err := db.CreateTable(t.Context(), dynamostore.TableInput(name)); err != nil {
		t.Fatal(err)
	}
	dead := createQueue(t, queues, name+"-dead", nil)
	main := createQueue(t, queues, name, map[string]string{
		"VisibilityTimeout": "30",
		"RedrivePolicy":     fmt.Sprintf(`{"deadLetterTargetArn":"arn:aws:sqs:us-east-1:000000000000:%s-dead","maxReceiveCount":2}`, name),
	})
	r := &rig{
		t: t, store: dynamostore.New(db, name, dynamostore.Options{}), sqs: queues, queue: sqsqueue.New(queues, main),
		letters: operator.DeadLetterQueue{Client: queues, URL: dead}, clock: &clock{at: time.Now()}, script: &script{next: ends(answered())},
		alice: identity.Caller{ID: "alice", Workspace: "acme"},
	}
	r.product = product.New(product.Options{
		DynamoDB: db, SQS: queues, Table: name, QueueURL: main, OnUnknown: worktask.RetryUnknown,
		Now: r.clock.now, Monotonic: func() time.Duration { return time.Duration(r.clock.now().UnixNano()) },
		Kind: func(taskflow.Kind) taskflow.Kind { return r.script },
	})
	r.furnish()
	return r
}

func createQueue(t *testing.T, client *sqs.Client, name string, attributes map[string]string) string {
	t.Helper()
	out, err := client.CreateQueue(t.Context(), &sqs.CreateQueueInput{QueueName: aws.String(name), Attributes: attributes})
	if err != nil {
		t.Fatal(err)
	}
	return aws.ToString(out.QueueUrl)
}

func (r *rig) furnish() {
	r.t.Helper()
	d, err := r.product.Documents.Create(r.t.Context(), r.alice, r.key(), document.CreateInput{Title: "Rules", Text: "The council decides."})
	if err != nil {
		r.t.Fatal(err)
	}
	c, err := r.product.Conversations.Create(r.t.Context(), r.alice, r.key(), conversation.CreateInput{Document: d.ID})
	if err != nil {
		r.t.Fatal(err)
	}
	r.document, r.conversation = d.ID, c.ID
}

func (r *rig) key() idempotency.Key {
	r.keys++
	return idempotency.Key(fmt.Sprintf("key-%d", r.keys))
}

// submit accepts a question and returns the task and its key.
func (r *rig) submit() (worktask.Ref, idempotency.Key) {
	r.t.Helper()
	key := r.key()
	accepted, err := r.product.Conversations.Submit(r.t.Context(), r.alice, key, conversation.SubmitInput{
		Conversation: r.conversation, Text: secretQuestion, Document: r.document, Version: 1, GatewayRequestID: "g-" + string(key),
	})
	if err != nil {
		r.t.Fatal(err)
	}
	return conversation.TaskRef("acme", r.conversation, accepted.Task.ID), key
}

// deliver lets a worker make one attempt.
func (r *rig) deliver(ref worktask.Ref) taskflow.Action {
	r.t.Helper()
	return r.product.Runner.Run(r.t.Context(), taskflow.Delivery{
		Ref: ref, ReceiveCount: 1, FunctionEnds: r.clock.now().Add(r.product.Timers.WorkerLimit), Hold: func(context.Context) {},
	})
}

// ended is a task that was submitted and has ended by the outcome.
func (r *rig) ended(o worktask.Outcome) (worktask.Ref, idempotency.Key) {
	r.t.Helper()
	ref, key := r.submit()
	r.script.then(ends(o))
	r.deliver(ref)
	if got := r.task(ref); !got.Status.Ended() {
		r.t.Fatalf("the task is %s", got.Status)
	}
	return ref, key
}

func (r *rig) task(ref worktask.Ref) worktask.Task {
	r.t.Helper()
	t, err := r.store.Get(r.t.Context(), ref)
	if err != nil {
		r.t.Fatal(err)
	}
	return t
}

func (r *rig) judge() operator.Judge {
	return operator.Judge{Margin: r.product.Timers.SkewMargin, StuckAfter: operator.DefaultStuckAfter(r.product.Timers)}
}

func (r *rig) shower() operator.Shower {
	return operator.Shower{
		Tasks: r.store, Messages: r.store, Evidence: r.store, Records: r.store, Objects: r.product.Runner.Objects,
		Judge: r.judge(), Now: r.clock.now,
	}
}

func (r *rig) retrier() operator.Retrier {
	timers := r.product.Timers
	return operator.Retrier{
		Tasks: r.store, Messages: r.store, Accepts: r.store, Queue: r.queue, Now: r.clock.now,
		NewID: newid.NewSource(r.clock.now, rand.Reader).Next,
		Creator: keyed.Creator{
			Records: r.store, Now: r.clock.now, Pause: func(context.Context, int) error { return nil },
			Windows: idempotency.Windows{Replay: timers.ReplayWindow, Purge: timers.PurgeAfter},
		},
	}
}

// send puts a body on a queue.
func (r *rig) send(url, body string) {
	r.t.Helper()
	if _, err := r.sqs.SendMessage(r.t.Context(), &sqs.SendMessageInput{QueueUrl: aws.String(url), MessageBody: aws.String(body)}); err != nil {
		r.t.Fatal(err)
	}
}

// visible takes every message that can be received now.
func (r *rig) visible(url string) []types.Message {
	r.t.Helper()
	var all []types.Message
	for {
		out, err := r.sqs.ReceiveMessage(r.t.Context(), &sqs.ReceiveMessageInput{QueueUrl: aws.String(url), MaxNumberOfMessages: 10, VisibilityTimeout: 600})
		if err != nil {
			r.t.Fatal(err)
		}
		if len(out.Messages) == 0 {
			return all
		}
		all = append(all, out.Messages...)
	}
}
