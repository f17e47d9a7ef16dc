package bedrockconverse_test

import (
	"context"
	"os"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/smithy-go/auth/bearer"
	"github.com/aws/smithy-go/logging"

	"github.com/replyonce/replyonce/shared/llmprovider"
	"github.com/replyonce/replyonce/shared/llmprovider/bedrockconverse"
	"github.com/replyonce/replyonce/shared/providertest/conformance"
	"github.com/replyonce/replyonce/shared/providertest/fakebedrock"
)

const testModel = "eu.vendor.model-1:0"

// operations are the two ways to ask.
var operations = map[string]bool{"Converse": false, "ConverseStream": true}

// TestConformance: the shared configuration has retries, logs of whole bodies and a
// bearer token, as the environment may set them.
func TestConformance(t *testing.T) {
	t.Parallel()
	for name, streaming := range operations {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			arm := conformance.Bedrock(streaming)
			arm.New = func(t *testing.T, s conformance.Settings) llmprovider.Provider {
				t.Helper()
				options := bedrockconverse.Options{
					Config: testConfig(), BaseURL: s.BaseURL, Client: s.Client, Log: s.Log, Streaming: streaming,
					MaxInputTokens: s.MaxInputTokens, MaxReplyBytes: s.MaxReplyBytes,
				}
				if s.Log != nil {
					options.Config.Logger = logging.LoggerFunc(func(_ logging.Classification, format string, v ...any) { s.Log.Info(format, "values", v) })
				}
				return newProvider(t, options)
			}
			conformance.Exercise(t, arm)
		})
	}
}

func newProvider(t testing.TB, options bedrockconverse.Options) *bedrockconverse.Provider {
	t.Helper()
	options.Model, options.Now = testModel, time.Now
	provider, err := bedrockconverse.New(options)
	if err != nil {
		t.Fatal(err)
	}
	return provider
}

func testConfig() aws.Config {
	return aws.Config{
		Region: fakebedrock.Region, Credentials: fixedCredentials(conformance.BedrockCredentials),
		RetryMaxAttempts: 5, RetryMode: aws.RetryModeStandard, ClientLogMode: aws.LogRequestWithBody | aws.LogResponseWithBody,
		BearerAuthTokenProvider: bearer.StaticTokenProvider{Token: bearer.Token{Value: "bearer-token-0123456789"}},
		AuthSchemePreference:    []string{"httpBearerAuth"},
	}
}

func fixedCredentials(fixed aws.Credentials) aws.CredentialsProvider {
	return aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) { return fixed, nil })
}

func TestRealEndpoint(t *testing.T) {
	t.Parallel()
	model := os.Getenv("BEDROCK_MODEL")
	if model == "" || os.Getenv("AWS_ACCESS_KEY_ID") == "" {
		t.Skip("set BEDROCK_MODEL and AWS credentials to ask the real service")
	}
	loaded, err := config.LoadDefaultConfig(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for name, streaming := range operations {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			provider, err := bedrockconverse.New(bedrockconverse.Options{
				Config: loaded, Model: model, Now: time.Now, MaxOutputTokens: 400, Streaming: streaming,
			})
			if err != nil {
				t.Fatal(err)
			}
			conformance.Real(t, provider)
		})
	}
}
