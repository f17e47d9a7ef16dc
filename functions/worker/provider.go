package main

import (
	"context"
	"fmt"

	"github.com/replyonce/replyonce/shared/functionmain"
	"github.com/replyonce/replyonce/shared/llmprovider"
	"github.com/replyonce/replyonce/shared/llmprovider/builtin"
	"github.com/replyonce/replyonce/shared/llmprovider/scripted"
	"github.com/replyonce/replyonce/shared/replywork"
	"github.com/replyonce/replyonce/shared/runtimeconfig"
)

// newProvider makes the configured model provider.
func newProvider(ctx context.Context, config runtimeconfig.WorkerConfig) (llmprovider.Provider, error) {
	switch config.Provider {
	case runtimeconfig.ProviderBuiltin:
		return builtin.New(), nil
	case runtimeconfig.ProviderScripted:
		return scripted.Connect(ctx, scripted.Options{BaseURL: config.ProviderURL, Now: functionmain.Now, MaxReplyBytes: replywork.MaxReplyBytes})
	default:
		return nil, fmt.Errorf("provider %q is unknown", config.Provider)
	}
}
