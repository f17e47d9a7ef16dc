// Package dynamostore keeps tasks, conversations, documents and idempotency
// records in DynamoDB. It is the one place that knows condition expressions:
// every transition of package worktask becomes one conditional UpdateItem, and
// every creating call one transaction.
//
// Three habits make its answers trustworthy. Each write is sent once per call
// and judged by that one answer, so that a retry hidden in a client library
// cannot turn an own write into a refusal. An answer that leaves open whether
// the write landed is reported as such and never as a failure. And sizes are
// checked here, in bytes, before anything is sent, because not every engine
// checks them.
package dynamostore

import (
	"context"
	"math/rand/v2"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
)

// Options are what tests replace. The zero value is right for production.
type Options struct {
	// Jitter gives a number in [0, 1); nil: a random one.
	Jitter func() float64
	// Pause waits for d or until ctx is done; nil: a real wait.
	Pause func(ctx context.Context, d time.Duration) error
	// Tries bounds how often one transaction, or the unread rest of one batch
	// read, is sent within one call; 0: DefaultTries.
	Tries int
}

// DefaultTries with the pauses of pause is about a second of trying at most: a
// caller behind a gateway must hear an answer.
const DefaultTries = 6

// Store implements the store interfaces of the use cases on one table. It is
// safe for concurrent use.
type Store struct {
	client  *dynamodb.Client
	table   string
	options Options
}

// New makes a store on a table as dynamoschema.Definition describes it. Region,
// endpoint, credentials, and the retries and timeouts of reads are the client's;
// writes are sent once per try whatever the client's retryer says.
func New(client *dynamodb.Client, table string, o Options) *Store {
	if o.Jitter == nil {
		o.Jitter = rand.Float64
	}
	if o.Pause == nil {
		o.Pause = sleep
	}
	if o.Tries <= 0 {
		o.Tries = DefaultTries
	}
	return &Store{client: client, table: table, options: o}
}

// The bounds of the pause between two tries of one transaction.
const (
	pauseBase  = 25 * time.Millisecond
	pauseLimit = 500 * time.Millisecond
)

// pause waits before the try that follows the given one, with full jitter:
// transactions that collided must not collide again in step.
func (s *Store) pause(ctx context.Context, try int) error {
	ceiling := pauseLimit
	if shift := try - 1; shift < 5 {
		ceiling = min(pauseBase<<shift, pauseLimit)
	}
	return s.options.Pause(ctx, time.Duration(s.options.Jitter()*float64(ceiling)))
}

func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-timer.C:
		return nil
	}
}
