// Package dynamotest has what tests of the store need around an engine: clients,
// tables, and transports that watch, script or lose what is sent.
package dynamotest

import (
	"context"
	"net/http"
	"os"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/oklog/ulid/v2"

	"github.com/replyonce/replyonce/shared/dynamostore"
)

// Client makes a client of an emulator at url. Each request goes through wrap,
// when there is one.
func Client(url string, wrap func(http.RoundTripper) http.RoundTripper) *dynamodb.Client {
	var transport http.RoundTripper = &http.Transport{MaxIdleConnsPerHost: 64}
	if wrap != nil {
		transport = wrap(transport)
	}
	return dynamodb.New(dynamodb.Options{
		Region:       "us-east-1",
		Credentials:  credentials.NewStaticCredentialsProvider("test", "test", ""),
		BaseEndpoint: aws.String(url),
		HTTPClient:   &http.Client{Transport: transport},
	})
}

// ExternalVariable names the address of an engine that runs outside.
const ExternalVariable = "AWS_ENDPOINT_URL_DYNAMODB"

// External is a client of the engine at the address in the environment, with
// the environment's own credentials. Without an address the test is skipped:
// there is nothing to start, and the engines that run in the test's own
// process cover the same suite. Setting REPLYONCE_EXTERNAL_DYNAMODB says that
// an engine is meant to be there, and makes the missing address a failure;
// REQUIRE_ALL alone does not, because this test needs something from outside.
func External(t *testing.T) *dynamodb.Client {
	t.Helper()
	if os.Getenv(ExternalVariable) == "" {
		if os.Getenv("REPLYONCE_EXTERNAL_DYNAMODB") != "" {
			t.Fatalf("REPLYONCE_EXTERNAL_DYNAMODB is set and %s is not", ExternalVariable)
		}
		t.Skipf("%s is not set: start an engine and set it, or run make localstack-test", ExternalVariable)
	}
	cfg, err := config.LoadDefaultConfig(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return dynamodb.NewFromConfig(cfg)
}

// NewTable creates the product's table under a name of its own and returns the
// name. Time to live stays off: tests play at instants of their own, and an
// emulator deletes by the real clock.
func NewTable(t *testing.T, client *dynamodb.Client) string {
	t.Helper()
	name := "replyonce-" + ulid.Make().String()
	if _, err := client.CreateTable(t.Context(), dynamostore.TableInput(name)); err != nil {
		t.Fatalf("create table: %v", err)
	}
	return name
}

// NewExternalTable is NewTable on an engine that takes its time. The table is
// deleted at the end of the test. One emulator never reports a table as active,
// so those in the test's own process, which need no time, are not waited for.
func NewExternalTable(t *testing.T, client *dynamodb.Client) string {
	t.Helper()
	name := NewTable(t, client)
	t.Cleanup(func() {
		ctx := context.WithoutCancel(t.Context())
		if _, err := client.DeleteTable(ctx, &dynamodb.DeleteTableInput{TableName: aws.String(name)}); err != nil {
			t.Logf("delete table %s: %v", name, err)
		}
	})
	waiter := dynamodb.NewTableExistsWaiter(client, func(o *dynamodb.TableExistsWaiterOptions) {
		o.MinDelay, o.MaxDelay = 200*time.Millisecond, time.Second
	})
	if err := waiter.Wait(t.Context(), &dynamodb.DescribeTableInput{TableName: aws.String(name)}, time.Minute); err != nil {
		t.Fatalf("wait for table: %v", err)
	}
	return name
}
