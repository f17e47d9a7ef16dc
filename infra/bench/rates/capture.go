package rates

import (
	"context"
	"fmt"
	"sync"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/smithy-go/middleware"
)

// capture keeps the inputs of requests while it is on.
type capture struct {
	mu     sync.Mutex
	on     bool
	inputs []any
}

// during returns the inputs of the requests that f makes.
func (c *capture) during(f func() error) ([]any, error) {
	c.mu.Lock()
	c.on, c.inputs = true, nil
	c.mu.Unlock()
	err := f()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.on = false
	return c.inputs, err
}

func (c *capture) add(input any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.on {
		c.inputs = append(c.inputs, input)
	}
}

func (c *capture) dynamoDB(o *dynamodb.Options) { o.APIOptions = append(o.APIOptions, c.middleware) }

func (c *capture) sqs(o *sqs.Options) { o.APIOptions = append(o.APIOptions, c.middleware) }

func (c *capture) middleware(stack *middleware.Stack) error {
	keep := middleware.InitializeMiddlewareFunc("CaptureInput", func(
		ctx context.Context, in middleware.InitializeInput, next middleware.InitializeHandler,
	) (middleware.InitializeOutput, middleware.Metadata, error) {
		c.add(in.Parameters)
		return next.HandleInitialize(ctx, in)
	})
	if err := stack.Initialize.Add(keep, middleware.After); err != nil {
		return fmt.Errorf("add middleware that captures inputs: %w", err)
	}
	return nil
}
