// Command dispatcher is the Lambda behind the schedule: it publishes handoffs
// that are due and ends tasks that are over.
package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"time"

	"github.com/aws/aws-lambda-go/lambda"

	"github.com/replyonce/replyonce/shared/awsclients"
	"github.com/replyonce/replyonce/shared/dispatchhandler"
	"github.com/replyonce/replyonce/shared/dynamostore"
	"github.com/replyonce/replyonce/shared/pausing"
	"github.com/replyonce/replyonce/shared/runtimeconfig"
	"github.com/replyonce/replyonce/shared/sqsqueue"
	"github.com/replyonce/replyonce/shared/taskflow"
	"github.com/replyonce/replyonce/shared/telemetry"
)

const (
	pauseBase  = 50 * time.Millisecond
	pauseLimit = 500 * time.Millisecond
	// pageSize is how many index entries one request reads: a page of keys has
	// about 12 KB.
	pageSize = 100
	// reserve is the function time in which a write under way can end.
	reserve = 5 * time.Second
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run() error {
	config, err := runtimeconfig.Dispatcher(runtimeconfig.Environment(os.Environ()))
	if err != nil {
		return fmt.Errorf("start: %w", err)
	}
	clients, err := awsclients.Load(context.Background())
	if err != nil {
		return fmt.Errorf("start: %w", err)
	}
	log, metrics := telemetry.New(os.Stdout, telemetry.Options{
		Function: "dispatcher", Version: runtimeconfig.BuildVersion(), Level: config.LogLevel, Now: time.Now,
	})
	store := dynamostore.New(awsclients.DynamoDB(clients), config.Table, dynamostore.Options{})
	dispatcher := &taskflow.Dispatcher{
		Writer:   taskflow.Writer{Tasks: store, Now: time.Now, Pause: pausing.Jittered(pauseBase, pauseLimit, rand.Float64)},
		Handoffs: store, Queue: sqsqueue.New(awsclients.SQS(clients), config.QueueURL), Timers: config.Timers,
		Now: time.Now, Jitter: rand.Float64, Log: log, Metrics: metrics, PageSize: pageSize,
	}
	lambda.Start(dispatchhandler.Handler{Dispatcher: dispatcher, Remaining: remaining, Reserve: reserve}.Handle)
	return nil
}

// remaining is the function time that is left.
func remaining(ctx context.Context) time.Duration {
	deadline, ok := ctx.Deadline()
	if !ok {
		return 0
	}
	return time.Until(deadline)
}
