package world

import (
	"cmp"
	"context"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"testing/synctest"
	"time"

	"github.com/replyonce/replyonce/shared/history"
	"github.com/replyonce/replyonce/shared/storeerror"
)

// Role is what a process is there for.
type Role string

// The roles.
const (
	API        Role = "api"
	Worker     Role = "worker"
	Dispatcher Role = "dispatcher"
)

// host is where a process runs: the clock outlives the process.
type host struct {
	name        string
	role        Role
	incarnation int
	offset      time.Duration // of its clock from true time; written between steps only
	process     *process      // the one that runs now; nil: none
}

// process is one sandbox with one invocation.
type process struct {
	world *World
	host  *host
	name  string
	actor *history.Actor
	order int       // of its start
	ends  time.Time // true time at which the runtime kills it

	mu      sync.Mutex
	dead    bool
	frozen  bool
	frozeAt time.Time
	lost    time.Duration // time that its monotonic clock has not counted
	suspend bool          // the freeze stops the monotonic clock too
	waiters []waiter      // goroutines that stand still because the process is frozen
	killed  chan struct{}

	onDeath    func()     // what others notice of its death; nil: nothing
	invocation invocation // for the watch
}

// waiter is a goroutine of a frozen process.
type waiter struct {
	label string
	thaw  chan struct{}
}

// barrier is passed by a goroutine whenever it looks at a clock or the network.
// It ends a goroutine of a dead process and stops one of a frozen process.
func (p *process) barrier(label string) {
	for {
		p.mu.Lock()
		if p.dead {
			p.mu.Unlock()
			runtime.Goexit()
		}
		if !p.frozen {
			p.mu.Unlock()
			return
		}
		w := waiter{label, make(chan struct{})}
		p.waiters = append(p.waiters, w)
		p.mu.Unlock()
		select {
		case <-w.thaw:
		case <-p.killed:
		}
	}
}

// now is the process's wall clock.
func (p *process) now() time.Time {
	p.barrier("now")
	return p.world.Now().Add(p.host.offset)
}

// monotonic is never stepped. It stops while the machine is suspended.
func (p *process) monotonic() time.Duration {
	p.barrier("monotonic")
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.world.Now().Sub(p.world.start) - p.lost
}

// do makes a call that leaves the process: it waits at the gate until a step
// answers it, its context ends or the process dies.
func (p *process) do(ctx context.Context, c *call) (any, error) {
	p.barrier(c.name)
	if ctx.Err() != nil {
		return nil, fmt.Errorf("%w: %w", storeerror.ErrUnavailable, context.Cause(ctx)) // never sent
	}
	c.process, c.ctx, c.resume = p, ctx, make(chan answer, 1)
	p.world.arrive(c)
	select {
	case a := <-c.resume:
		p.barrier(c.name)
		return a.value, a.err
	case <-p.killed:
		runtime.Goexit()
	case <-ctx.Done():
	}
	p.barrier(c.name)
	select {
	case a := <-c.resume: // answered while the process was frozen
		return a.value, a.err
	default:
		return p.world.abandon(c)
	}
}

// pause stands for waiting between tries.
func (p *process) pause(ctx context.Context, _ int) error {
	_, err := p.do(ctx, &call{class: classPause, name: "pause"})
	return err
}

// freeze stops the process; suspend stops its monotonic clock too.
func (p *process) freeze(suspend bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.dead || p.frozen {
		return
	}
	p.frozen, p.suspend, p.frozeAt = true, suspend, p.world.Now()
}

// thaw lets the goroutines of the process go on one after the other.
func (p *process) thaw() {
	p.mu.Lock()
	if !p.frozen {
		p.mu.Unlock()
		return
	}
	p.frozen = false
	if p.suspend {
		p.lost += p.world.Now().Sub(p.frozeAt)
	}
	waiting := p.waiters
	p.waiters = nil
	p.mu.Unlock()
	slices.SortStableFunc(waiting, func(a, b waiter) int { return cmp.Compare(a.label, b.label) })
	for _, w := range waiting {
		close(w.thaw)
		synctest.Wait()
	}
}

// die ends every goroutine of the process where it stands.
func (p *process) die() {
	p.mu.Lock()
	already := p.dead
	p.dead = true
	p.mu.Unlock()
	if already {
		return
	}
	close(p.killed)
	synctest.Wait()
}

func (p *process) isDead() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.dead
}

func (p *process) isFrozen() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.frozen
}
