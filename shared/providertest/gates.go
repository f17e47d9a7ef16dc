package providertest

import "sync"

// gates are named points at which requests wait. A gate that was released stays
// open until the next reset, so the order of "wait" and "release" does not matter.
type gates struct {
	mu    sync.Mutex
	named map[string]chan struct{}
}

// wait returns a channel that is closed when the gate is open.
func (g *gates) wait(name string) <-chan struct{} {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.get(name)
}

func (g *gates) release(name string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	open(g.get(name))
}

// reset lets everybody through and forgets the gates.
func (g *gates) reset() {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, gate := range g.named {
		open(gate)
	}
	g.named = nil
}

func (g *gates) get(name string) chan struct{} {
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
	select {
	case <-gate:
	default:
		close(gate)
	}
}
