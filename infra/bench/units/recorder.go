package units

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/smithy-go/middleware"

	"github.com/replyonce/replyonce/shared/dynamoschema"
)

// Recorder watches clients and writes down their requests. It reads every item
// that a write may change before and after it, through a client that nobody
// counts, and lets one DynamoDB request pass at a time, so that the two images
// show that request's own effect.
type Recorder struct {
	images  *dynamodb.Client
	indexes []dynamoschema.Index

	turn sync.Mutex // held while a DynamoDB request is under way

	mu       sync.Mutex // guards requests
	requests []Request
}

// NewRecorder makes a recorder of requests to tables with these indexes. images
// is a client of the same endpoint that is not watched.
func NewRecorder(images *dynamodb.Client, indexes []dynamoschema.Index) *Recorder {
	return &Recorder{images: images, indexes: indexes}
}

// WatchDynamoDB is an option of clients whose requests are to be counted.
func (r *Recorder) WatchDynamoDB(o *dynamodb.Options) {
	o.APIOptions = append(o.APIOptions, r.watch(r.dynamoDB))
}

// WatchSQS is the same for clients of SQS.
func (r *Recorder) WatchSQS(o *sqs.Options) {
	o.APIOptions = append(o.APIOptions, r.watch(r.sqs))
}

// Requests are the requests since the last Reset, in the order in which they
// were answered.
func (r *Recorder) Requests() []Request {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.requests)
}

// Reset forgets the requests so far.
func (r *Recorder) Reset() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.requests = nil
}

func (r *Recorder) add(request Request) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.requests = append(r.requests, request)
}

// attempt sends one request and returns its output.
type attempt func() (output any, err error)

// observer sends an attempt and records it. The error is the attempt's own, or
// says that it cannot be recorded: a count that left something out would be
// worse than none.
type observer func(ctx context.Context, input any, send attempt) error

type inputKey struct{}

// watch puts an observer behind the SDK's retries, where each attempt passes.
func (r *Recorder) watch(observe observer) func(*middleware.Stack) error {
	return func(stack *middleware.Stack) error {
		keep := middleware.InitializeMiddlewareFunc("KeepInput", func(
			ctx context.Context, in middleware.InitializeInput, next middleware.InitializeHandler,
		) (middleware.InitializeOutput, middleware.Metadata, error) {
			return next.HandleInitialize(middleware.WithStackValue(ctx, inputKey{}, in.Parameters), in)
		})
		count := middleware.FinalizeMiddlewareFunc("CountUnits", func(
			ctx context.Context, in middleware.FinalizeInput, next middleware.FinalizeHandler,
		) (out middleware.FinalizeOutput, metadata middleware.Metadata, err error) {
			err = observe(ctx, middleware.GetStackValue(ctx, inputKey{}), func() (any, error) {
				var sendErr error
				out, metadata, sendErr = next.HandleFinalize(ctx, in)
				return out.Result, sendErr
			})
			return out, metadata, err
		})
		if err := stack.Initialize.Add(keep, middleware.After); err != nil {
			return fmt.Errorf("add middleware that keeps the input: %w", err)
		}
		if err := stack.Finalize.Insert(count, "Retry", middleware.After); err != nil {
			return fmt.Errorf("add middleware that counts units: %w", err)
		}
		return nil
	}
}

func (r *Recorder) dynamoDB(ctx context.Context, input any, send attempt) error {
	r.turn.Lock()
	defer r.turn.Unlock()
	request := Request{Service: DynamoDB, Step: stepOf(ctx)}
	if w, isWrite := writeOf(input); isWrite {
		request.Operation = w.operation
		return r.write(ctx, request, w, send)
	}
	return r.read(request, input, send)
}
