package fakewire

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
)

// Step is what a fake does with one request.
type Step interface {
	// Validate says what is wrong with a step.
	Validate() error
	// Early reports whether it happens before the body, and with it the question, is
	// read.
	Early() bool
}

// Base is what every fake has: scripts of its steps S, a log of requests R, and gates.
// Make it with NewBase and embed it; all its methods are safe for concurrent use.
type Base[S Step, R any] struct {
	Log     Log[R]
	Scripts Scripts[S]
	Gates   Gates
	// Closing ends with the fake.
	Closing context.Context //nolint:containedctx // the life of the fake
	close   context.CancelFunc

	connections atomic.Int64
}

// NewBase returns a Base.
func NewBase[S Step, R any]() *Base[S, R] {
	b := &Base[S, R]{}
	b.Closing, b.close = context.WithCancel(context.Background())
	return b
}

// Close ends everything that waits. Stop listening after it.
func (b *Base[S, R]) Close() { b.close() }

// Script makes the next requests whose question contains match take these steps, one
// each. Scripts are tried in the order in which they were added; a request that no
// step is left for gets a plain answer.
func (b *Base[S, R]) Script(match string, steps ...S) error { return b.AddScript(match, false, steps) }

// AddScript is Script; with repeat the last step happens for ever.
func (b *Base[S, R]) AddScript(match string, repeat bool, steps []S) error {
	for i, step := range steps {
		if err := step.Validate(); err != nil {
			return fmt.Errorf("step %d for %q: %w", i+1, match, err)
		}
		if step.Early() && match != "" {
			return fmt.Errorf("step %d for %q: it happens before the question is read", i+1, match)
		}
	}
	b.Scripts.Add(match, repeat, steps)
	return nil
}

// Reset removes all scripts and opens all gates. The log stays.
func (b *Base[S, R]) Reset() {
	b.Scripts.Clear()
	b.Gates.OpenAll()
}

// Release opens a gate for everybody who waits at it and for everybody who will.
func (b *Base[S, R]) Release(gate string) { b.Gates.Open(gate) }

// Requests returns the log in order of arrival.
func (b *Base[S, R]) Requests() []R { return b.Log.All() }

// Wait returns when the log is as until wants it.
func (b *Base[S, R]) Wait(ctx context.Context, until func([]R) bool) error {
	return b.Log.Wait(ctx, until)
}

// ConnContext numbers connections for the log; set it on the http.Server.
func (b *Base[S, R]) ConnContext(ctx context.Context, conn net.Conn) context.Context {
	return NumberConnection(func() int64 { return b.connections.Add(1) })(ctx, conn)
}

// Hold waits for a gate's channel or another; false means that the fake is closing. A
// client that goes away meanwhile changes nothing: a model does not notice either.
func (b *Base[S, R]) Hold(done <-chan struct{}) bool {
	select {
	case <-done:
		return true
	case <-b.Closing.Done():
		return false
	}
}

// Listen serves a fake on a loopback port until the test ends, and returns the
// server's address.
func (b *Base[S, R]) Listen(tb testing.TB, handler http.Handler) (url string) {
	tb.Helper()
	listener := httptest.NewUnstartedServer(handler)
	listener.Config.ConnContext = b.ConnContext
	listener.Start()
	tb.Cleanup(func() {
		b.Close()
		listener.Close()
	})
	return listener.URL
}
