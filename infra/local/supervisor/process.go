package supervisor

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"sync"
	"time"

	"github.com/replyonce/replyonce/infra/local/lambdaruntime"
)

// Limits of a process's life.
const (
	// initLimit is Lambda's time limit of the initialisation:
	// https://docs.aws.amazon.com/lambda/latest/dg/lambda-runtime-environment.html#runtimes-lifecycle-ib
	initLimit = 10 * time.Second
	// givenUpAfter is the number of starts in a row that may fail before Ready reports it.
	givenUpAfter = 3
	restartDelay = 20 * time.Millisecond // after a process that had worked
	firstBackoff = 200 * time.Millisecond
	longBackoff  = 5 * time.Second
	killAfter    = 2 * time.Second // between SIGTERM and SIGKILL
	tailLines    = 20
)

// Spec describes a process that is to run.
type Spec struct {
	Name       string                           // unique, such as "worker-1"
	Path       string                           // the binary
	Function   *lambdaruntime.Function          // where its work comes from
	Env        func(runtimeAPI string) []string // its whole environment; nothing is inherited
	FreezeIdle bool                             // freeze it while it waits for work, as Lambda does
}

// Process is a supervised process: it has one incarnation at a time and gets a new one when that ends.
type Process struct {
	spec    Spec
	observe func(Line)
	done    chan struct{} // closed when the last incarnation is gone
	first   chan struct{} // closed when an incarnation has asked for work for the first time
	failed  chan struct{} // closed when the first starts have failed

	mu      sync.Mutex
	current *incarnation
	starts  int
	tail    []string // last lines of output, to explain a failing start
	initErr error
}

// Name returns the name given in the spec.
func (p *Process) Name() string { return p.spec.Name }

// PID returns the id of the present incarnation, 0 when there is none.
func (p *Process) PID() int { return p.incarnation().pid() }

// Starts returns how many incarnations there have been.
func (p *Process) Starts() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.starts
}

// Kill ends the present incarnation with SIGKILL; another takes its place.
func (p *Process) Kill() { p.incarnation().Kill() }

// Freeze stops the present incarnation (SIGSTOP) until Thaw and returns when it has stopped; its
// successor is not frozen.
func (p *Process) Freeze() { p.incarnation().hold() }

// Thaw lets a frozen incarnation go on.
func (p *Process) Thaw() { p.incarnation().letGo() }

// Ready waits until the process has asked for work for the first time. When its first starts fail, the
// error holds what the process wrote.
func (p *Process) Ready(ctx context.Context) error {
	select {
	case <-p.first:
		return nil
	case <-p.failed:
		p.mu.Lock()
		defer p.mu.Unlock()
		return fmt.Errorf("start %s: %w\n%s", p.spec.Name, p.initErr, strings.Join(p.tail, "\n"))
	case <-ctx.Done():
		return fmt.Errorf("wait for %s: %w", p.spec.Name, context.Cause(ctx))
	}
}

// incarnation returns the present one, or one that has no process.
func (p *Process) incarnation() *incarnation {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.current == nil {
		return &incarnation{}
	}
	return p.current
}

// supervise runs incarnations until ctx ends.
func (p *Process) supervise(ctx context.Context) {
	defer close(p.done)
	failures := 0
	for ctx.Err() == nil {
		worked, err := p.run(ctx)
		if ctx.Err() != nil {
			return
		}
		delay := restartDelay
		if worked {
			failures = 0
		} else {
			failures++
			delay = min(firstBackoff<<min(failures-1, 10), longBackoff)
			p.noteFailedStart(failures, err)
		}
		select {
		case <-time.After(delay):
		case <-ctx.Done():
		}
	}
}

// noteFailedStart gives up on the start of the stack when the process has never worked.
func (p *Process) noteFailedStart(failures int, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if failures == givenUpAfter && !isClosed(p.first) {
		p.initErr = err
		close(p.failed)
	}
}

// run runs one incarnation and tells whether it had asked for work before it ended.
func (p *Process) run(ctx context.Context) (worked bool, err error) {
	body := &incarnation{freezeIdle: p.spec.FreezeIdle}
	env := p.spec.Function.NewEnvironment(p.spec.Name, body)
	output := &lineWriter{emit: p.output}
	cmd := exec.Command(p.spec.Path) //nolint:gosec,noctx // a program of ours; watch ends it in two steps
	cmd.Env = p.spec.Env(env.Address())
	cmd.Stdout, cmd.Stderr = output, output
	cmd.WaitDelay = time.Second
	if err := body.start(cmd); err != nil {
		env.Exited(err)
		return false, err
	}
	p.mu.Lock()
	p.current = body
	p.starts++
	p.mu.Unlock()
	p.event(MessageStarted, map[string]any{"pid": cmd.Process.Pid})

	watched := make(chan struct{})
	stop := make(chan struct{})
	go func() {
		defer close(watched)
		p.watch(ctx, env, body, stop)
	}()
	err = cmd.Wait()
	env.Exited(err)
	close(stop)
	<-watched
	output.flush()
	p.event(exitMessage(ctx), map[string]any{"pid": cmd.Process.Pid, "reason": cmd.ProcessState.String()})
	if failure := env.InitError(); failure != nil {
		err = failure
	}
	if err == nil {
		err = errors.New("the process ended before it asked for work")
	}
	return isClosed(env.Ready()), err
}

// watch kills an incarnation that does not get through its initialisation, and ends it with ctx.
func (p *Process) watch(ctx context.Context, env *lambdaruntime.Environment, body *incarnation, stop <-chan struct{}) {
	limit := time.NewTimer(initLimit)
	defer limit.Stop()
	ready := env.Ready()
	for {
		select {
		case <-ready:
			p.markReady()
			limit.Stop()
			ready = nil
		case <-limit.C:
			body.Kill()
		case <-ctx.Done():
			body.terminate()
			select {
			case <-stop:
			case <-time.After(killAfter):
				body.Kill()
			}
			return
		case <-stop:
			if isClosed(env.Ready()) {
				p.markReady()
			}
			return
		}
	}
}

func (p *Process) markReady() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !isClosed(p.first) {
		close(p.first)
	}
}

func (p *Process) output(raw []byte) {
	p.mu.Lock()
	p.tail = append(p.tail, string(raw))
	if len(p.tail) > tailLines {
		p.tail = p.tail[1:]
	}
	p.mu.Unlock()
	p.observe(parseLine(p.spec.Name, time.Now(), raw))
}

func (p *Process) event(message string, fields map[string]any) {
	p.observe(Line{Process: p.spec.Name, Time: time.Now(), Message: message, Fields: fields})
}

// exitMessage tells an end that Close asked for from any other.
func exitMessage(ctx context.Context) string {
	if ctx.Err() != nil {
		return MessageStopped
	}
	return MessageExited
}

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}
