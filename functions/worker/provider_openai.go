//go:build !no_openai

package main

import (
	"github.com/replyonce/replyonce/shared/functionmain"
	"github.com/replyonce/replyonce/shared/llmprovider"
	"github.com/replyonce/replyonce/shared/llmprovider/openairesponses"
	"github.com/replyonce/replyonce/shared/replywork"
	"github.com/replyonce/replyonce/shared/runtimeconfig"
)

func init() {
	adapters[runtimeconfig.ProviderOpenAI] = func(s setup) (llmprovider.Provider, error) { return openairesponses.New(s.responses()) }
}

// responses: a response that takes longer than a lease is left to the provider,
// and a later look-up brings it.
func (s setup) responses() openairesponses.Options {
	return openairesponses.Options{
		Key: s.key, Model: s.config.Model, BaseURL: s.config.ProviderURL,
		MaxOutputTokens: s.config.MaxOutputTokens, MaxInputTokens: s.config.MaxInputTokens, MaxReplyBytes: replywork.MaxReplyBytes,
		HandBack: s.config.Timers.Lease, Now: functionmain.Now, Client: s.client, Log: s.log,
	}
}
