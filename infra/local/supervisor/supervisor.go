package supervisor

import (
	"context"
	"sync"
)

// Supervisor owns the processes of a stack.
type Supervisor struct {
	ctx     context.Context
	cancel  context.CancelFunc
	observe func(Line)

	mu        sync.Mutex
	processes map[string]*Process
}

// New returns a supervisor without processes. observe gets every line and event; it is called from
// several goroutines and must not block for long, because the writing process then blocks too.
func New(observe func(Line)) *Supervisor {
	ctx, cancel := context.WithCancel(context.Background())
	return &Supervisor{ctx: ctx, cancel: cancel, observe: observe, processes: make(map[string]*Process)}
}

// Start starts a process and keeps it running until Close. The first start goes on in the background:
// see [Process.Ready].
func (s *Supervisor) Start(spec Spec) *Process {
	p := &Process{
		spec:    spec,
		observe: s.observe,
		done:    make(chan struct{}),
		first:   make(chan struct{}),
		failed:  make(chan struct{}),
	}
	s.mu.Lock()
	s.processes[spec.Name] = p
	s.mu.Unlock()
	go p.supervise(s.ctx)
	return p
}

// Process returns the process with the name, nil when there is none.
func (s *Supervisor) Process(name string) *Process {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.processes[name]
}

// Close ends all processes, first by SIGTERM, then by SIGKILL, and waits for them.
func (s *Supervisor) Close() {
	s.cancel()
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, p := range s.processes {
		<-p.done
	}
}
