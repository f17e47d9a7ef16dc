package probe_test

import (
	"bytes"
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"

	"github.com/replyonce/replyonce/shared/llmprovider"
	"github.com/replyonce/replyonce/shared/llmprovider/anthropicmessages"
	"github.com/replyonce/replyonce/shared/llmprovider/bedrockconverse"
	"github.com/replyonce/replyonce/shared/llmprovider/openaichat"
	"github.com/replyonce/replyonce/shared/llmprovider/openairesponses"
	"github.com/replyonce/replyonce/shared/llmprovider/probe"
	"github.com/replyonce/replyonce/shared/llmprovider/scripted"
	"github.com/replyonce/replyonce/shared/providertest"
	"github.com/replyonce/replyonce/shared/providertest/conformance"
	"github.com/replyonce/replyonce/shared/providertest/fakeanthropic"
	"github.com/replyonce/replyonce/shared/providertest/fakebedrock"
	"github.com/replyonce/replyonce/shared/providertest/fakeopenai"
	"github.com/replyonce/replyonce/shared/providertest/fakeprovider"
)

const (
	apiKey = conformance.PlantedKey
	key    = "probe-key-0001"
)

func readKey(context.Context) (string, error) { return apiKey, nil }

// run probes, checks the verdict and that the printed report shows no secret.
func run(t *testing.T, connect probe.Connect, want probe.Verdict) probe.Report {
	t.Helper()
	report, err := probe.Run(t.Context(), connect, key)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := probe.Print(&out, report); err != nil {
		t.Fatal(err)
	}
	if report.Verdict() != want {
		t.Errorf("verdict %q, want %q:\n%s", report.Verdict(), want, out.String())
	}
	for _, secret := range []string{apiKey, key, conformance.BedrockCredentials.SecretAccessKey, "random number"} {
		if strings.Contains(out.String(), secret) {
			t.Errorf("%q is shown:\n%s", secret, out.String())
		}
	}
	return report
}

func openAI(t *testing.T, ignoreKeys bool) *fakeopenai.Server {
	t.Helper()
	return fakeopenai.NewServer(t, fakeopenai.Options{Now: time.Now, Keys: []string{apiKey}, IgnoreKeys: ignoreKeys})
}

func TestOpenAIRunsTwice(t *testing.T) {
	t.Parallel()
	server := openAI(t, true)
	report := run(t, func(_ context.Context, client *http.Client) (llmprovider.Provider, error) {
		return openairesponses.New(openairesponses.Options{
			BaseURL: server.BaseURL, Key: readKey, Model: "m", Now: time.Now, Client: client, PollInterval: time.Millisecond,
		})
	}, probe.Twice)
	if totals := server.Totals(); totals.Requests != 2 || totals.Generations != 2 || report.Documented {
		t.Errorf("the server saw %+v, the report %+v", totals, report)
	}
}

func TestCompatibleServerRefusesTheHeader(t *testing.T) {
	t.Parallel()
	server := openAI(t, false)
	run(t, func(_ context.Context, client *http.Client) (llmprovider.Provider, error) {
		return openaichat.New(openaichat.Options{BaseURL: server.BaseURL, Key: readKey, Model: "m", Now: time.Now, Client: client})
	}, probe.KeyRefused)
	if violations := server.TakeViolations(); len(violations) != 2 {
		t.Errorf("violations %v", violations)
	}
}

func TestAnthropicRunsTwice(t *testing.T) {
	t.Parallel()
	server := fakeprovider.Start(t, fakeprovider.Options{Dialect: fakeanthropic.Dialect{Key: apiKey}, Now: time.Now, IgnoreKeys: true})
	report := run(t, func(_ context.Context, client *http.Client) (llmprovider.Provider, error) {
		return anthropicmessages.New(anthropicmessages.Options{BaseURL: server.URL, Key: readKey, Model: "m", Now: time.Now, Client: client})
	}, probe.Twice)
	if first, second := report.Sent[0], report.Sent[1]; first.TextSHA256 != second.TextSHA256 || second.OutputTokens == 0 || server.Totals().Generations != 2 {
		t.Errorf("two ids are two generations, whatever the text: %+v", report)
	}
}

// Bedrock's answers have no id: equal texts say nothing.
func TestBedrockCannotBeTold(t *testing.T) {
	t.Parallel()
	server := fakeprovider.Start(t, fakeprovider.Options{
		Dialect: fakebedrock.Dialect{Credentials: conformance.BedrockCredentials}, Now: time.Now, IgnoreKeys: true,
	})
	static := aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) { return conformance.BedrockCredentials, nil })
	connect := func(_ context.Context, client *http.Client) (llmprovider.Provider, error) {
		config := aws.Config{Region: fakebedrock.Region, Credentials: static}
		return bedrockconverse.New(bedrockconverse.Options{Config: config, BaseURL: server.URL, Model: "m", Now: time.Now, Client: client})
	}
	run(t, connect, probe.Undecided)
	text := "{{generation}}"
	if err := server.AddScript("", true, []fakeprovider.Step{{Text: &text}}); err != nil {
		t.Fatal(err)
	}
	run(t, connect, probe.Twice)
}

func TestScriptedProviderWithKeys(t *testing.T) {
	t.Parallel()
	server := providertest.NewServer(t, providertest.Options{Now: time.Now, IdempotencyKeys: true})
	report := run(t, func(ctx context.Context, client *http.Client) (llmprovider.Provider, error) {
		return scripted.Connect(ctx, scripted.Options{BaseURL: server.URL, Now: time.Now, Client: client})
	}, probe.Replayed)
	if totals := server.Totals(); totals.Generations != 1 || totals.Replays != 1 || !report.Documented {
		t.Errorf("the server saw %+v", totals)
	}
}

func TestFailuresAreNoVerdict(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		steps []fakeprovider.Step
		want  probe.Verdict
	}{
		"first":  {[]fakeprovider.Step{{Action: fakeprovider.CutBeforeAnswer}}, probe.Unanswered},
		"second": {[]fakeprovider.Step{{}, {Action: fakeprovider.CutBeforeAnswer}}, probe.SecondFails},
		"repeat": {[]fakeprovider.Step{{}, {Action: fakeprovider.Raw, Status: http.StatusConflict, Header: http.Header{"Idempotency-Key": {key}}}}, probe.Repeat},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := fakeprovider.Start(t, fakeprovider.Options{Dialect: fakeanthropic.Dialect{Key: apiKey}, Now: time.Now, IgnoreKeys: true})
			if err := server.Script("", test.steps...); err != nil {
				t.Fatal(err)
			}
			run(t, func(_ context.Context, client *http.Client) (llmprovider.Provider, error) {
				return anthropicmessages.New(anthropicmessages.Options{BaseURL: server.URL, Key: readKey, Model: "m", Now: time.Now, Client: client})
			}, test.want)
		})
	}
}

func TestUnusableSettingsAreAnError(t *testing.T) {
	t.Parallel()
	_, err := probe.Run(t.Context(), func(_ context.Context, client *http.Client) (llmprovider.Provider, error) {
		return anthropicmessages.New(anthropicmessages.Options{Client: client})
	}, key)
	if err == nil || !strings.Contains(err.Error(), "no model") {
		t.Errorf("got %v", err)
	}
}
