// Package resources creates what the functions need at an AWS endpoint: the table with its index, the
// queues with their dead-letter queues, the bucket. Deployed ones are created by CloudFormation instead.
package resources

import (
	"context"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"

	"github.com/replyonce/replyonce/infra/stack/extract"
)

// Definition names the resources of one stack.
type Definition struct {
	Table           string
	Queue           string
	DeadLetterQueue string
	Bucket          string
	// IndexQueue and IndexDeadLetterQueue are for index tasks; empty: there are none.
	IndexQueue           string
	IndexDeadLetterQueue string
	// Like says how table and queues are made: as in the template of the deployment.
	Like extract.Extract
}

// Created says where the resources are.
type Created struct {
	QueueURL           string
	QueueARN           string
	DeadLetterQueueURL string

	IndexQueueURL           string // empty: there are no index tasks
	IndexQueueARN           string
	IndexDeadLetterQueueURL string
}

// Ensure creates what is missing and sets the queue's attributes. It may be called again at any time, and
// does not change a table that exists.
func Ensure(ctx context.Context, cfg aws.Config, d Definition) (Created, error) {
	if err := ensureTable(ctx, cfg, d); err != nil {
		return Created{}, fmt.Errorf("create table %s: %w", d.Table, err)
	}
	if err := ensureBucket(ctx, cfg, d.Bucket); err != nil {
		return Created{}, fmt.Errorf("create bucket %s: %w", d.Bucket, err)
	}
	created, err := ensureQueues(ctx, cfg, d)
	if err != nil {
		return Created{}, fmt.Errorf("create queues: %w", err)
	}
	return created, nil
}
