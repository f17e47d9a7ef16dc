package rates

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/sqs"

	"github.com/replyonce/replyonce/infra/bench/product"
	"github.com/replyonce/replyonce/shared/conversation"
	"github.com/replyonce/replyonce/shared/document"
	"github.com/replyonce/replyonce/shared/idempotency"
	"github.com/replyonce/replyonce/shared/identity"
	"github.com/replyonce/replyonce/shared/llmprovider/builtin"
	"github.com/replyonce/replyonce/shared/newid"
	"github.com/replyonce/replyonce/shared/taskflow"
	"github.com/replyonce/replyonce/shared/worktask"
)

// subject is the product in a conversation, beside bare clients that can send
// what it sends.
type subject struct {
	product product.Product
	capture *capture
	db      *dynamodb.Client
	queue   *sqs.Client
	ids     *newid.Source

	caller       identity.Caller
	conversation string
	document     string
}

// newSubject makes a conversation about a document of one sentence. kind, when
// not nil, takes the place of the reply kind with the built-in provider.
func newSubject(ctx context.Context, cfg aws.Config, table, queueURL string, kind taskflow.Kind) (*subject, error) {
	s := &subject{
		capture: &capture{}, db: dynamodb.NewFromConfig(cfg), queue: sqs.NewFromConfig(cfg),
		ids:    newid.NewSource(time.Now, rand.Reader),
		caller: identity.Caller{ID: "9b2f7c1e-5d38-4f6a-8e21-c7a4d9035b6f", Workspace: "01K3Z8QJ4T5V6W7X8Y9ZABCDEF"},
	}
	begun := time.Now()
	s.product = product.New(product.Options{
		DynamoDB: dynamodb.NewFromConfig(cfg, s.capture.dynamoDB), SQS: sqs.NewFromConfig(cfg, s.capture.sqs),
		Table: table, QueueURL: queueURL, Provider: builtin.New(), OnUnknown: worktask.RetryUnknown,
		Now: time.Now, Monotonic: func() time.Duration { return time.Since(begun) },
		Kind: func(own taskflow.Kind) taskflow.Kind {
			if kind != nil {
				return kind
			}
			return own
		},
	})
	d, err := s.product.Documents.Create(ctx, s.caller, s.newKey(), document.CreateInput{
		Title: "A document", Text: "The council decides by a majority of the votes cast.",
	})
	if err != nil {
		return nil, fmt.Errorf("create document: %w", err)
	}
	c, err := s.product.Conversations.Create(ctx, s.caller, s.newKey(), conversation.CreateInput{Document: d.ID})
	if err != nil {
		return nil, fmt.Errorf("create conversation: %w", err)
	}
	s.document, s.conversation = d.ID, c.ID
	return s, nil
}

// idsOf are the ids that differ from one send to the next.
type idsOf struct {
	key           idempotency.Key
	message, task string
}

// newKey is as long as a UUID.
func (s *subject) newKey() idempotency.Key { return idempotency.Key("3f2b8c1e-6" + s.ids.Next()) }

// newIDs are for bare requests.
func (s *subject) newIDs() idsOf {
	return idsOf{key: s.newKey(), message: s.ids.Next(), task: s.ids.Next()}
}

func (s *subject) submit(ctx context.Context) (idsOf, error) {
	key := s.newKey()
	accepted, err := s.product.Conversations.Submit(ctx, s.caller, key, conversation.SubmitInput{
		Conversation: s.conversation, Text: strings.Repeat("Who decides about this? ", 200)[:200], Document: s.document, Version: 1,
		GatewayRequestID: "c0a8f3d2-7e41-4b95-a6d8-13579bdf2468",
	})
	if err != nil {
		return idsOf{}, fmt.Errorf("submit: %w", err)
	}
	return idsOf{key: key, message: accepted.Task.Message, task: accepted.Task.ID}, nil
}

// work runs the task as a worker does, without the message.
func (s *subject) work(ctx context.Context, task string) error {
	action := s.product.Runner.Run(ctx, taskflow.Delivery{
		Ref: conversation.TaskRef(s.caller.Workspace, s.conversation, task), ReceiveCount: 1,
		FunctionEnds: time.Now().Add(s.product.Timers.WorkerLimit), Hold: func(context.Context) {},
	})
	if action.Kind != taskflow.Delete {
		return fmt.Errorf("run task %s: the message is to %s", task, action.Kind)
	}
	return nil
}

// lesson is the requests of one submit and of one run, and the ids in them.
type lesson struct {
	submit, work []any
	ids          idsOf
}

// learn submits a question, works on it, and captures the requests of both.
func (s *subject) learn(ctx context.Context) (lesson, error) {
	var l lesson
	var err error
	l.submit, err = s.capture.during(func() (err error) {
		l.ids, err = s.submit(ctx)
		return err
	})
	if err != nil {
		return lesson{}, err
	}
	l.work, err = s.capture.during(func() error { return s.work(ctx, l.ids.task) })
	if len(l.submit) == 0 || len(l.work) == 0 {
		err = errors.Join(err, errors.New("no requests were captured"))
	}
	return l, err
}

// bare makes bare requests of what was learned, for other ids.
func (l lesson) bare(s *subject, ids idsOf) (submit, work []call, err error) {
	replacer := strings.NewReplacer(string(l.ids.key), string(ids.key), l.ids.message, ids.message, l.ids.task, ids.task)
	if submit, err = replay(l.submit, replacer, s.db, s.queue); err != nil {
		return nil, nil, err
	}
	work, err = replay(l.work, replacer, s.db, s.queue)
	return submit, work, err
}
