package lambdaruntime

import (
	"context"
	"sync"
	"time"
)

// Sandbox is the power that an environment has over its process. Every method may be called after the
// process has ended and then does nothing.
type Sandbox interface {
	Freeze() // stop the process until Thaw: it waits for work
	Thaw()
	Kill() // end the process: its time is over
}

// Environment is one incarnation of a function's process.
type Environment struct {
	function *Function
	name     string
	path     string
	sandbox  Sandbox

	ready     chan struct{} // closed at the first poll
	gone      chan struct{} // closed when the process has ended
	readyOnce sync.Once

	mu      sync.Mutex
	current *invocation
	timer   *time.Timer
	exited  bool
	initErr *FunctionError
}

// NewEnvironment registers a process that is about to be started. sandbox may be used as soon as the
// process speaks to [Environment.Address].
func (f *Function) NewEnvironment(process string, sandbox Sandbox) *Environment {
	env := &Environment{
		function: f,
		name:     process,
		sandbox:  sandbox,
		ready:    make(chan struct{}),
		gone:     make(chan struct{}),
	}
	f.server.register(env)
	return env
}

// Address is the value of AWS_LAMBDA_RUNTIME_API for the process.
func (e *Environment) Address() string { return e.function.server.Address() + "/" + e.path }

// Ready is closed when the process has asked for work for the first time: its initialisation is over.
func (e *Environment) Ready() <-chan struct{} { return e.ready }

// InitError returns the error that the process reported before it asked for work, or nil.
func (e *Environment) InitError() *FunctionError {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.initErr
}

// Exited ends the environment: the process is gone, and cause says how. The invocation that it had, if
// any, ends now with [TypeExit].
func (e *Environment) Exited(cause error) {
	e.function.server.unregister(e)
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.exited {
		return
	}
	e.exited = true
	close(e.gone)
	e.finish(Result{}, exitError(cause))
}

// next waits for an invocation. It returns nil when the environment has ended or the request for work
// was given up; no invocation is lost then.
func (e *Environment) next(ctx context.Context) (*invocation, time.Time) {
	e.mu.Lock()
	// A runtime that asks for work while it owes an answer will never give it.
	e.finish(Result{}, &FunctionError{Type: TypeNoResponse, Message: "Runtime asked for the next event before it answered"})
	e.mu.Unlock()
	e.readyOnce.Do(func() { close(e.ready) })

	inv := e.take(ctx)
	if inv == nil {
		return nil, time.Time{}
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.exited || ctx.Err() != nil {
		// The process died between asking and getting: it has seen nothing, so another may have it.
		go e.function.requeue(inv)
		return nil, time.Time{}
	}
	limit := e.function.settings.Timeout
	deadline := time.Now().Add(limit)
	e.current = inv
	e.timer = time.AfterFunc(limit, func() { e.timeOut(inv) })
	return inv, deadline
}

// take receives from the function's queue; the process is frozen while it waits.
func (e *Environment) take(ctx context.Context) *invocation {
	select {
	case inv := <-e.function.queue:
		return inv
	default:
	}
	e.sandbox.Freeze()
	defer e.sandbox.Thaw()
	select {
	case inv := <-e.function.queue:
		return inv
	case <-e.gone:
	case <-ctx.Done():
	case <-e.function.server.closed:
	}
	return nil
}

// requeue gives an invocation that was taken and never handed over to the next environment.
func (f *Function) requeue(inv *invocation) {
	select {
	case f.queue <- inv:
	case <-f.server.closed:
		inv.end(Result{}, ErrClosed)
	}
}

// answer ends the invocation with the id; false when the environment does not have it (any more).
func (e *Environment) answer(id string, payload []byte, failure *FunctionError) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.current == nil || e.current.id != id {
		return false
	}
	e.finish(Result{Payload: payload, Process: e.name, RequestID: id}, failure)
	return true
}

// finish ends the current invocation, if there is one. e.mu is held.
func (e *Environment) finish(result Result, failure *FunctionError) {
	if e.current == nil {
		return
	}
	inv := e.current
	e.current = nil
	e.timer.Stop()
	if failure == nil {
		inv.end(result, nil)
		return
	}
	failure.Function, failure.Process, failure.RequestID = e.function.settings.Name, e.name, inv.id
	inv.end(Result{}, failure)
}

// timeOut ends an invocation whose time is over and kills the process, which is what Lambda does.
func (e *Environment) timeOut(inv *invocation) {
	e.mu.Lock()
	late := e.current == inv
	if late {
		e.finish(Result{}, timeoutError(e.function.settings.Timeout))
	}
	e.mu.Unlock()
	if late {
		e.sandbox.Kill()
	}
}

// failInit records an error of the initialisation. Lambda lets the process end and starts another.
func (e *Environment) failInit(failure *FunctionError) {
	e.mu.Lock()
	defer e.mu.Unlock()
	failure.Function, failure.Process = e.function.settings.Name, e.name
	e.initErr = failure
}
