package rates

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/sqs"

	"github.com/replyonce/replyonce/shared/dynamostore"
	"github.com/replyonce/replyonce/shared/reply"
	"github.com/replyonce/replyonce/shared/taskflow"
	"github.com/replyonce/replyonce/shared/worktask"
)

// Aim is the ratio that the product aims at.
const Aim = 1.3

// Plan says how often a comparison is repeated: Rounds in each of Blocks, after
// WarmUp rounds that do not count.
type Plan struct {
	WarmUp, Blocks, Rounds int
}

// DefaultPlan takes some seconds.
func DefaultPlan() Plan { return Plan{WarmUp: 40, Blocks: 5, Rounds: 120} }

// Ratio is the time of a use case beside that of its bare requests.
type Ratio struct {
	UseCase  string        `json:"use_case"`
	Requests int           `json:"requests"` // bare requests in it
	Took     time.Duration `json:"took_ns"`  // median
	Bare     time.Duration `json:"bare_ns"`  // median
	Ratio    float64       `json:"ratio"`    // of the medians
	Lowest   float64       `json:"lowest"`   // ratio of a block
	Highest  float64       `json:"highest"`
	Rounds   int           `json:"rounds"`
}

// Compare measures submit, and claim with completion, on the endpoint. name is
// given to the table and the queue that it makes there.
func Compare(ctx context.Context, cfg aws.Config, name string, plan Plan) ([]Ratio, error) {
	c, err := newComparison(ctx, cfg, name)
	if err != nil {
		return nil, fmt.Errorf("prepare comparison: %w", err)
	}
	for range plan.WarmUp {
		if err := c.round(ctx, &series{}, &series{}, false); err != nil {
			return nil, err
		}
	}
	submit, work := &series{}, &series{}
	for range plan.Blocks {
		for i := range plan.Rounds {
			if err := c.round(ctx, submit, work, i%2 == 0); err != nil {
				return nil, err
			}
		}
		submit.endBlock()
		work.endBlock()
	}
	return []Ratio{
		submit.ratio("submit", len(c.lesson.submit)),
		work.ratio("claim + complete", len(c.lesson.work)),
	}, nil
}

// comparison is a subject, and what it sends.
type comparison struct {
	*subject
	lesson lesson
}

func newComparison(ctx context.Context, cfg aws.Config, name string) (comparison, error) {
	if _, err := dynamodb.NewFromConfig(cfg).CreateTable(ctx, dynamostore.TableInput(name)); err != nil {
		return comparison{}, fmt.Errorf("create table %s: %w", name, err)
	}
	queue, err := sqs.NewFromConfig(cfg).CreateQueue(ctx, &sqs.CreateQueueInput{QueueName: aws.String(name)})
	if err != nil {
		return comparison{}, fmt.Errorf("create queue %s: %w", name, err)
	}
	s, err := newSubject(ctx, cfg, name, aws.ToString(queue.QueueUrl), instant{})
	if err != nil {
		return comparison{}, err
	}
	l, err := s.learn(ctx)
	return comparison{s, l}, err
}

// round measures both use cases and their bare requests once. Which goes first
// alternates: the second finds warmer caches.
func (c comparison) round(ctx context.Context, submit, work *series, productFirst bool) error {
	bareSubmit, bareWork, err := c.lesson.bare(c.subject, c.newIDs())
	if err != nil {
		return err
	}
	var made idsOf
	err = submit.measure(productFirst, func() (err error) {
		made, err = c.submit(ctx)
		return err
	}, func() error { return sendAll(ctx, bareSubmit) })
	if err != nil {
		return err
	}
	return work.measure(productFirst,
		func() error { return c.work(ctx, made.task) },
		func() error { return sendAll(ctx, bareWork) })
}

func sendAll(ctx context.Context, calls []call) error {
	for _, send := range calls {
		if err := send(ctx); err != nil {
			return fmt.Errorf("send a bare request: %w", err)
		}
	}
	return nil
}

// instant is work that reads nothing and is done at once: what is left of a run
// are claim and completion.
type instant struct{}

func (instant) Prepare(context.Context, worktask.Task) (taskflow.Work, error) { return instant{}, nil }

func (instant) Call(context.Context, func(context.Context, string) error) worktask.Outcome {
	result := reply.Result{Text: strings.Repeat("An answer. ", 800)[:800], Provider: "example"}
	return worktask.Outcome{Kind: worktask.Answered, Result: worktask.Result{Body: result.Encode()}}
}

func (instant) LookUp(context.Context, string) worktask.Outcome {
	return worktask.Outcome{Kind: worktask.OperationLost}
}
