// Command probe asks a provider the same cheap question twice with one idempotency
// key and prints what came back. It costs two short answers at the most. The settings
// are those of the worker: REPLYONCE_PROVIDER, _PROVIDER_URL, _MODEL, _PROVIDER_KEY.
package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/signal"
	"time"

	"github.com/aws/aws-sdk-go-v2/config"

	"github.com/replyonce/replyonce/shared/llmprovider"
	"github.com/replyonce/replyonce/shared/llmprovider/anthropicmessages"
	"github.com/replyonce/replyonce/shared/llmprovider/bedrockconverse"
	"github.com/replyonce/replyonce/shared/llmprovider/openaichat"
	"github.com/replyonce/replyonce/shared/llmprovider/openairesponses"
	"github.com/replyonce/replyonce/shared/llmprovider/probe"
	"github.com/replyonce/replyonce/shared/llmprovider/scripted"
	"github.com/replyonce/replyonce/shared/runtimeconfig"
)

// limit is how long both requests may take together.
const limit = 3 * time.Minute

type settings struct{ provider, url, model, key string }

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	s := settings{os.Getenv("REPLYONCE_PROVIDER"), os.Getenv("REPLYONCE_PROVIDER_URL"), os.Getenv("REPLYONCE_MODEL"), os.Getenv("REPLYONCE_PROVIDER_KEY")}
	if err := run(ctx, s, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, s settings, out io.Writer) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	report, err := probe.Run(ctx, s.connect, rand.Text())
	if err != nil {
		return err //nolint:wrapcheck // says what it is
	}
	return probe.Print(out, report) //nolint:wrapcheck // says what it is
}

var errNoKey = errors.New("no key: set REPLYONCE_PROVIDER_KEY")

func (s settings) readKey(context.Context) (string, error) {
	if s.key == "" {
		return "", errNoKey
	}
	return s.key, nil
}

func (s settings) connect(ctx context.Context, client *http.Client) (llmprovider.Provider, error) {
	switch s.provider {
	case runtimeconfig.ProviderOpenAI:
		return openairesponses.New(openairesponses.Options{BaseURL: s.url, Model: s.model, Key: s.readKey, Now: time.Now, Client: client})
	case runtimeconfig.ProviderOpenAICompatible:
		options := openaichat.Options{BaseURL: s.url, Model: s.model, Now: time.Now, Client: client}
		if s.key != "" {
			options.Key = s.readKey
		}
		return openaichat.New(options)
	case runtimeconfig.ProviderAnthropic:
		return anthropicmessages.New(anthropicmessages.Options{BaseURL: s.url, Model: s.model, Key: s.readKey, Now: time.Now, Client: client})
	case runtimeconfig.ProviderBedrock:
		loaded, err := config.LoadDefaultConfig(ctx)
		if err != nil {
			return nil, fmt.Errorf("load AWS settings: %w", err)
		}
		return bedrockconverse.New(bedrockconverse.Options{Config: loaded, BaseURL: s.url, Model: s.model, Now: time.Now, Client: client})
	case runtimeconfig.ProviderScripted:
		return scripted.Connect(ctx, scripted.Options{BaseURL: s.url, Now: time.Now, Client: client})
	}
	return nil, fmt.Errorf("provider %q cannot be probed: set PROVIDER to openai, openai-compatible, anthropic, bedrock or scripted", s.provider)
}
