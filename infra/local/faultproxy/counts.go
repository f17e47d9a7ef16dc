package faultproxy

import (
	"maps"
	"sync"
)

// Key names a counter.
type Key struct{ Caller, Operation string }

type counts struct {
	mu sync.Mutex
	n  map[Key]int
}

func (c *counts) add(caller, operation string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.n == nil {
		c.n = make(map[Key]int)
	}
	c.n[Key{caller, operation}]++
}

// Counts returns how many requests each sender has made, by operation.
func (p *Proxy) Counts() map[Key]int {
	p.counts.mu.Lock()
	defer p.counts.mu.Unlock()
	return maps.Clone(p.counts.n)
}

// ResetCounts sets all counters to zero.
func (p *Proxy) ResetCounts() {
	p.counts.mu.Lock()
	defer p.counts.mu.Unlock()
	p.counts.n = nil
}

// Count returns how many requests of the operation were made by all senders together.
func (p *Proxy) Count(operation string) int {
	total := 0
	for key, n := range p.Counts() {
		if key.Operation == operation {
			total += n
		}
	}
	return total
}
