// Package modelserver serves the scripted model provider from this program:
// killing a worker loses nothing of its log.
package modelserver

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/replyonce/replyonce/shared/providertest"
)

// Server is a scripted provider that listens.
type Server struct {
	*providertest.Server
	url string
	web *http.Server
}

// Start serves on a free port of this machine.
func Start(ctx context.Context, o providertest.Options) (*Server, error) {
	provider, err := providertest.New(o)
	if err != nil {
		return nil, fmt.Errorf("start the provider: %w", err)
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("start the provider: %w", err)
	}
	s := &Server{Server: provider, url: "http://" + listener.Addr().String()}
	s.web = &http.Server{Handler: provider, ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = s.web.Serve(listener) }() // ends with Close
	return s, nil
}

// URL is its address.
func (s *Server) URL() string { return s.url }

// Close ends all requests.
func (s *Server) Close() error {
	if err := errors.Join(s.Server.Close(), s.web.Close()); err != nil {
		return fmt.Errorf("stop the provider: %w", err)
	}
	return nil
}
