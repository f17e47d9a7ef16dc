// Command worker is the Lambda that works on tasks: it takes SQS batches and
// answers which messages are not done.
package main

import (
	"context"
	"crypto/rand"
	"fmt"
	mathrand "math/rand/v2"
	"os"
	"time"

	"github.com/aws/aws-lambda-go/lambda"

	"github.com/replyonce/replyonce/shared/awsclients"
	"github.com/replyonce/replyonce/shared/dynamostore"
	"github.com/replyonce/replyonce/shared/newid"
	"github.com/replyonce/replyonce/shared/pausing"
	"github.com/replyonce/replyonce/shared/reply"
	"github.com/replyonce/replyonce/shared/replywork"
	"github.com/replyonce/replyonce/shared/runtimeconfig"
	"github.com/replyonce/replyonce/shared/s3objects"
	"github.com/replyonce/replyonce/shared/sqsqueue"
	"github.com/replyonce/replyonce/shared/taskflow"
	"github.com/replyonce/replyonce/shared/telemetry"
	"github.com/replyonce/replyonce/shared/workerhandler"
)

// Pauses between tries of one write that the store refused for the moment.
const (
	pauseBase  = 50 * time.Millisecond
	pauseLimit = 500 * time.Millisecond
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run() error {
	config, err := runtimeconfig.Worker(runtimeconfig.Environment(os.Environ()))
	if err != nil {
		return fmt.Errorf("start: %w", err)
	}
	ctx := context.Background()
	clients, err := awsclients.Load(ctx)
	if err != nil {
		return fmt.Errorf("start: %w", err)
	}
	provider, err := newProvider(ctx, config)
	if err != nil {
		return fmt.Errorf("start: %w", err)
	}
	log, metrics := telemetry.New(os.Stdout, telemetry.Options{
		Function: "worker", Version: runtimeconfig.BuildVersion(), Level: config.LogLevel, Now: time.Now,
	})
	store := dynamostore.New(awsclients.DynamoDB(clients), config.Table, dynamostore.Options{})
	objects := s3objects.New(awsclients.S3(clients), config.Bucket)
	start := time.Now()
	runner := taskflow.Runner{
		Writer: taskflow.Writer{Tasks: store, Now: time.Now, Pause: pausing.Jittered(pauseBase, pauseLimit, mathrand.Float64)},
		Kinds: map[string]taskflow.Kind{
			reply.Kind: replywork.Kind{Conversations: store, Documents: store, Objects: objects, Provider: provider},
		},
		Evidence: store, Objects: objects, Timers: config.Timers,
		NewID: newid.NewSource(time.Now, rand.Reader).Next, Jitter: mathrand.Float64,
		Now: time.Now, Monotonic: func() time.Duration { return time.Since(start) },
		Log: log, Metrics: metrics,
	}
	lambda.Start(workerhandler.Handler{
		Runner: runner, Visibility: sqsqueue.New(awsclients.SQS(clients), config.QueueURL), Timers: config.Timers,
		Now: time.Now, Remaining: remaining, Log: log,
	}.Handle)
	return nil
}

// remaining is the function time that is left.
func remaining(ctx context.Context) time.Duration {
	deadline, ok := ctx.Deadline()
	if !ok {
		return 0 // no runtime, no time: nothing is claimed
	}
	return time.Until(deadline)
}
