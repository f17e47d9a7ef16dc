// Command api is the Lambda behind the REST API: it accepts questions, shows
// conversations and documents, and serves the web page.
package main

import (
	"context"
	"crypto/rand"
	"fmt"
	mathrand "math/rand/v2"
	"os"
	"time"

	"github.com/aws/aws-lambda-go/lambda"

	"github.com/replyonce/replyonce/functions/api/page"
	"github.com/replyonce/replyonce/shared/awsclients"
	"github.com/replyonce/replyonce/shared/conversation"
	"github.com/replyonce/replyonce/shared/document"
	"github.com/replyonce/replyonce/shared/dynamostore"
	"github.com/replyonce/replyonce/shared/idempotency"
	"github.com/replyonce/replyonce/shared/keyed"
	"github.com/replyonce/replyonce/shared/lambdahandler"
	"github.com/replyonce/replyonce/shared/newid"
	"github.com/replyonce/replyonce/shared/openapi"
	"github.com/replyonce/replyonce/shared/pausing"
	"github.com/replyonce/replyonce/shared/runtimeconfig"
	"github.com/replyonce/replyonce/shared/s3objects"
	"github.com/replyonce/replyonce/shared/sqsqueue"
	"github.com/replyonce/replyonce/shared/taskflow"
	"github.com/replyonce/replyonce/shared/telemetry"
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
	config, err := runtimeconfig.API(runtimeconfig.Environment(os.Environ()))
	if err != nil {
		return fmt.Errorf("start: %w", err)
	}
	clients, err := awsclients.Load(context.Background())
	if err != nil {
		return fmt.Errorf("start: %w", err)
	}
	log, metrics := telemetry.New(os.Stdout, telemetry.Options{
		Function: "api", Version: runtimeconfig.BuildVersion(), Level: config.LogLevel, Now: time.Now,
	})
	store := dynamostore.New(awsclients.DynamoDB(clients), config.Table, dynamostore.Options{})
	newID := newid.NewSource(time.Now, rand.Reader).Next
	pause := pausing.Jittered(pauseBase, pauseLimit, mathrand.Float64)
	windows := idempotency.Windows{Replay: config.Timers.ReplayWindow, Purge: config.Timers.PurgeAfter}
	creator := keyed.Creator{Records: store, Windows: windows, Now: time.Now, Pause: pause}
	lambda.Start(&lambdahandler.API{
		Documents: document.Service{Store: store, Creator: creator, NewID: newID, Now: time.Now},
		Conversations: conversation.Service{
			Store: store, Documents: store, Writer: taskflow.Writer{Tasks: store, Now: time.Now, Pause: pause},
			Evidence: store, Objects: s3objects.New(awsclients.S3(clients), config.Bucket),
			Queue: sqsqueue.New(awsclients.SQS(clients), config.QueueURL), Creator: creator,
			NewID: newID, Now: time.Now, Timers: config.Timers, OnUnknown: config.OnUnknown, Model: config.Model,
			Log: log, Metrics: metrics,
		},
		Windows: windows, AllowedOrigin: config.AllowedOrigin, SignIn: config.SignIn, Local: config.Local,
		OpenAPI: openapi.Document(), Static: staticFile, ContentSecurityPolicy: page.ContentSecurityPolicy(config.SignIn.TokenEndpoint),
		NewID: newID, Now: time.Now, Log: log, Metrics: metrics,
	})
	return nil
}

// staticFile finds a file of the embedded page.
func staticFile(path string) (lambdahandler.StaticFile, bool) {
	file, found := page.Lookup(path)
	return lambdahandler.StaticFile(file), found
}
