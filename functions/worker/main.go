// Command worker is the Lambda that works on tasks: it takes SQS batches and
// answers which messages are not done.
package main

import (
	"context"
	"crypto/rand"
	"fmt"
	mathrand "math/rand/v2"

	"github.com/aws/aws-lambda-go/lambda"

	"github.com/replyonce/replyonce/shared/awsclients"
	"github.com/replyonce/replyonce/shared/dynamostore"
	"github.com/replyonce/replyonce/shared/functionmain"
	"github.com/replyonce/replyonce/shared/newid"
	"github.com/replyonce/replyonce/shared/reply"
	"github.com/replyonce/replyonce/shared/replywork"
	"github.com/replyonce/replyonce/shared/runtimeconfig"
	"github.com/replyonce/replyonce/shared/s3objects"
	"github.com/replyonce/replyonce/shared/sqsqueue"
	"github.com/replyonce/replyonce/shared/taskflow"
	"github.com/replyonce/replyonce/shared/tracing"
	"github.com/replyonce/replyonce/shared/workerhandler"
)

func main() { functionmain.Run(start) }

func start(environment map[string]string) error {
	config, err := runtimeconfig.Worker(environment)
	if err != nil {
		return err
	}
	ctx := context.Background()
	clients, err := awsclients.Load(ctx)
	if err != nil {
		return err
	}
	log, metrics := functionmain.Telemetry("worker", config.Common)
	provider, err := newProvider(ctx, config, clients, log)
	if err != nil {
		return err
	}
	if err := config.Timers.CheckRetention(provider.Capability().LookupRetention); err != nil {
		return fmt.Errorf("look operations of provider %s up: %w", config.Provider, err)
	}
	traces := tracing.FromEnvironment("worker", environment, awsclients.SecretText(clients), log, functionmain.Now)
	store := dynamostore.New(awsclients.DynamoDB(clients), config.Table, dynamostore.Options{})
	objects := s3objects.New(awsclients.S3(clients), config.Bucket)
	replies := replywork.Kind{
		Conversations: store, Documents: store, Entries: store, IndexTasks: store, Objects: objects,
		Provider: provider, MaxInputTokens: config.MaxInputTokens, Prices: config.Prices, Model: config.Model,
	}
	runner := taskflow.Runner{
		Writer: taskflow.Writer{Tasks: traces.Tasks(store), Now: functionmain.Now, Pause: functionmain.Pause},
		Kinds:  map[string]taskflow.Kind{reply.Kind: traces.Kind(replies)}, Waits: replies,
		Evidence: store, Objects: objects, Timers: config.Timers, Money: config.MoneyLimit > 0,
		NewID: newid.NewSource(functionmain.Now, rand.Reader).Next, Jitter: mathrand.Float64,
		Now: functionmain.Now, Monotonic: functionmain.Monotonic,
		Log: log, Metrics: metrics,
	}
	handler := workerhandler.Handler{
		Runner: traces.Runner(runner), Visibility: sqsqueue.New(awsclients.SQS(clients), config.QueueURL), Timers: config.Timers,
		Now: functionmain.Now, Remaining: functionmain.Remaining, Log: log,
	}
	lambda.Start(tracing.Flushing(traces, handler.Handle))
	return nil
}
