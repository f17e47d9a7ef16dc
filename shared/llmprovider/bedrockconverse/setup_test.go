package bedrockconverse_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/smithy-go/auth/bearer"
	"github.com/aws/smithy-go/logging"

	"github.com/replyonce/replyonce/shared/llmprovider"
	"github.com/replyonce/replyonce/shared/llmprovider/bedrockconverse"
	"github.com/replyonce/replyonce/shared/providertest/fakebedrock"
	"github.com/replyonce/replyonce/shared/providertest/fakeprovider"
)

// testCredentials are those of a role: with a session token.
var testCredentials = aws.Credentials{
	AccessKeyID: "AKIDEXAMPLE", SecretAccessKey: "secret-access-key-0123456789", SessionToken: "session-token-0123456789",
}

const (
	testModel = "eu.vendor.model-1:0"
	// secretText stands in the document and may be in no log and no error.
	secretText = "xyzzy-confidential"
)

// operations are the two ways to ask.
var operations = map[string]bool{"Converse": false, "ConverseStream": true}

// scene is a provider, the fake that it asks, and what it logs.
type scene struct {
	t        *testing.T
	server   *fakeprovider.Server
	provider *bedrockconverse.Provider
	log      *lockedBuffer
	request  llmprovider.Request
}

// setup returns a scene whose next requests take these steps. Whatever the test
// does, neither the key nor the document is ever logged.
func setup(t *testing.T, streaming bool, steps ...fakeprovider.Step) *scene {
	t.Helper()
	return setupWith(t, func(o *bedrockconverse.Options) { o.Streaming = streaming }, steps...)
}

func setupWith(t *testing.T, change func(*bedrockconverse.Options), steps ...fakeprovider.Step) *scene {
	t.Helper()
	s := &scene{t: t, server: fakebedrock.Start(t, testCredentials), log: new(lockedBuffer)}
	s.server.Script("", steps...)
	options := bedrockconverse.Options{
		Config: testConfig(), BaseURL: s.server.URL, Model: testModel, Now: time.Now,
		Log: slog.New(slog.NewJSONHandler(s.log, &slog.HandlerOptions{Level: slog.LevelDebug})),
	}
	options.Config.Logger = logging.NewStandardLogger(s.log)
	change(&options)
	var err error
	if s.provider, err = bedrockconverse.New(options); err != nil {
		t.Fatal(err)
	}
	s.request = llmprovider.Request{Prompt: samplePrompt(), Key: "01J0000000000000000000TASK"}
	t.Cleanup(func() { checkSecrets(t, "the log", s.log.String()) })
	return s
}

// testConfig has retries, logs and a bearer token as the environment may set them.
func testConfig() aws.Config {
	return aws.Config{
		Region: fakebedrock.Region, Credentials: fixedCredentials(testCredentials),
		RetryMaxAttempts: 5, RetryMode: aws.RetryModeStandard, ClientLogMode: aws.LogRequestWithBody | aws.LogResponseWithBody,
		BearerAuthTokenProvider: bearer.StaticTokenProvider{Token: bearer.Token{Value: "bearer-token-0123456789"}},
		AuthSchemePreference:    []string{"httpBearerAuth"},
	}
}

func fixedCredentials(fixed aws.Credentials) aws.CredentialsProvider {
	return aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) { return fixed, nil })
}

func samplePrompt() llmprovider.Prompt {
	return llmprovider.Prompt{
		Instruction: "Answer from the document.",
		Document:    llmprovider.DocumentText{ID: "d-1", Title: "Rules", Version: 4, Text: "1. The board decides. " + secretText},
		History:     []llmprovider.Turn{{Question: "Who?", Answer: "The board."}},
		Question:    "Who decides?",
		Version:     1,
	}
}

func checkSecrets(t *testing.T, where, text string) {
	t.Helper()
	for _, secret := range []string{
		testCredentials.SecretAccessKey, testCredentials.SessionToken, secretText, "Who decides?", "A fake answer",
	} {
		if strings.Contains(text, secret) {
			t.Errorf("%s shows %q: %s", where, secret, text)
		}
	}
}

// wantFailure calls and expects an outcome of this kind and reason after this
// many requests and generations.
func (s *scene) wantFailure(kind llmprovider.Kind, reason string, requests, generations int) *llmprovider.Error {
	s.t.Helper()
	return s.wantFailureOf(s.t.Context(), kind, reason, requests, generations)
}

func (s *scene) wantFailureOf(ctx context.Context, kind llmprovider.Kind, reason string, requests, generations int) *llmprovider.Error {
	s.t.Helper()
	answer, err := s.provider.Call(ctx, s.request)
	failure, ok := errors.AsType[*llmprovider.Error](err)
	if !ok {
		s.t.Fatalf("got answer %q and error %v, want an *llmprovider.Error", answer.Text, err)
	}
	if failure.Kind != kind || failure.Reason != reason || answer.Text != "" {
		s.t.Errorf("got %q, %v, want %s (%s)", answer.Text, failure, kind, reason)
	}
	checkSecrets(s.t, "the error", failure.Error())
	s.wantRequests(requests, generations)
	return failure
}

// wantAnswer calls and expects an answer.
func (s *scene) wantAnswer() llmprovider.Answer {
	s.t.Helper()
	answer, err := s.provider.Call(s.t.Context(), s.request)
	if err != nil {
		s.t.Fatalf("call: %v", err)
	}
	return answer
}

// wantRequests checks the fake's own count.
func (s *scene) wantRequests(requests, generations int) {
	s.t.Helper()
	logged := s.server.Requests()
	if len(logged) != requests || s.server.Generations() != generations {
		s.t.Errorf("the provider saw %d requests and %d generations, want %d and %d",
			len(logged), s.server.Generations(), requests, generations)
	}
	for _, request := range logged {
		if request.Problem != "" {
			s.t.Errorf("request %s is against the API's description: %s", request.ID, request.Problem)
		}
	}
}

// lockedBuffer is a log that several goroutines write.
type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}
