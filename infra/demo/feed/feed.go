// Package feed keeps what was observed, in order of arrival, and lets others wait for it.
package feed

import (
	"context"
	"fmt"
	"slices"
	"sync"
)

// Feed is an append-only list. It is safe for concurrent use, and adding never blocks: observers of a
// running stack must not hold up what they observe.
type Feed[T any] struct {
	mu      sync.Mutex
	items   []T
	changed chan struct{} // closed and replaced when items grows
}

// New returns an empty feed.
func New[T any]() *Feed[T] { return &Feed[T]{changed: make(chan struct{})} }

// Add appends an item.
func (f *Feed[T]) Add(item T) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.items = append(f.items, item)
	close(f.changed)
	f.changed = make(chan struct{})
}

// All returns what there is, oldest first.
func (f *Feed[T]) All() []T {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.items)
}

// Wait returns the oldest item that matches, at once if it is there already. match is called once for
// each item and from one goroutine.
func (f *Feed[T]) Wait(ctx context.Context, match func(T) bool) (T, error) {
	seen := 0
	for {
		f.mu.Lock()
		fresh, changed := f.items[seen:], f.changed
		f.mu.Unlock()
		for _, item := range fresh {
			if match(item) {
				return item, nil
			}
		}
		seen += len(fresh)
		select {
		case <-changed:
		case <-ctx.Done():
			var none T
			return none, fmt.Errorf("none of %d observations is the one waited for: %w", seen, context.Cause(ctx))
		}
	}
}
