// Command dispatcher is the Lambda behind the schedule: it publishes handoffs
// that are due and ends tasks that are over.
package main

import (
	"context"
	"math/rand/v2"
	"time"

	"github.com/aws/aws-lambda-go/lambda"

	"github.com/replyonce/replyonce/shared/awsclients"
	"github.com/replyonce/replyonce/shared/conversation"
	"github.com/replyonce/replyonce/shared/dispatchhandler"
	"github.com/replyonce/replyonce/shared/document"
	"github.com/replyonce/replyonce/shared/dynamostore"
	"github.com/replyonce/replyonce/shared/functionmain"
	"github.com/replyonce/replyonce/shared/runtimeconfig"
	"github.com/replyonce/replyonce/shared/sqsqueue"
	"github.com/replyonce/replyonce/shared/taskflow"
	"github.com/replyonce/replyonce/shared/tracing"
)

const (
	// pageSize is how many index entries one request reads: a page of keys has
	// about 12 KB.
	pageSize = 100
	// reserve is the function time in which a write under way can end.
	reserve = 5 * time.Second
	// mostLetters is how many dead letters a tick looks at: far more than a working
	// service has, and some sixty requests.
	mostLetters = 50
)

func main() { functionmain.Run(start) }

func start(environment map[string]string) error {
	config, err := runtimeconfig.Dispatcher(environment)
	if err != nil {
		return err
	}
	clients, err := awsclients.Load(context.Background())
	if err != nil {
		return err
	}
	log, metrics := functionmain.Telemetry("dispatcher", config.Common)
	traces := tracing.FromEnvironment("dispatcher", environment, awsclients.SecretText(clients), log, functionmain.Now)
	store := dynamostore.New(awsclients.DynamoDB(clients), config.Table, dynamostore.Options{})
	queues := sqsqueue.ByScope{conversation.Scope(""): sqsqueue.New(awsclients.SQS(clients), config.QueueURL)}
	if config.IndexQueueURL != "" {
		queues[document.ScopeOf("")] = sqsqueue.New(awsclients.SQS(clients), config.IndexQueueURL)
	}
	dispatcher := &taskflow.Dispatcher{
		Writer:   taskflow.Writer{Tasks: traces.Tasks(store), Now: functionmain.Now, Pause: functionmain.Pause},
		Handoffs: store, Queue: traces.Queue(queues), Timers: config.Timers,
		Now: functionmain.Now, Jitter: rand.Float64, Log: log, Metrics: metrics, PageSize: pageSize,
	}
	handler := dispatchhandler.Handler{Dispatcher: dispatcher, Remaining: functionmain.Remaining, Reserve: reserve}
	if config.DeadLetterQueueURL != "" {
		handler.Letters = &taskflow.LetterWatch{
			Letters: sqsqueue.NewDeadLetters(awsclients.SQS(clients), config.DeadLetterQueueURL), Tasks: store,
			Log: log, Metrics: metrics, Most: mostLetters,
		}
	}
	lambda.Start(tracing.Flushing(traces, handler.Handle))
	return nil
}
