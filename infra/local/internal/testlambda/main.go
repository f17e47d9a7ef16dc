// Command testlambda is a Lambda function for the tests of the one-machine stack: it does as it is told.
// The function name in its environment decides which part it plays.
package main

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"time"

	"github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-lambda-go/lambda"
	"github.com/aws/aws-lambda-go/lambdacontext"
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// order is what a function is told to do.
type order struct {
	Do           string `json:"do"` // echo, sleep, error, panic, exit, put, environ
	Milliseconds int    `json:"ms,omitempty"`
	Text         string `json:"text,omitempty"`
}

func main() {
	slog.SetDefault(slog.New(slog.NewJSONHandler(os.Stderr, nil)))
	if text := os.Getenv("TESTLAMBDA_FAIL"); text != "" {
		slog.Error("cannot start", "reason", text)
		os.Exit(3)
	}
	switch os.Getenv("AWS_LAMBDA_FUNCTION_NAME") {
	case "api":
		lambda.Start(answer)
	case "authorizer":
		lambda.Start(authorize)
	case "worker", "indexer":
		lambda.Start(work)
	case "dispatcher":
		lambda.Start(dispatch)
	default:
		lambda.Start(act)
	}
}

func act(ctx context.Context, o order) (any, error) {
	slog.Info("order", "do", o.Do, "text", o.Text)
	switch o.Do {
	case "sleep":
		time.Sleep(time.Duration(o.Milliseconds) * time.Millisecond)
	case "error":
		return nil, errors.New(o.Text)
	case "panic":
		panic(o.Text)
	case "exit":
		os.Exit(1)
	case "put":
		return nil, put(ctx, o.Text)
	case "environ":
		slog.Info("environment", "variables", os.Environ())
	}
	deadline, _ := ctx.Deadline()
	lc, _ := lambdacontext.FromContext(ctx)
	return map[string]any{"text": o.Text, "deadline": deadline, "arn": lc.InvokedFunctionArn, "pid": os.Getpid()}, nil
}

// put writes an item whose sort key is the text, through the endpoint in the environment.
func put(ctx context.Context, text string) error {
	cfg, err := config.LoadDefaultConfig(ctx)
	if err != nil {
		return fmt.Errorf("load AWS settings: %w", err)
	}
	client := dynamodb.NewFromConfig(cfg, func(o *dynamodb.Options) { o.RetryMaxAttempts = 1 })
	_, err = client.PutItem(ctx, &dynamodb.PutItemInput{
		TableName: aws.String(os.Getenv("REPLYONCE_TABLE")),
		Item: map[string]types.AttributeValue{
			"pk": &types.AttributeValueMemberS{Value: "test"},
			"sk": &types.AttributeValueMemberS{Value: text},
		},
	})
	if err != nil {
		return fmt.Errorf("put %s: %w", text, err)
	}
	return nil
}

// answer plays the api: POST /orders does what the body says, everything else answers with its event.
func answer(ctx context.Context, event events.APIGatewayProxyRequest) (events.APIGatewayProxyResponse, error) {
	if event.Path == "/orders" {
		text, err := base64.StdEncoding.DecodeString(event.Body)
		if err != nil {
			return events.APIGatewayProxyResponse{}, fmt.Errorf("read body: %w", err)
		}
		var o order
		if err := json.Unmarshal(text, &o); err != nil {
			return events.APIGatewayProxyResponse{}, fmt.Errorf("read order: %w", err)
		}
		if _, err := act(ctx, o); err != nil {
			return events.APIGatewayProxyResponse{}, err
		}
	}
	body, err := json.Marshal(event)
	if err != nil {
		return events.APIGatewayProxyResponse{}, fmt.Errorf("write answer: %w", err)
	}
	return events.APIGatewayProxyResponse{
		StatusCode: 200,
		Headers:    map[string]string{"Content-Type": "application/json"},
		Body:       string(body),
	}, nil
}

// authorize allows any bearer token and takes it for the caller's name.
func authorize(_ context.Context, event events.APIGatewayCustomAuthorizerRequest) (events.APIGatewayCustomAuthorizerResponse, error) {
	name, ok := strings.CutPrefix(event.AuthorizationToken, "Bearer ")
	if !ok || name == "" {
		return events.APIGatewayCustomAuthorizerResponse{}, errors.New("Unauthorized")
	}
	stage, _, _ := strings.Cut(event.MethodArn, "/")
	return events.APIGatewayCustomAuthorizerResponse{
		PrincipalID: name,
		PolicyDocument: events.APIGatewayCustomAuthorizerPolicy{
			Version: "2012-10-17",
			Statement: []events.IAMPolicyStatement{
				{Action: []string{"execute-api:Invoke"}, Effect: "Allow", Resource: []string{stage + "/*"}},
			},
		},
		Context: map[string]any{"caller": name, "workspace": "test"},
	}, nil
}

// work plays the worker: the body of each message is an order; one that fails is reported alone.
func work(ctx context.Context, event events.SQSEvent) (events.SQSEventResponse, error) {
	var response events.SQSEventResponse
	for _, record := range event.Records {
		slog.Info("message", "message_id", record.MessageId, "body", record.Body,
			"receive_count", record.Attributes["ApproximateReceiveCount"])
		var o order
		err := json.Unmarshal([]byte(record.Body), &o)
		if err == nil {
			_, err = act(ctx, o)
		}
		if err != nil {
			slog.Info("order failed", "text", o.Text, "error", err.Error())
			response.BatchItemFailures = append(response.BatchItemFailures,
				events.SQSBatchItemFailure{ItemIdentifier: record.MessageId})
		}
	}
	return response, nil
}

func dispatch(_ context.Context, event events.CloudWatchEvent) error {
	slog.Info("tick", "source", event.Source, "detail_type", event.DetailType)
	return nil
}
