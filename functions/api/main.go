// Command api is the Lambda behind the REST API: it accepts questions, shows
// conversations and documents, and serves the web page.
package main

import (
	"context"
	"crypto/rand"
	"fmt"

	"github.com/aws/aws-lambda-go/lambda"

	"github.com/replyonce/replyonce/functions/api/page"
	"github.com/replyonce/replyonce/shared/awsclients"
	"github.com/replyonce/replyonce/shared/callerlimit"
	"github.com/replyonce/replyonce/shared/conversation"
	"github.com/replyonce/replyonce/shared/document"
	"github.com/replyonce/replyonce/shared/dynamostore"
	"github.com/replyonce/replyonce/shared/functionmain"
	"github.com/replyonce/replyonce/shared/idempotency"
	"github.com/replyonce/replyonce/shared/indexpipeline"
	"github.com/replyonce/replyonce/shared/keyed"
	"github.com/replyonce/replyonce/shared/lambdahandler"
	"github.com/replyonce/replyonce/shared/newid"
	"github.com/replyonce/replyonce/shared/openapi"
	"github.com/replyonce/replyonce/shared/runtimeconfig"
	"github.com/replyonce/replyonce/shared/s3objects"
	"github.com/replyonce/replyonce/shared/sqsqueue"
	"github.com/replyonce/replyonce/shared/taskflow"
	"github.com/replyonce/replyonce/shared/tracing"
	"github.com/replyonce/replyonce/shared/upload"
)

func main() { functionmain.Run(start) }

func start(environment map[string]string) error {
	config, err := runtimeconfig.API(environment)
	if err != nil {
		return err
	}
	clients, err := awsclients.Load(context.Background())
	if err != nil {
		return err
	}
	log, metrics := functionmain.Telemetry("api", config.Common)
	traces := tracing.FromEnvironment("api", environment, awsclients.SecretText(clients), log, functionmain.Now)
	store := dynamostore.New(awsclients.DynamoDB(clients), config.Table, dynamostore.Options{})
	newID := newid.NewSource(functionmain.Now, rand.Reader).Next
	pause := functionmain.Pause
	windows := idempotency.Windows{Replay: config.Timers.ReplayWindow, Purge: config.Timers.PurgeAfter}
	creator := keyed.Creator{Records: traces.Records(store), Windows: windows, Now: functionmain.Now, Pause: pause}
	documents := document.Service{Store: store, Creator: creator, Texts: indexpipeline.Texts{Store: store}, NewID: newID, Now: functionmain.Now}
	if config.IndexQueueURL != "" {
		documents.Index = &document.IndexTasks{
			Pipeline: indexpipeline.Name(), Timers: config.Timers, Tasks: traces.Tasks(store),
			Queue: traces.Queue(sqsqueue.New(awsclients.SQS(clients), config.IndexQueueURL)), Log: log, Metrics: metrics,
		}
	}
	files := s3objects.NewUploads(awsclients.S3(clients), awsclients.S3At(clients, config.UploadEndpoint), config.Bucket)
	filesOrigin, err := files.Origin(context.Background())
	if err != nil {
		return fmt.Errorf("find where files are uploaded to: %w", err)
	}
	handler := &lambdahandler.API{
		Documents: documents,
		Conversations: conversation.Service{
			Store: traces.Conversations(store), Documents: store, Writer: taskflow.Writer{Tasks: traces.Tasks(store), Now: functionmain.Now, Pause: pause},
			Evidence: store, Objects: s3objects.New(awsclients.S3(clients), config.Bucket),
			Queue: traces.Queue(sqsqueue.New(awsclients.SQS(clients), config.QueueURL)), Creator: creator,
			NewID: newID, Now: functionmain.Now, Timers: config.Timers, OnUnknown: config.OnUnknown,
			OnUnknownAllowed: config.OnUnknownAllowed, Model: config.Model,
			Money: config.Money, Prices: config.Prices, Currency: config.Currency,
			Log: log, Metrics: metrics,
		},
		Windows: windows, AllowedOrigin: config.AllowedOrigin, SignIn: config.SignIn, Local: config.Local,
		OpenAPI: openapi.Document(), Static: staticFile, ContentSecurityPolicy: page.ContentSecurityPolicy(config.SignIn.TokenEndpoint, filesOrigin),
		NewID: newID, Now: functionmain.Now, Log: log, Metrics: metrics,
	}
	if documents.Index != nil {
		handler.Uploads = &upload.Service{
			Store: store, Objects: files, Documents: documents, Creator: creator, NewID: newID, Now: functionmain.Now,
		}
	}
	if config.CallerRate > 0 {
		handler.Limit = callerlimit.New(config.CallerRate, functionmain.Now)
	}
	lambda.Start(traces.Requests(handler))
	return nil
}

// staticFile finds a file of the embedded page.
func staticFile(path string) (lambdahandler.StaticFile, bool) {
	file, found := page.Lookup(path)
	return lambdahandler.StaticFile(file), found
}
