package main

import (
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/credentials"

	"github.com/replyonce/replyonce/shared/llmprovider"
	"github.com/replyonce/replyonce/shared/providertest/fakeanthropic"
	"github.com/replyonce/replyonce/shared/providertest/fakebedrock"
	"github.com/replyonce/replyonce/shared/providertest/fakeopenai"
	"github.com/replyonce/replyonce/shared/providertest/fakeprovider"
	"github.com/replyonce/replyonce/shared/runtimeconfig"
)

const testKey = "sk-test-0123456789"

var testCredentials = aws.Credentials{AccessKeyID: "AKIDEXAMPLE", SecretAccessKey: "secret-access-key-0123456789"}

// made is the provider that a worker with these settings has.
func made(t *testing.T, clients aws.Config, settings map[string]string) (llmprovider.Provider, error) {
	t.Helper()
	environment := map[string]string{
		"REPLYONCE_TABLE": "table", "REPLYONCE_QUEUE_URL": "http://localhost/queue", "REPLYONCE_BUCKET": "bucket", "REPLYONCE_MODEL": "model-1",
	}
	maps.Copy(environment, settings)
	config, err := runtimeconfig.Worker(environment)
	if err != nil {
		t.Fatal(err)
	}
	return newProvider(t.Context(), config, clients, slog.New(slog.DiscardHandler))
}

// leftOut reports whether this build is one without the provider's adapter.
func leftOut(provider string) bool {
	_, built := adapters[provider]
	return !built && runtimeconfig.WorkerProgram(provider) != runtimeconfig.WorkerProgram(runtimeconfig.ProviderBuiltin)
}

// impatient are settings of AWS whose own client gives up at once, with retries.
func impatient() aws.Config {
	return aws.Config{
		Region: fakebedrock.Region, HTTPClient: awshttp.NewBuildableClient().WithTimeout(time.Millisecond), RetryMaxAttempts: 3,
		Credentials: credentials.StaticCredentialsProvider{Value: testCredentials},
	}
}

func ask(t *testing.T, p llmprovider.Provider) llmprovider.Answer {
	t.Helper()
	answer, err := p.Call(t.Context(), llmprovider.Request{Prompt: llmprovider.Prompt{
		Instruction: "Answer from the document.", Question: "Who sleeps?",
		Document: llmprovider.DocumentText{ID: "d", Title: "Rules", Version: 1, Text: "Cats sleep."},
	}})
	if err != nil {
		t.Fatal(err)
	}
	return answer
}

// Each name brings the adapter that it says, and one call is one request.
func TestProvidersAsConfigured(t *testing.T) {
	t.Parallel()
	openai := fakeopenai.NewServer(t, fakeopenai.Options{Now: time.Now, Keys: []string{testKey}})
	keyless := fakeopenai.NewServer(t, fakeopenai.Options{Now: time.Now})
	anthropic := fakeanthropic.Start(t, testKey)
	bedrock := fakebedrock.Start(t, testCredentials)
	if err := bedrock.Script("", fakeprovider.Step{Hold: "slow"}); err != nil {
		t.Fatal(err)
	}
	time.AfterFunc(50*time.Millisecond, func() { bedrock.Release("slow") }) // longer than the settings' client waits
	for name, c := range map[string]struct {
		url, key, endpoint string
		requests           func() int
	}{
		"openai":            {openai.BaseURL, testKey, "POST /responses, background", func() int { return openai.Totals().Generations }},
		"openai-compatible": {keyless.BaseURL, "", "POST /chat/completions", func() int { return len(keyless.Requests()) }},
		"anthropic":         {anthropic.URL, testKey, "POST /v1/messages", func() int { return len(anthropic.Requests()) }},
		"bedrock":           {bedrock.URL, "", "POST /model/{modelId}/converse", func() int { return len(bedrock.Requests()) }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, err := made(t, impatient(), map[string]string{
				"REPLYONCE_LOCAL": "1", "REPLYONCE_PROVIDER": name, "REPLYONCE_PROVIDER_URL": c.url, "REPLYONCE_PROVIDER_KEY": c.key,
				"REPLYONCE_MAX_OUTPUT_TOKENS": "500",
			})
			if leftOut(name) {
				if err == nil || !strings.Contains(err.Error(), "worker-"+name) {
					t.Errorf("%v, want the program that has the adapter to be named", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if answer := ask(t, p); answer.Provider != name || answer.Text == "" || answer.Model != "model-1" {
				t.Errorf("answer %+v", answer)
			}
			if p.Name() != name || p.Capability().Endpoint != c.endpoint || c.requests() != 1 {
				t.Errorf("%s at %s with %d requests", p.Name(), p.Capability().Endpoint, c.requests())
			}
		})
	}
}

func TestBuiltinNeedsNothing(t *testing.T) {
	t.Parallel()
	p, err := made(t, aws.Config{}, nil)
	if err != nil || p.Name() != "builtin" {
		t.Errorf("provider %v, %v", p, err)
	}
}

// secretsManager answers with one secret, and counts.
func secretsManager(t *testing.T, status int, body string) (aws.Config, *atomic.Int64) {
	t.Helper()
	reads := new(atomic.Int64)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		reads.Add(1)
		w.Header().Set("Content-Type", "application/x-amz-json-1.1")
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}))
	t.Cleanup(server.Close)
	cfg := impatient()
	cfg.HTTPClient, cfg.BaseEndpoint = nil, aws.String(server.URL)
	return cfg, reads
}

func TestKeyFromSecret(t *testing.T) {
	t.Parallel()
	openai := fakeopenai.NewServer(t, fakeopenai.Options{Now: time.Now, Keys: []string{testKey}})
	clients, reads := secretsManager(t, http.StatusOK, `{"SecretString":"`+testKey+`\n"}`)
	p, err := made(t, clients, map[string]string{
		"REPLYONCE_PROVIDER": "openai-compatible", "REPLYONCE_PROVIDER_URL": openai.BaseURL, "REPLYONCE_PROVIDER_SECRET": "keys",
	})
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		ask(t, p)
	}
	if reads.Load() != 1 {
		t.Errorf("the secret was read %d times", reads.Load())
	}
}

func TestWorkerWithoutKeyDoesNotStart(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		status     int
		body, want string
	}{
		"not allowed": {http.StatusBadRequest, `{"__type":"AccessDeniedException","message":"no"}`, "AccessDeniedException"},
		"no key":      {http.StatusOK, `{"SecretString":""}`, "it is empty"},
		"no header":   {http.StatusOK, `{"SecretString":"two words"}`, "characters that a header cannot carry"},
	} {
		clients, _ := secretsManager(t, c.status, c.body)
		_, err := made(t, clients, map[string]string{
			"REPLYONCE_PROVIDER": "openai-compatible", "REPLYONCE_PROVIDER_URL": "https://llm.example.com/v1", "REPLYONCE_PROVIDER_SECRET": "keys",
		})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}
