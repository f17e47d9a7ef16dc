package lambdahandler_test

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"sync"
	"time"

	"github.com/replyonce/replyonce/shared/telemetry"
	"github.com/replyonce/replyonce/shared/worktask"
)

// clock is moved by tests only.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) add(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// fakeQueue keeps what was published.
type fakeQueue struct {
	mu        sync.Mutex
	published []worktask.Ref
	down      bool
}

func (q *fakeQueue) Publish(ctx context.Context, ref worktask.Ref) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if q.down {
		return errors.New("queue is down")
	}
	q.published = append(q.published, ref)
	return nil
}

func (q *fakeQueue) count() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.published)
}

// countingMetrics adds up.
type countingMetrics struct {
	mu     sync.Mutex
	counts map[telemetry.Metric]int
}

func (m *countingMetrics) Count(metric telemetry.Metric, n int, _ ...telemetry.Dimension) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.counts[metric] += n
}

func (m *countingMetrics) Gauge(telemetry.Metric, float64, ...telemetry.Dimension) {}

func (m *countingMetrics) of(metric telemetry.Metric) int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.counts[metric]
}

// lockedBuffer collects log lines.
type lockedBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.String()
}

func (b *lockedBuffer) contains(text string) bool { return strings.Contains(b.String(), text) }
