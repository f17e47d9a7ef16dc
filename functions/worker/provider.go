package main

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"

	"github.com/aws/aws-sdk-go-v2/aws"

	"github.com/replyonce/replyonce/shared/awsclients"
	"github.com/replyonce/replyonce/shared/functionmain"
	"github.com/replyonce/replyonce/shared/llmprovider"
	"github.com/replyonce/replyonce/shared/llmprovider/builtin"
	"github.com/replyonce/replyonce/shared/llmprovider/openaichat"
	"github.com/replyonce/replyonce/shared/llmprovider/scripted"
	"github.com/replyonce/replyonce/shared/llmprovider/sdkcall"
	"github.com/replyonce/replyonce/shared/providerkey"
	"github.com/replyonce/replyonce/shared/replywork"
	"github.com/replyonce/replyonce/shared/runtimeconfig"
)

// newProvider makes the configured model provider. A key that is kept in a secret
// is read here for the first time: a worker that has none takes no work.
func newProvider(ctx context.Context, config runtimeconfig.WorkerConfig, clients aws.Config, log *slog.Logger) (llmprovider.Provider, error) {
	if config.ProviderSecret == "" {
		var key sdkcall.KeySource
		if config.ProviderKey != "" {
			key = providerkey.Fixed(config.ProviderKey.Reveal())
		}
		return setup{config, clients, log, key, llmprovider.NewClient()}.provider(ctx)
	}
	secret, err := providerkey.NewSecret(providerkey.Options{
		ID: config.ProviderSecret, Secrets: awsclients.SecretsManager(clients), Now: functionmain.Now, Log: log,
	})
	if err != nil {
		return nil, err
	}
	key := sdkcall.KeySource(secret.Key)
	if _, err := key.Read(ctx); err != nil {
		return nil, err
	}
	provider, err := setup{config, clients, log, key, secret.Client(llmprovider.NewClient())}.provider(ctx)
	if err != nil {
		return nil, err
	}
	return secret.Guard(provider), nil
}

// setup is what providers are made from.
type setup struct {
	config  runtimeconfig.WorkerConfig
	clients aws.Config
	log     *slog.Logger
	key     sdkcall.KeySource // nil: none
	client  *http.Client
}

func (s setup) provider(ctx context.Context) (llmprovider.Provider, error) {
	switch s.config.Provider {
	case runtimeconfig.ProviderBuiltin:
		return builtin.New(), nil
	case runtimeconfig.ProviderScripted:
		return scripted.Connect(ctx, scripted.Options{
			BaseURL: s.config.ProviderURL, Now: functionmain.Now, MaxReplyBytes: replywork.MaxReplyBytes,
		})
	case runtimeconfig.ProviderOpenAICompatible:
		return openaichat.New(s.chat())
	}
	build, ok := adapters[s.config.Provider]
	if !ok {
		return nil, fmt.Errorf("this program was built without the provider %s: use %s, which make build makes, too",
			s.config.Provider, runtimeconfig.WorkerProgram(s.config.Provider))
	}
	return build(s)
}

// adapters are those that a build may leave out, by provider: they are built on
// the providers' own SDKs, which make the program larger. What is deployed has the
// one that is configured ([runtimeconfig.WorkerProgram]).
var adapters = map[string]func(setup) (llmprovider.Provider, error){}

func (s setup) chat() openaichat.Options {
	return openaichat.Options{
		Key: s.key, Model: s.config.Model, BaseURL: s.config.ProviderURL,
		MaxOutputTokens: s.config.MaxOutputTokens, MaxInputTokens: s.config.MaxInputTokens, MaxReplyBytes: replywork.MaxReplyBytes,
		Now: functionmain.Now, Client: s.client, Log: s.log,
	}
}
