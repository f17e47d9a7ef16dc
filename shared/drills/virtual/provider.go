package virtual

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/replyonce/replyonce/shared/drills"
	"github.com/replyonce/replyonce/shared/llmprovider"
	"github.com/replyonce/replyonce/shared/llmprovider/scripted"
	"github.com/replyonce/replyonce/shared/providertest"
	"github.com/replyonce/replyonce/shared/replywork"
)

// Foreign is a provider's fake that speaks that provider's API, asked through the
// provider's own adapter.
type Foreign struct {
	Handler  http.Handler
	Scripted drills.Scripted
	// Adapter makes the adapter of a process with a way to the fake, at whatever address.
	Adapter func(client *http.Client, now func() time.Time) (llmprovider.Provider, error)
	Close   func()
}

// scriptedProvider is the provider's server, with HTTP over pipes in memory.
type scriptedProvider struct {
	world      *World
	server     *providertest.Server
	foreign    *Foreign
	web        *http.Server
	pipes      *pipes
	capability llmprovider.Capability
	served     chan struct{}
}

// providerURL leads to the pipe, whatever it says.
const providerURL = "http://provider"

func (w *World) startProvider() (*scriptedProvider, error) {
	s := &scriptedProvider{world: w, pipes: newPipes(), served: make(chan struct{})}
	var err error
	s.server, err = providertest.New(providertest.Options{
		Now: w.now, IdempotencyKeys: w.options.Kind.Keys, Lookup: w.options.Kind.Lookup, LogSink: drills.ProviderSink(w.recorder),
	})
	if err != nil {
		return nil, fmt.Errorf("start the provider: %w", err)
	}
	s.web = &http.Server{Handler: s.server} //nolint:gosec // a pipe has no slow senders
	if w.options.Foreign != nil {
		if s.foreign, err = w.options.Foreign(w.now); err != nil {
			return nil, fmt.Errorf("start the provider: %w", err)
		}
		s.web.Handler = s.foreign.Handler
	}
	go func() {
		defer close(s.served)
		_ = s.web.Serve(s.pipes) // ends with close
	}()
	if s.foreign != nil {
		return s, nil
	}
	connected, err := scripted.Connect(context.Background(), scripted.Options{BaseURL: providerURL, Now: w.now, Client: &http.Client{Transport: s.pipes.transport()}})
	if err != nil {
		return nil, errors.Join(fmt.Errorf("start the provider: %w", err), s.close())
	}
	s.capability = connected.Capability()
	return s, nil
}

func (s *scriptedProvider) close() error {
	if s.foreign != nil {
		s.foreign.Close()
	}
	err := errors.Join(s.server.Close(), s.web.Close())
	<-s.served
	if err != nil {
		return fmt.Errorf("stop the provider: %w", err)
	}
	return nil
}

// client is the adapter as a process uses it.
func (s *scriptedProvider) client(p *process) llmprovider.Provider {
	client := &http.Client{Transport: connection{s.pipes.transport(), p}}
	var provider llmprovider.Provider
	var err error
	if s.foreign != nil {
		provider, err = s.foreign.Adapter(client, p.now)
	} else {
		provider, err = scripted.New(scripted.Options{
			BaseURL: providerURL, Now: p.now, Capability: s.capability, MaxReplyBytes: replywork.MaxReplyBytes, Client: client,
		})
	}
	if err != nil {
		panic(fmt.Sprintf("make the provider's client: %v", err)) // its options are constants
	}
	return provider
}

// providerOf panics where a drill wants it.
type providerOf struct {
	llmprovider.Provider
	p *process
}

// Call implements llmprovider.Provider.
func (o providerOf) Call(ctx context.Context, r llmprovider.Request) (llmprovider.Answer, error) {
	w := o.p.world
	w.mu.Lock()
	crash := w.panics[r.Prompt.Question]
	w.mu.Unlock()
	if crash {
		panic("as the drill wants it")
	}
	return o.Provider.Call(ctx, r) //nolint:wrapcheck // changes nothing
}

// connection is a process's way to the provider. It breaks when the process
// dies. One of a frozen process stays open until it is thawed, whatever timers
// fire meanwhile.
type connection struct {
	inner http.RoundTripper
	p     *process
}

// RoundTrip implements http.RoundTripper.
func (c connection) RoundTrip(r *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(r.Context()))
	stopCall := context.AfterFunc(r.Context(), func() {
		c.p.awake()
		cancel()
	})
	stopLife := context.AfterFunc(c.p.ctx, cancel) //nolint:contextcheck // the process can die beside the call
	end := func() {
		stopCall()
		stopLife()
		cancel()
	}
	response, err := c.inner.RoundTrip(r.WithContext(ctx))
	if err != nil {
		end()
		return nil, err //nolint:wrapcheck // a connection changes nothing
	}
	response.Body = &body{response.Body, end}
	return response, nil
}

// body ends its request when it is closed.
type body struct {
	io.ReadCloser
	end func()
}

// Close implements io.Closer.
func (b *body) Close() error {
	defer b.end()
	return b.ReadCloser.Close() //nolint:wrapcheck // a connection changes nothing
}

// pipes is a listener whose connections are pipes.
type pipes struct {
	connections chan net.Conn
	closed      chan struct{}
	once        sync.Once
}

func newPipes() *pipes { return &pipes{connections: make(chan net.Conn), closed: make(chan struct{})} }

// transport makes one connection per request, as the adapters do.
func (p *pipes) transport() *http.Transport {
	return &http.Transport{
		DisableKeepAlives: true, DisableCompression: true,
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			here, there := net.Pipe()
			select {
			case p.connections <- there:
				return here, nil
			case <-p.closed:
				return nil, net.ErrClosed
			case <-ctx.Done():
				return nil, context.Cause(ctx)
			}
		},
	}
}

// Accept implements net.Listener.
func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.connections:
		return c, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

// Close implements net.Listener.
func (p *pipes) Close() error {
	p.once.Do(func() { close(p.closed) })
	return nil
}

// Addr implements net.Listener.
func (p *pipes) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)} }
