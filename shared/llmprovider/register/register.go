// Package register is the register of guarantees: for each provider and each way to
// ask it, what its documentation promises about a call whose end nobody saw. It is
// made of the statements of the adapters themselves, by which tasks are recovered,
// so that what is shown is what is done.
package register

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"

	"github.com/replyonce/replyonce/shared/llmprovider"
	"github.com/replyonce/replyonce/shared/llmprovider/anthropicmessages"
	"github.com/replyonce/replyonce/shared/llmprovider/bedrockconverse"
	"github.com/replyonce/replyonce/shared/llmprovider/builtin"
	"github.com/replyonce/replyonce/shared/llmprovider/openaichat"
	"github.com/replyonce/replyonce/shared/llmprovider/openairesponses"
	"github.com/replyonce/replyonce/shared/llmprovider/outcometable"
)

// Entry is what one provider documents about one endpoint.
type Entry struct {
	Provider string
	// Used says that the product asks this way; the others are there for comparison
	// and for those who build on the adapter.
	Used bool

	llmprovider.Capability

	// Outcomes is what the words of its API mean; without any for a provider whose
	// words are our own.
	Outcomes outcometable.Table
}

// Entries are all of them, in the order in which the README names the providers. The
// scripted provider is left out: each of its servers states what it wants.
func Entries() ([]Entry, error) {
	var entries []Entry
	var problems []error
	for _, way := range ways() {
		provider, err := way.provider()
		if err != nil {
			problems = append(problems, err)
			continue
		}
		entries = append(entries, Entry{Provider: provider.Name(), Used: way.used, Capability: provider.Capability(), Outcomes: way.outcomes})
	}
	if err := errors.Join(problems...); err != nil {
		return nil, fmt.Errorf("make register of guarantees: %w", err)
	}
	return entries, nil
}

// way is a provider as it can be asked.
type way struct {
	used     bool
	outcomes outcometable.Table
	provider func() (llmprovider.Provider, error)
}

// A statement does not depend on these, but an adapter wants them.
const (
	anyModel   = "model"
	anyAddress = "http://localhost"
)

var errNoKey = errors.New("there is no key: nothing is asked here")

func noKey(context.Context) (string, error) { return "", errNoKey }

func noClock() time.Time { return time.Time{} }

func ways() []way {
	responses := func(foreground bool) func() (llmprovider.Provider, error) {
		return func() (llmprovider.Provider, error) {
			return openairesponses.New(openairesponses.Options{Key: noKey, Model: anyModel, Foreground: foreground, Now: noClock})
		}
	}
	converse := func(streaming bool) func() (llmprovider.Provider, error) {
		return func() (llmprovider.Provider, error) {
			config := aws.Config{Region: "us-east-1", Credentials: aws.AnonymousCredentials{}}
			return bedrockconverse.New(bedrockconverse.Options{Config: config, Model: anyModel, Streaming: streaming, Now: noClock})
		}
	}
	return []way{
		{true, outcometable.Table{}, func() (llmprovider.Provider, error) { return builtin.New(), nil }},
		{true, openairesponses.Outcomes(), responses(false)},
		{false, openairesponses.Outcomes(), responses(true)},
		{true, openaichat.Outcomes(), func() (llmprovider.Provider, error) {
			return openaichat.New(openaichat.Options{BaseURL: anyAddress, Model: anyModel, Now: noClock})
		}},
		{true, anthropicmessages.Outcomes(), func() (llmprovider.Provider, error) {
			return anthropicmessages.New(anthropicmessages.Options{Key: noKey, Model: anyModel, Now: noClock})
		}},
		{true, bedrockconverse.Outcomes(), converse(false)},
		{false, bedrockconverse.Outcomes(), converse(true)},
	}
}
