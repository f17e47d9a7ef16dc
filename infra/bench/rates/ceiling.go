package rates

import (
	"context"
	"fmt"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/replyonce/replyonce/shared/dynamoschema"
	"github.com/replyonce/replyonce/shared/dynamostore"
)

const (
	writers   = 16 // bare writes at a time
	writeTime = 1500 * time.Millisecond
	bareTasks = 500
)

// writesPerSecond measures how many conditional writes of small items the
// endpoint takes, on a new table with that name.
func writesPerSecond(ctx context.Context, cfg aws.Config, table string) (float64, error) {
	client := dynamodb.NewFromConfig(cfg)
	if _, err := client.CreateTable(ctx, dynamostore.TableInput(table)); err != nil {
		return 0, fmt.Errorf("create table %s: %w", table, err)
	}
	var written atomic.Int64
	begun := time.Now()
	err := each(ctx, writers, writers, func(ctx context.Context, writer int) error {
		for time.Since(begun) < writeTime {
			if err := writeOnce(ctx, client, table, writer); err != nil {
				return err
			}
			written.Add(1)
		}
		return nil
	})
	return float64(written.Load()) / time.Since(begun).Seconds(), err
}

func writeOnce(ctx context.Context, client *dynamodb.Client, table string, writer int) error {
	return last(client.UpdateItem(ctx, &dynamodb.UpdateItemInput{
		TableName: aws.String(table),
		Key: map[string]types.AttributeValue{
			dynamoschema.PK: &types.AttributeValueMemberS{Value: "W#bench#C#bench"},
			dynamoschema.SK: &types.AttributeValueMemberS{Value: dynamoschema.EntryPrefix + strconv.Itoa(writer)},
		},
		UpdateExpression:    aws.String("ADD #assignment_version :one"),
		ConditionExpression: aws.String("attribute_not_exists(#result_body)"),
		ExpressionAttributeNames: map[string]string{
			"#assignment_version": dynamoschema.AssignmentVersion, "#result_body": dynamoschema.ResultBody,
		},
		ExpressionAttributeValues: map[string]types.AttributeValue{":one": &types.AttributeValueMemberN{Value: "1"}},
	}))
}

// bareTasksPerSecond measures how fast the DynamoDB requests of tasks are
// answered when nothing else is done: those that a worker makes for one task, of
// which some at a time are under way.
func bareTasksPerSecond(ctx context.Context, s *subject, atATime int) (float64, error) {
	learned, err := s.learn(ctx)
	if err != nil {
		return 0, err
	}
	learned.submit = onlyWrites(learned.submit)
	works := make([][]call, bareTasks)
	err = each(ctx, fillers, bareTasks, func(ctx context.Context, i int) error {
		submit, work, err := learned.bare(s, s.newIDs())
		if err != nil {
			return err
		}
		works[i] = work
		return sendAll(ctx, submit)
	})
	if err != nil {
		return 0, err
	}
	begun := time.Now()
	err = each(ctx, atATime, bareTasks, func(ctx context.Context, i int) error { return sendAll(ctx, works[i]) })
	return bareTasks / time.Since(begun).Seconds(), err
}

// onlyWrites leaves out what would reach the workers.
func onlyWrites(inputs []any) []any {
	var writes []any
	for _, input := range inputs {
		if _, isWrite := input.(*dynamodb.TransactWriteItemsInput); isWrite {
			writes = append(writes, input)
		}
	}
	return writes
}

// each runs f for 0 to n-1, that many at a time, until one fails.
func each(ctx context.Context, atATime, n int, f func(ctx context.Context, i int) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	numbers := make(chan int)
	var running sync.WaitGroup
	for range atATime {
		running.Go(func() {
			for i := range numbers {
				if err := f(ctx, i); err != nil {
					cancel(err)
				}
			}
		})
	}
	for i := 0; i < n && ctx.Err() == nil; i++ {
		numbers <- i
	}
	close(numbers)
	running.Wait()
	return context.Cause(ctx)
}
