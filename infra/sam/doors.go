package sam

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"strings"
	"time"
)

// Door is a server that hands requests on.
type Door struct {
	listener net.Listener
	server   *http.Server
}

// open listens on the address and serves until Close.
func open(ctx context.Context, address string, handler http.Handler) (*Door, error) {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", address)
	if err != nil {
		return nil, fmt.Errorf("listen on %s: %w", address, err)
	}
	d := &Door{listener: listener, server: &http.Server{Handler: handler, ReadHeaderTimeout: 10 * time.Second}}
	go func() { _ = d.server.Serve(listener) }() // ends with Close
	return d, nil
}

// OpenRelay lets containers reach a server that listens for this machine only:
// it hands on everything that comes to a free port of host.
func OpenRelay(ctx context.Context, host, target string) (*Door, error) {
	handler, err := handOn(target)
	if err != nil {
		return nil, err
	}
	return open(ctx, net.JoinHostPort(host, "0"), handler)
}

// OpenFront is where a browser goes: signing in by name is the one-machine
// stack's, everything else is the API's. A browser sees one origin.
func OpenFront(ctx context.Context, address, api, stack string) (*Door, error) {
	toAPI, err := handOn(api)
	if err != nil {
		return nil, err
	}
	toStack, err := handOn(stack)
	if err != nil {
		return nil, err
	}
	return open(ctx, address, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/local/") {
			toStack.ServeHTTP(w, r)
			return
		}
		toAPI.ServeHTTP(w, r)
	}))
}

func handOn(target string) (http.Handler, error) {
	to, err := url.Parse(target)
	if err != nil {
		return nil, fmt.Errorf("read address %s: %w", target, err)
	}
	return &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(to) }}, nil
}

// URL is where the door is.
func (d *Door) URL() string { return "http://" + d.listener.Addr().String() }

// Close ends the server and all its connections.
func (d *Door) Close() { _ = d.server.Close() } // nobody waits for it any more
