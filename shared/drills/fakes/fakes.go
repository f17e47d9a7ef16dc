// Package fakes lets the drills that are about the provider be played on each real
// provider's adapter: the provider is its fake, which speaks the provider's API, and
// the steps of the drills are put into the fake's words.
package fakes

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"

	"github.com/replyonce/replyonce/shared/drills/virtual"
	"github.com/replyonce/replyonce/shared/llmprovider"
	"github.com/replyonce/replyonce/shared/llmprovider/anthropicmessages"
	"github.com/replyonce/replyonce/shared/llmprovider/bedrockconverse"
	"github.com/replyonce/replyonce/shared/llmprovider/openaichat"
	"github.com/replyonce/replyonce/shared/llmprovider/openairesponses"
	"github.com/replyonce/replyonce/shared/providertest"
	"github.com/replyonce/replyonce/shared/providertest/fakeanthropic"
	"github.com/replyonce/replyonce/shared/providertest/fakebedrock"
	"github.com/replyonce/replyonce/shared/providertest/fakeopenai"
	"github.com/replyonce/replyonce/shared/providertest/fakeprovider"
	"github.com/replyonce/replyonce/shared/replywork"
)

// Provider is a provider that drills are played on.
type Provider struct {
	Name string
	// Lookup: what runs at it can be looked up.
	Lookup bool
	// New makes it, for virtual.Options.
	New func(now func() time.Time) (*virtual.Foreign, error)
}

// Settings of the adapters. The address is that of a pipe.
const (
	address = "http://provider"
	model   = "model-1"
	key     = "sk-drill"
)

var credentials = aws.Credentials{AccessKeyID: "AKIDEXAMPLE", SecretAccessKey: "secret-access-key"}

// Providers lists all of them. lease is that of the world's timers, which a worker
// gives a task back after.
func Providers(lease time.Duration) []Provider {
	return []Provider{
		{"openai", true, openAI(func(client *http.Client, now func() time.Time) (llmprovider.Provider, error) {
			return openairesponses.New(openairesponses.Options{
				BaseURL: address + fakeopenai.BasePath, Model: model, Key: readKey, Client: client, Now: now,
				MaxReplyBytes: replywork.MaxReplyBytes, HandBack: lease,
			})
		})},
		{"openai-compatible", false, openAI(func(client *http.Client, now func() time.Time) (llmprovider.Provider, error) {
			return openaichat.New(openaichat.Options{
				BaseURL: address + fakeopenai.BasePath, Model: model, Key: readKey, Client: client, Now: now, MaxReplyBytes: replywork.MaxReplyBytes,
			})
		})},
		{"anthropic", false, dialect(anthropicWords, fakeanthropic.Dialect{Key: key}, func(client *http.Client, now func() time.Time) (llmprovider.Provider, error) {
			return anthropicmessages.New(anthropicmessages.Options{
				BaseURL: address, Model: model, Key: readKey, Client: client, Now: now, MaxReplyBytes: replywork.MaxReplyBytes,
			})
		})},
		{"bedrock", false, dialect(bedrockWords, fakebedrock.Dialect{Credentials: credentials}, func(client *http.Client, now func() time.Time) (llmprovider.Provider, error) {
			static := aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) { return credentials, nil })
			return bedrockconverse.New(bedrockconverse.Options{
				Config: aws.Config{Region: fakebedrock.Region, Credentials: static}, BaseURL: address, Model: model, Client: client, Now: now,
				MaxReplyBytes: replywork.MaxReplyBytes,
			})
		})},
	}
}

func readKey(context.Context) (string, error) { return key, nil }

type adapter = func(client *http.Client, now func() time.Time) (llmprovider.Provider, error)

func openAI(connect adapter) func(now func() time.Time) (*virtual.Foreign, error) {
	return func(now func() time.Time) (*virtual.Foreign, error) {
		server, err := fakeopenai.New(fakeopenai.Options{Now: now, Keys: []string{key}})
		if err != nil {
			return nil, err //nolint:wrapcheck // says what it is
		}
		return &virtual.Foreign{Handler: server, Scripted: openAIScripts{server}, Adapter: connect, Close: server.Close}, nil
	}
}

func dialect(words words, d fakeprovider.Dialect, connect adapter) func(now func() time.Time) (*virtual.Foreign, error) {
	return func(now func() time.Time) (*virtual.Foreign, error) {
		server, err := fakeprovider.New(fakeprovider.Options{Dialect: d, Now: now})
		if err != nil {
			return nil, err //nolint:wrapcheck // says what it is
		}
		return &virtual.Foreign{Handler: server, Scripted: dialectScripts{server, words}, Adapter: connect, Close: server.Close}, nil
	}
}

// question is what was asked, without the document before it.
func question(turn string) string {
	const mark = "Question:\n"
	return turn[strings.LastIndex(turn, mark)+len(mark):]
}

func untranslatable(step providertest.Step) error {
	return fmt.Errorf("the step %q has no words in this provider's API", step.Action)
}

func retryAfter(step providertest.Step) http.Header {
	return http.Header{"Retry-After": step.RetryAfter}
}
