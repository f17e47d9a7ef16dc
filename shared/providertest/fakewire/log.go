package fakewire

import (
	"context"
	"fmt"
	"slices"
	"sync"
)

// Log holds requests in the order of their arrival. It is append-only but for what
// says how a request went on. The zero value is ready for use.
type Log[R any] struct {
	mu       sync.Mutex
	requests []R
	changed  chan struct{}
}

// Add logs a new request and returns its place.
func (l *Log[R]) Add(r R) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.requests = append(l.requests, r)
	l.notify()
	return len(l.requests) - 1
}

// Update changes the request at a place.
func (l *Log[R]) Update(place int, change func(*R)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	change(&l.requests[place])
	l.notify()
}

func (l *Log[R]) notify() {
	if l.changed != nil {
		close(l.changed)
		l.changed = nil
	}
}

// All returns the requests.
func (l *Log[R]) All() []R {
	requests, _ := l.watch()
	return requests
}

// watch returns the requests, and a channel that is closed at the next change.
func (l *Log[R]) watch() ([]R, <-chan struct{}) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.changed == nil {
		l.changed = make(chan struct{})
	}
	return slices.Clone(l.requests), l.changed
}

// Wait returns when the log is as until wants it.
func (l *Log[R]) Wait(ctx context.Context, until func([]R) bool) error {
	for {
		requests, changed := l.watch()
		if until(requests) {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return fmt.Errorf("wait for the fake provider's log: %w", context.Cause(ctx))
		}
	}
}
