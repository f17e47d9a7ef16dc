package tracing

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"

	"github.com/replyonce/replyonce/shared/telemetry"
)

// SecretReader reads the text of a secret by its ARN or name.
type SecretReader func(ctx context.Context, id string) (string, error)

// secretHeaders are headers of a collector that a secret holds. They are kept
// until the collector refuses them.
type secretHeaders struct {
	id   string // empty: there is no secret
	read SecretReader

	mu    sync.Mutex
	known map[string]string // nil: not read yet, or refused
}

// get returns the headers, and reads the secret when they are not known. Two
// invocations that find them unknown both read; the lock is not held meanwhile,
// so that nobody waits for somebody else's reading.
func (s *secretHeaders) get(ctx context.Context) (map[string]string, error) {
	if s.id == "" {
		return nil, nil //nolint:nilnil // no secret, no headers
	}
	s.mu.Lock()
	known := s.known
	s.mu.Unlock()
	if known != nil {
		return known, nil
	}
	if s.read == nil {
		return nil, errors.New("nobody can read the secret with the collector's headers")
	}
	text, err := s.read(ctx, s.id)
	if err != nil {
		return nil, fmt.Errorf("read the secret with the collector's headers: %w", err)
	}
	headers, bad := parseHeaders(text)
	if bad > 0 || len(headers) == 0 {
		return nil, errors.New("the secret with the collector's headers is not written as name=value,name=value")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.known = headers
	return headers, nil
}

func (s *secretHeaders) forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.known = nil
}

// prepare reads the secret while the function starts, when Lambda gives time that
// no request waits for. What fails is tried again with the first spans.
func (c *collector) prepare() {
	ctx, cancel := context.WithTimeout(context.Background(), MaxTimeout)
	defer cancel()
	if _, err := c.secret.get(ctx); err != nil {
		c.log.Warn("collector not prepared", telemetry.KeyError, err)
	}
}

// identify puts the headers on a request: those of the secret go before those of
// the environment.
func (c *collector) identify(ctx context.Context, request *http.Request) error {
	secret, err := c.secret.get(ctx)
	if err != nil {
		return err
	}
	for _, headers := range []map[string]string{c.config.Headers, secret} {
		for name, value := range headers {
			request.Header.Set(name, value)
		}
	}
	return nil
}
