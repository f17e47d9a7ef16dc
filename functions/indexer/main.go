// Command indexer is the Lambda that makes versions of documents ready to be asked
// about, and removes what deleted documents leave: it takes SQS batches of such tasks
// and answers which messages are not done. It is a program of its own, because an engine that reads PDF is larger and
// slower to start than anything that a reply needs.
package main

import (
	"context"
	"crypto/rand"
	mathrand "math/rand/v2"
	"time"

	"github.com/aws/aws-lambda-go/lambda"

	"github.com/replyonce/replyonce/shared/awsclients"
	"github.com/replyonce/replyonce/shared/document"
	"github.com/replyonce/replyonce/shared/dynamostore"
	"github.com/replyonce/replyonce/shared/erasework"
	"github.com/replyonce/replyonce/shared/functionmain"
	"github.com/replyonce/replyonce/shared/indexing"
	"github.com/replyonce/replyonce/shared/indexpipeline"
	"github.com/replyonce/replyonce/shared/indexwork"
	"github.com/replyonce/replyonce/shared/newid"
	"github.com/replyonce/replyonce/shared/runtimeconfig"
	"github.com/replyonce/replyonce/shared/s3objects"
	"github.com/replyonce/replyonce/shared/sqsqueue"
	"github.com/replyonce/replyonce/shared/taskflow"
	"github.com/replyonce/replyonce/shared/textextract"
	"github.com/replyonce/replyonce/shared/textextract/pdfengine"
	"github.com/replyonce/replyonce/shared/tracing"
	"github.com/replyonce/replyonce/shared/upload"
	"github.com/replyonce/replyonce/shared/workerhandler"
)

func main() {
	pdfengine.RunIfAsked()
	functionmain.Run(start)
}

func start(environment map[string]string) error {
	config, err := runtimeconfig.Indexer(environment)
	if err != nil {
		return err
	}
	clients, err := awsclients.Load(context.Background())
	if err != nil {
		return err
	}
	log, metrics := functionmain.Telemetry("indexer", config.Common)
	traces := tracing.FromEnvironment("indexer", environment, awsclients.SecretText(clients), log, functionmain.Now)
	store := dynamostore.New(awsclients.DynamoDB(clients), config.Table, dynamostore.Options{})
	objects := s3objects.New(awsclients.S3(clients), config.Bucket)
	runner := taskflow.Runner{
		Writer: taskflow.Writer{Tasks: traces.Tasks(store), Now: functionmain.Now, Pause: functionmain.Pause},
		Kinds: map[string]taskflow.Kind{
			indexing.Kind: traces.Kind(indexwork.Kind{
				Documents: store, Entries: store, Objects: objects.UpTo(upload.MaxBytes),
				Pipeline: indexpipeline.Pipeline{Extractor: extractor(config.Timers.CallLimit)}, Pause: functionmain.Pause,
			}),
			document.KindErase: traces.Kind(erasework.Kind{Remains: store, Objects: objects}),
		},
		Evidence: store, Objects: objects, Timers: config.Timers,
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

// extractor gives a file less time than an attempt has: what takes too long is the
// file's fault and said of it, before the attempt is cut off and nobody knows why.
func extractor(callLimit time.Duration) textextract.Extractor {
	limits := textextract.DefaultLimits()
	limits.Time = min(limits.Time, callLimit*8/10)
	return textextract.Extractor{Limits: limits, PDF: &pdfengine.Process{}}
}
