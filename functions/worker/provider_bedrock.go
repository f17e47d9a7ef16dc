//go:build !no_bedrock

package main

import (
	"github.com/replyonce/replyonce/shared/functionmain"
	"github.com/replyonce/replyonce/shared/llmprovider"
	"github.com/replyonce/replyonce/shared/llmprovider/bedrockconverse"
	"github.com/replyonce/replyonce/shared/replywork"
	"github.com/replyonce/replyonce/shared/runtimeconfig"
)

func init() {
	adapters[runtimeconfig.ProviderBedrock] = func(s setup) (llmprovider.Provider, error) { return bedrockconverse.New(s.converse()) }
}

// converse takes region and credentials of the function. Its requests go through
// the client here, and not through that of the settings, which gives up after
// seconds: a model takes longer.
func (s setup) converse() bedrockconverse.Options {
	return bedrockconverse.Options{
		Config: s.clients, Model: s.config.Model, BaseURL: s.config.ProviderURL,
		MaxOutputTokens: s.config.MaxOutputTokens, MaxInputTokens: s.config.MaxInputTokens, MaxReplyBytes: replywork.MaxReplyBytes,
		Now: functionmain.Now, Client: s.client, Log: s.log,
	}
}
