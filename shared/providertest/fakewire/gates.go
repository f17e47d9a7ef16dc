package fakewire

import "sync"

// Gates are named points at which requests wait. A gate that was opened stays open
// until OpenAll forgets it, so the order of Wait and Open does not matter.
type Gates struct {
	mu    sync.Mutex
	named map[string]chan struct{}
}

// Wait returns a channel that is closed when the gate is open; that of "" always is.
func (g *Gates) Wait(name string) <-chan struct{} {
	g.mu.Lock()
	defer g.mu.Unlock()
	gate := g.get(name)
	if name == "" {
		open(gate)
	}
	return gate
}

// Open opens a gate for everybody who waits at it and for everybody who will.
func (g *Gates) Open(name string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	open(g.get(name))
}

// OpenAll lets everybody through and forgets the gates.
func (g *Gates) OpenAll() {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, gate := range g.named {
		open(gate)
	}
	g.named = nil
}

func (g *Gates) get(name string) chan struct{} {
	if g.named == nil {
		g.named = make(map[string]chan struct{})
	}
	gate, known := g.named[name]
	if !known {
		gate = make(chan struct{})
		g.named[name] = gate
	}
	return gate
}

func open(gate chan struct{}) {
	if !IsOpen(gate) {
		close(gate)
	}
}

// IsOpen reports whether a gate's channel is closed.
func IsOpen(gate <-chan struct{}) bool {
	select {
	case <-gate:
		return true
	default:
		return false
	}
}
