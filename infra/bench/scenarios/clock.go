package scenarios

import (
	"sync"
	"time"
)

// clock stands still unless a scenario moves it, so that every run writes the
// same bytes. It starts at a time whose milliseconds have no trailing zeros:
// those would be stored in fewer bytes.
type clock struct {
	mu     sync.Mutex
	passed time.Duration
}

var start = time.Date(2026, time.November, 29, 14, 0, 0, 123_000_000, time.UTC)

func (c *clock) now() time.Time { return start.Add(c.monotonic()) }

func (c *clock) monotonic() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.passed
}

func (c *clock) advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.passed += d
}
