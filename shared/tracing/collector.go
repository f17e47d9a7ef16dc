package tracing

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"sync"
	"time"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"

	"github.com/replyonce/replyonce/shared/telemetry"
)

const (
	// maxWaiting bounds the spans that wait for the end of an invocation; a batch
	// of messages makes about a hundred.
	maxWaiting = 2048
	// pauseAfterFailure is for how long a collector that failed is left alone:
	// while it is down, one invocation in so long waits for it.
	pauseAfterFailure = 30 * time.Second
	maxAnswerBytes    = 4 << 10
)

// collector keeps spans until the end of the invocation and posts them as OTLP.
// There is no goroutine of its own: nothing runs while the process is frozen,
// nor in the middle of another invocation.
type collector struct {
	config Config
	client *http.Client
	secret secretHeaders
	log    *slog.Logger
	now    func() time.Time

	mu      sync.Mutex
	waiting []sdktrace.ReadOnlySpan
	dropped int       // since the last report
	retryAt time.Time // zero: the collector has not failed lately
}

func newCollector(o Options) *collector {
	client := o.Client
	if client == nil {
		// A collector has no reason to send the spans, and the headers, elsewhere.
		client = &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	}
	return &collector{
		config: o.Config, client: client, log: o.Log, now: o.Now,
		secret: secretHeaders{id: o.Config.HeadersSecret, read: o.Secrets},
	}
}

// OnStart implements the SDK's SpanProcessor.
func (c *collector) OnStart(context.Context, sdktrace.ReadWriteSpan) {}

// OnEnd implements the SDK's SpanProcessor.
func (c *collector) OnEnd(s sdktrace.ReadOnlySpan) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.waiting) >= maxWaiting {
		c.dropped++
		return
	}
	c.waiting = append(c.waiting, s)
}

// Shutdown implements the SDK's SpanProcessor.
func (c *collector) Shutdown(context.Context) error { return nil }

// ForceFlush implements the SDK's SpanProcessor.
func (c *collector) ForceFlush(ctx context.Context) error {
	c.flush(ctx)
	return nil
}

// flush implements exporter. Invocations that share the process each flush what
// is there; nobody waits for another one's export.
func (c *collector) flush(ctx context.Context) {
	spans := c.take()
	if len(spans) == 0 {
		return
	}
	ctx, cancel := context.WithTimeoutCause(ctx, c.config.Timeout, fmt.Errorf("no answer within %s", c.config.Timeout))
	defer cancel()
	if err := c.export(ctx, spans); err != nil {
		if cause := context.Cause(ctx); cause != nil {
			err = cause
		}
		c.pause()
		c.log.Warn("spans not exported", telemetry.KeyCount, len(spans), telemetry.KeyError, err)
	}
}

// take hands out what waits; after a failure it throws it away for a while,
// because what cannot be sent must not pile up.
func (c *collector) take() []sdktrace.ReadOnlySpan {
	c.mu.Lock()
	defer c.mu.Unlock()
	spans := c.waiting
	c.waiting = nil
	if c.now().Before(c.retryAt) {
		c.dropped += len(spans)
		return nil
	}
	if c.dropped > 0 && len(spans) > 0 {
		c.log.Warn("spans dropped", telemetry.KeyCount, c.dropped)
		c.dropped = 0
	}
	return spans
}

// pause leaves the collector alone for a while.
func (c *collector) pause() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.retryAt = c.now().Add(pauseAfterFailure)
}

func (c *collector) export(ctx context.Context, spans []sdktrace.ReadOnlySpan) error {
	body, err := encodeOTLP(spans)
	if err != nil {
		return fmt.Errorf("encode spans: %w", err)
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, c.config.Endpoint, bytes.NewReader(body))
	if err != nil {
		return errors.New("the endpoint cannot be used") // the error would quote it
	}
	request.Header.Set("Content-Type", "application/json")
	if err := c.identify(ctx, request); err != nil {
		return err
	}
	response, err := c.client.Do(request)
	if err != nil {
		if failed, ok := errors.AsType[*url.Error](err); ok {
			err = failed.Err // without the address, which may hold a key
		}
		return fmt.Errorf("post spans: %w", err)
	}
	defer func() { _ = response.Body.Close() }() // nothing follows from it
	_, _ = io.CopyN(io.Discard, response.Body, maxAnswerBytes)
	if response.StatusCode == http.StatusUnauthorized || response.StatusCode == http.StatusForbidden {
		c.secret.forget() // it may have been replaced meanwhile
	}
	if response.StatusCode/100 != 2 {
		return fmt.Errorf("the collector answered %d", response.StatusCode)
	}
	return nil
}
