package faultproxy

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"sync"
	"time"
)

// maxBody bounds a request body; DynamoDB takes 16 MB at most.
const maxBody = 16 << 20

// checksumHeader is on every answer of DynamoDB, but not on the emulator's. The SDK then complains of each
// one, in a line of the function's log.
const checksumHeader = "X-Amz-Crc32"

// Exchange is a request and its answer, for observers.
type Exchange struct {
	Request  *Request
	Response *Response // nil when the endpoint was not reached or the connection was cut
	Err      error
}

// Proxy is an HTTP server in front of an AWS endpoint.
type Proxy struct {
	listener net.Listener
	server   *http.Server
	client   *http.Transport
	resign   *resigner

	mu        sync.RWMutex
	endpoint  *url.URL
	rules     []*Installed
	observers []func(Exchange)

	counts counts
}

// Listen starts a proxy on a free loopback port, in front of the endpoint. credentials are needed only
// by an endpoint that checks signatures; the proxy then signs each request again with them, because the
// functions sign for the proxy's address and with names instead of keys.
func Listen(endpoint string, credentials *Credentials) (*Proxy, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0") //nolint:noctx // a loopback port is there at once
	if err != nil {
		return nil, fmt.Errorf("listen for the fault proxy: %w", err)
	}
	p := &Proxy{
		listener: listener,
		client: &http.Transport{
			MaxIdleConnsPerHost: 256,
			DisableCompression:  true, // bodies pass as they are
			IdleConnTimeout:     time.Minute,
		},
		resign: newResigner(credentials),
	}
	if err := p.SetEndpoint(endpoint); err != nil {
		_ = listener.Close()
		return nil, err
	}
	p.server = &http.Server{Handler: p, ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = p.server.Serve(listener) }() // ends with Close
	return p, nil
}

// URL is the address that the functions get as AWS_ENDPOINT_URL.
func (p *Proxy) URL() string { return "http://" + p.listener.Addr().String() }

// SetEndpoint changes where requests go, after the endpoint was started anew.
func (p *Proxy) SetEndpoint(endpoint string) error {
	parsed, err := url.Parse(endpoint)
	if err != nil || parsed.Host == "" {
		return fmt.Errorf("endpoint %q is not a URL with a host", endpoint)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.endpoint = parsed
	return nil
}

// Close ends the proxy and all connections.
func (p *Proxy) Close() error {
	p.client.CloseIdleConnections()
	if err := p.server.Close(); err != nil {
		return fmt.Errorf("close the fault proxy: %w", err)
	}
	return nil
}

// Install adds a rule. Of several rules that select a request, the one installed first acts. It panics on
// a rule without an action or with a malformed pattern, which is a mistake in the calling code.
func (p *Proxy) Install(rule Rule) *Installed {
	if err := rule.check(); err != nil {
		panic(err)
	}
	installed := &Installed{rule: rule, proxy: p, changed: make(chan struct{})}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.rules = append(p.rules, installed)
	return installed
}

func (p *Proxy) remove(installed *Installed) {
	p.mu.Lock()
	defer p.mu.Unlock()
	// A new slice: requests in flight walk the old one.
	p.rules = slices.DeleteFunc(slices.Clone(p.rules), func(i *Installed) bool { return i == installed })
}

// Observe adds a function that gets every exchange after its end, from several goroutines.
func (p *Proxy) Observe(observer func(Exchange)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.observers = append(p.observers, observer)
}

// ServeHTTP passes a request on, or does to it what a rule says.
func (p *Proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	req := &Request{Begun: time.Now(), http: r}
	req.Caller, req.Service, req.Operation = identify(r)
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		http.Error(w, "the request body could not be read", http.StatusBadRequest)
		return
	}
	req.Body = body
	p.counts.add(req.Caller, req.Operation)

	resp, err := p.handle(req) //nolint:contextcheck // the request carries its context
	p.tell(Exchange{Request: req, Response: resp, Err: err})
	if err != nil {
		// The documented way to end a connection without an answer.
		panic(http.ErrAbortHandler)
	}
	header := w.Header()
	for name, values := range resp.Header {
		header[name] = values
	}
	if req.Service == "dynamodb" && header.Get(checksumHeader) == "" {
		header.Set(checksumHeader, strconv.FormatUint(uint64(crc32.ChecksumIEEE(resp.Body)), 10))
	}
	w.WriteHeader(resp.Status)
	_, _ = w.Write(resp.Body) // the sender may be gone
}

func (p *Proxy) handle(req *Request) (*Response, error) {
	forward := func() (*Response, error) { return p.forward(req) }
	p.mu.RLock()
	rules := p.rules
	p.mu.RUnlock()
	for _, rule := range rules {
		if rule.claims(req) {
			resp, err := rule.rule.Do(req, forward)
			if err == nil && resp == nil {
				err = errors.New("the rule's action gave no answer")
			}
			return resp, err
		}
	}
	return forward()
}

// forward sends the request to the endpoint, with the sender's headers and body.
func (p *Proxy) forward(req *Request) (*Response, error) {
	ctx := req.http.Context()
	if req.Operation != "sqs.ReceiveMessage" {
		// A write lands even if its sender dies meanwhile. A long poll has to end with its sender,
		// or it would take messages that nobody gets.
		ctx = context.WithoutCancel(ctx)
	}
	p.mu.RLock()
	endpoint := p.endpoint
	p.mu.RUnlock()
	target := *req.http.URL
	target.Scheme, target.Host = endpoint.Scheme, endpoint.Host
	out, err := http.NewRequestWithContext(ctx, req.http.Method, target.String(), bytes.NewReader(req.Body))
	if err != nil {
		return nil, fmt.Errorf("forward %s: %w", req.Operation, err)
	}
	out.Header = req.http.Header.Clone()
	out.Header.Del("Connection")
	if err := p.resign.sign(ctx, out, req); err != nil {
		return nil, err
	}
	in, err := p.client.RoundTrip(out)
	if err != nil {
		return nil, fmt.Errorf("forward %s: %w", req.Operation, err)
	}
	defer func() { _ = in.Body.Close() }()
	answer, err := io.ReadAll(in.Body)
	if err != nil {
		return nil, fmt.Errorf("read answer of %s: %w", req.Operation, err)
	}
	return &Response{Status: in.StatusCode, Header: in.Header, Body: answer}, nil
}

func (p *Proxy) tell(exchange Exchange) {
	p.mu.RLock()
	observers := p.observers
	p.mu.RUnlock()
	for _, observer := range observers {
		observer(exchange)
	}
}
