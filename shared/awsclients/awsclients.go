// Package awsclients makes the clients of AWS services from the standard
// settings: region, credentials, and AWS_ENDPOINT_URL or its variants per
// service, which point everything at an emulator.
package awsclients

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
)

// requestTimeout ends a request whose answer does not come. The SDK itself
// waits without limit, and one dead connection would use up the time in which
// the function could still ask again. Nothing here waits long on purpose: the
// functions receive from no queue.
const requestTimeout = 5 * time.Second

// Load reads the settings.
func Load(ctx context.Context) (aws.Config, error) {
	cfg, err := config.LoadDefaultConfig(ctx, config.WithHTTPClient(awshttp.NewBuildableClient().WithTimeout(requestTimeout)))
	if err != nil {
		return aws.Config{}, fmt.Errorf("load AWS settings: %w", err)
	}
	return cfg, nil
}

// DynamoDB makes a client with the SDK's own retries for that service. They
// make a write whose first answer was lost look refused; the store knows.
func DynamoDB(cfg aws.Config) *dynamodb.Client { return dynamodb.NewFromConfig(cfg) }

// SQS makes a client.
func SQS(cfg aws.Config) *sqs.Client { return sqs.NewFromConfig(cfg) }

// S3 makes a client. Emulators on one machine have no host name per bucket, so
// with an endpoint of its own the bucket goes into the path.
func S3(cfg aws.Config) *s3.Client {
	return s3.NewFromConfig(cfg, func(o *s3.Options) {
		o.UsePathStyle = os.Getenv("AWS_ENDPOINT_URL_S3") != "" || os.Getenv("AWS_ENDPOINT_URL") != ""
	})
}
