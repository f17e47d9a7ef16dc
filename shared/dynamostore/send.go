package dynamostore

import (
	"context"
	"fmt"
	"sync/atomic"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/smithy-go/middleware"

	"github.com/replyonce/replyonce/shared/storeerror"
)

// sendOnce makes one write with one request. The SDK's retries are off: with
// them the answer that comes back may be about a second try, and a write that
// landed first and then met its own effect would look refused. What failed
// before the request went out is told from what may have landed.
func sendOnce(ctx context.Context, call func(func(*dynamodb.Options)) error) *failure {
	if ctx.Err() != nil {
		return &failure{kind: unavailable, err: context.Cause(ctx)}
	}
	var sent atomic.Bool
	err := call(func(o *dynamodb.Options) {
		o.Retryer = aws.NopRetryer{}
		o.APIOptions = append(o.APIOptions, markSent(&sent))
	})
	if err == nil {
		return nil
	}
	return &failure{kind: classify(err, sent.Load()), err: err}
}

// markSent notes that a request is complete, signed and handed to the network.
// It stands last in the stack; what fails before it has reached nobody.
func markSent(sent *atomic.Bool) func(*middleware.Stack) error {
	return func(stack *middleware.Stack) error {
		mark := middleware.DeserializeMiddlewareFunc("MarkSent", func(
			ctx context.Context, in middleware.DeserializeInput, next middleware.DeserializeHandler,
		) (middleware.DeserializeOutput, middleware.Metadata, error) {
			sent.Store(true)
			return next.HandleDeserialize(ctx, in)
		})
		if err := stack.Deserialize.Add(mark, middleware.After); err != nil {
			return fmt.Errorf("add middleware that marks requests as sent: %w", err)
		}
		return nil
	}
}

// failure is a write that brought no success, and what that means.
type failure struct {
	kind kind
	err  error
}

// storeError is the failure in the words that all stores share. The kinds that
// an operation answers by itself come to it before.
func (f *failure) storeError() error {
	switch f.kind {
	case unknown:
		return fmt.Errorf("%w: %w", storeerror.ErrWriteUnknown, f.err)
	case unavailable, throttled, conflict:
		// The engine refused the one request there was: nothing is written.
		return fmt.Errorf("%w: %w", storeerror.ErrUnavailable, f.err)
	case inProgress:
		return fmt.Errorf("%w: %w", storeerror.ErrConflict, f.err)
	case tooLarge:
		return fmt.Errorf("%w: %w", errItemTooLarge, f.err)
	case invalid, conditionFailed, cancelled:
		return f.err
	}
	return f.err
}
