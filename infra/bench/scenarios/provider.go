package scenarios

import (
	"context"
	"runtime"
	"strings"
	"sync/atomic"

	"github.com/replyonce/replyonce/shared/llmprovider"
)

// replyBytes is the size of the reply that all scenarios save.
const replyBytes = 800

// provider answers at once and always the same. Between a call and its answer,
// and before the call, the scenario may step in.
type provider struct {
	calls      atomic.Int64
	beforeCall func()
	afterCall  func()
}

func (p *provider) Name() string { return "example" }

func (p *provider) Capability() llmprovider.Capability { return llmprovider.Capability{} }

func (p *provider) Call(context.Context, llmprovider.Request) (llmprovider.Answer, error) {
	run(&p.beforeCall)
	p.calls.Add(1)
	run(&p.afterCall)
	return llmprovider.Answer{
		Text: strings.Repeat("An answer of forty bytes, said and done. ", replyBytes)[:replyBytes], Provider: "example", Model: "example-large-2026-11",
		ProviderRequestID: "req_01K3Z8QJ4T5V6W7X8Y9ZABCDEF", LanguageModel: true, InputTokens: 2187, OutputTokens: 213,
	}, nil
}

func (p *provider) Lookup(context.Context, string) (llmprovider.Answer, error) {
	return llmprovider.Answer{}, llmprovider.ErrLookupUnsupported
}

// run calls a hook once.
func run(hook *func()) {
	f := *hook
	*hook = nil
	if f != nil {
		f()
	}
}

// die ends the worker at this very point, as far as one goroutine can: nothing
// that it would have written after it is written. Its timers stop, and what the
// handler answers is thrown away, as Lambda does when a process ends.
func die() { runtime.Goexit() }
