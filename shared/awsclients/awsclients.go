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
	"github.com/aws/aws-sdk-go-v2/service/secretsmanager"
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

// DynamoDB makes a client with the SDK's own retries for that service; the store
// turns them off for its writes. The checksum of answers is the service's own:
// emulators send none that is right, and the SDK then gives up the connection.
func DynamoDB(cfg aws.Config) *dynamodb.Client {
	return dynamodb.NewFromConfig(cfg, func(o *dynamodb.Options) {
		o.DisableValidateResponseChecksum = emulated("AWS_ENDPOINT_URL_DYNAMODB")
	})
}

// SecretsManager makes a client.
func SecretsManager(cfg aws.Config) *secretsmanager.Client { return secretsmanager.NewFromConfig(cfg) }

// SecretText returns a reader of texts in Secrets Manager, by ARN or name. The
// client is made with the first reading: most functions have none.
func SecretText(cfg aws.Config) func(ctx context.Context, id string) (string, error) {
	return func(ctx context.Context, id string) (string, error) {
		out, err := SecretsManager(cfg).GetSecretValue(ctx, &secretsmanager.GetSecretValueInput{SecretId: aws.String(id)})
		if err != nil {
			return "", fmt.Errorf("read secret %s: %w", id, err)
		}
		return aws.ToString(out.SecretString), nil
	}
}

// SQS makes a client.
func SQS(cfg aws.Config) *sqs.Client { return sqs.NewFromConfig(cfg) }

// S3 makes a client. Emulators on one machine have no host name per bucket, so
// with an endpoint of its own the bucket goes into the path.
func S3(cfg aws.Config) *s3.Client {
	return s3.NewFromConfig(cfg, func(o *s3.Options) {
		o.UsePathStyle = emulated("AWS_ENDPOINT_URL_S3")
	})
}

// S3At makes a client of an endpoint that is not the function's own: what it signs is
// sent by somebody else. An empty one is the function's own.
func S3At(cfg aws.Config, endpoint string) *s3.Client {
	if endpoint == "" {
		return S3(cfg)
	}
	return s3.NewFromConfig(cfg, func(o *s3.Options) { o.BaseEndpoint, o.UsePathStyle = aws.String(endpoint), true })
}

// emulated reports whether a service has an endpoint of its own: by the
// variable of the service, or by the one for all.
func emulated(variable string) bool {
	return os.Getenv(variable) != "" || os.Getenv("AWS_ENDPOINT_URL") != ""
}
