package bedrockconverse_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"

	"github.com/replyonce/replyonce/shared/llmprovider"
	"github.com/replyonce/replyonce/shared/llmprovider/bedrockconverse"
	"github.com/replyonce/replyonce/shared/providertest/conformance"
	"github.com/replyonce/replyonce/shared/providertest/fakebedrock"
	"github.com/replyonce/replyonce/shared/providertest/fakeprovider"
)

func against(t *testing.T, server *fakeprovider.Server, config aws.Config) *bedrockconverse.Provider {
	t.Helper()
	return newProvider(t, bedrockconverse.Options{Config: config, BaseURL: server.URL})
}

// wantClass calls and expects an outcome of this class.
func wantClass(t *testing.T, server *fakeprovider.Server, config aws.Config, ctx context.Context, want llmprovider.Class) *llmprovider.Error {
	t.Helper()
	_, err := against(t, server, config).Call(ctx, llmprovider.Request{Prompt: conformance.SamplePrompt()})
	failure := llmprovider.AsError(err)
	if failure == nil || failure.Kind != want.Kind || failure.Reason != want.Reason {
		t.Fatalf("got %v, want %s", err, want)
	}
	return failure
}

// The same bytes at every attempt, today's and those of the next release: the
// golden file changes only with a new prompt version.
func TestRequestBytes(t *testing.T) {
	t.Parallel()
	const profile = "arn:aws:bedrock:eu-central-1:123456789012:inference-profile/eu.other"
	for name, streaming := range operations {
		server := fakebedrock.Start(t, conformance.BedrockCredentials)
		provider := newProvider(t, bedrockconverse.Options{Config: testConfig(), BaseURL: server.URL, Streaming: streaming})
		for _, model := range []string{"", profile} {
			answer, err := provider.Call(t.Context(), llmprovider.Request{Prompt: conformance.SamplePrompt(), Model: model})
			if err != nil || model != "" && answer.Model != model {
				t.Fatalf("%s: %+v, %v", name, answer, err)
			}
		}
		logged := server.Requests()
		conformance.Golden(t, "request.golden.json", logged[0].Body)
		if logged[0].Asked.Stream != streaming || logged[1].Asked.Model != profile {
			t.Errorf("%s: asked %+v and %+v", name, logged[0].Asked, logged[1].Asked)
		}
	}
}

// The role's credentials sign the request, whatever the environment prefers. The
// fake signs again and compares.
func TestRequestsAreSignedByTheRole(t *testing.T) {
	t.Setenv("AWS_BEARER_TOKEN_BEDROCK", "bearer-token-0123456789")
	t.Setenv("AWS_MAX_ATTEMPTS", "5")
	server := fakebedrock.Start(t, conformance.BedrockCredentials)
	if _, err := against(t, server, testConfig()).Call(t.Context(), llmprovider.Request{Prompt: conformance.SamplePrompt()}); err != nil {
		t.Fatal(err)
	}
	header := server.Requests()[0].Header
	if !strings.HasPrefix(header.Get("Authorization"), "AWS4-HMAC-SHA256 ") || header.Get("X-Amz-Security-Token") != conformance.BedrockCredentials.SessionToken {
		t.Errorf("sent %v", header)
	}
	if attempts := header.Get("Amz-Sdk-Request"); attempts != "attempt=1; max=1" {
		t.Errorf("the SDK counts %q", attempts)
	}
}

func TestWrongCredentialsArePermanent(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*aws.Credentials){
		"unknown key":  func(c *aws.Credentials) { c.AccessKeyID = "AKIDOTHER" },
		"wrong secret": func(c *aws.Credentials) { c.SecretAccessKey = "other" },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			wrong := conformance.BedrockCredentials
			change(&wrong)
			config := testConfig()
			config.Credentials = fixedCredentials(wrong)
			wantClass(t, fakebedrock.Start(t, conformance.BedrockCredentials), config, t.Context(), llmprovider.ClassMisconfigured)
		})
	}
}

// Without credentials nothing was sent, and there may be some next time.
func TestNoCredentialsAreRejected(t *testing.T) {
	t.Parallel()
	unavailable, stopped := errors.New("the role's credentials are not there yet"), errors.New("stopped")
	ctx, cancel := context.WithCancelCause(t.Context())
	for name, retrieve := range map[error]func() error{
		unavailable: func() error { return unavailable },
		stopped: func() error {
			cancel(stopped)
			return ctx.Err()
		},
	} {
		server, config := fakebedrock.Start(t, conformance.BedrockCredentials), testConfig()
		config.Credentials = aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) { return aws.Credentials{}, retrieve() })
		calling := t.Context()
		if errors.Is(name, stopped) {
			calling = ctx
		}
		failure := wantClass(t, server, config, calling, llmprovider.ClassRejected)
		if !errors.Is(failure, name) || len(server.Requests()) != 0 {
			t.Errorf("%d requests, and the cause is missing in %v", len(server.Requests()), failure)
		}
	}
}

// What a cache read or wrote is input too.
func TestSpendCountsTheCache(t *testing.T) {
	t.Parallel()
	server := fakebedrock.Start(t, conformance.BedrockCredentials)
	err := server.Script("", fakeprovider.Step{
		Action: fakeprovider.Raw, Status: 200, Header: map[string][]string{"Content-Type": {"application/json"}},
		Body: `{"output":{"message":{"role":"assistant","content":[{"reasoningContent":{}},{"text":"a"}]}},"stopReason":"end_turn",` +
			`"usage":{"inputTokens":1,"outputTokens":2,"totalTokens":33,"cacheReadInputTokens":10,"cacheWriteInputTokens":20}}`,
	})
	if err != nil {
		t.Fatal(err)
	}
	got, err := against(t, server, testConfig()).Call(t.Context(), llmprovider.Request{Prompt: conformance.SamplePrompt()})
	if err != nil || got.InputTokens != 31 || got.OutputTokens != 2 || got.Text != "a" {
		t.Errorf("got %+v, %v", got, err)
	}
}

func TestModelErrorNamesTheModelsStatus(t *testing.T) {
	t.Parallel()
	server := fakebedrock.Start(t, conformance.BedrockCredentials)
	err := server.Script("", fakeprovider.Step{
		Action: fakeprovider.Raw, Status: 424, Body: `{"message":"m","originalStatusCode":503,"resourceName":"r"}`,
		Header: map[string][]string{"X-Amzn-Errortype": {fakebedrock.TypeModelError}},
	})
	if err != nil {
		t.Fatal(err)
	}
	failure := wantClass(t, server, testConfig(), t.Context(), llmprovider.ClassAmbiguous)
	if !strings.Contains(failure.Error(), "the model's status 503") {
		t.Errorf("got %v", failure)
	}
}
