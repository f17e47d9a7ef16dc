//go:build !no_anthropic

package main

import (
	"github.com/replyonce/replyonce/shared/functionmain"
	"github.com/replyonce/replyonce/shared/llmprovider"
	"github.com/replyonce/replyonce/shared/llmprovider/anthropicmessages"
	"github.com/replyonce/replyonce/shared/replywork"
	"github.com/replyonce/replyonce/shared/runtimeconfig"
)

func init() {
	adapters[runtimeconfig.ProviderAnthropic] = func(s setup) (llmprovider.Provider, error) { return anthropicmessages.New(s.messages()) }
}

func (s setup) messages() anthropicmessages.Options {
	return anthropicmessages.Options{
		Key: s.key, Model: s.config.Model, BaseURL: s.config.ProviderURL,
		MaxOutputTokens: s.config.MaxOutputTokens, MaxInputTokens: s.config.MaxInputTokens, MaxReplyBytes: replywork.MaxReplyBytes,
		Now: functionmain.Now, Client: s.client, Log: s.log,
	}
}
