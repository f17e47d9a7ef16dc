package virtual

import (
	"context"
	"runtime"
	"sync"
	"time"

	"github.com/replyonce/replyonce/shared/history"
)

// process is one sandbox of a function.
type process struct {
	world *World
	name  string
	actor *history.Actor

	// ctx ends with the process: open connections of a dead one are closed.
	ctx    context.Context //nolint:containedctx // the life of the process
	cancel context.CancelFunc

	mu     sync.Mutex
	dead   bool
	frozen bool
	thawed chan struct{} // closed by thaw
	killed chan struct{}
}

func (w *World) newProcess(name string) *process {
	p := &process{world: w, name: name, actor: w.recorder().Actor(name), killed: make(chan struct{}), thawed: make(chan struct{})}
	p.ctx, p.cancel = context.WithCancel(context.Background())
	return p
}

// barrier is passed by a goroutine whenever it looks at a clock or the network.
// It ends a goroutine of a dead process and stops one of a frozen process.
func (p *process) barrier() {
	if !p.awake() {
		runtime.Goexit()
	}
}

// awake waits while the process is frozen; false: it is dead.
func (p *process) awake() bool {
	for {
		p.mu.Lock()
		dead, frozen, thawed := p.dead, p.frozen, p.thawed
		p.mu.Unlock()
		if dead || !frozen {
			return !dead
		}
		select {
		case <-thawed:
		case <-p.killed:
		}
	}
}

func (p *process) state() (frozen, dead bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.frozen, p.dead
}

// now is the process's wall clock.
func (p *process) now() time.Time {
	p.barrier()
	return p.world.now().Add(p.world.offset(p.name))
}

// monotonic is never stepped.
func (p *process) monotonic() time.Duration {
	p.barrier()
	return p.world.now().Sub(p.world.start)
}

// pause waits between tries of a write.
func (p *process) pause(ctx context.Context, try int) error {
	select {
	case <-time.After(time.Duration(try) * 50 * time.Millisecond):
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-p.killed:
	}
	p.barrier()
	return nil
}

func (p *process) freeze() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.dead || p.frozen {
		return
	}
	p.frozen = true
	p.actor.Freeze()
}

func (p *process) thaw() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.frozen || p.dead {
		return
	}
	p.frozen = false
	close(p.thawed)
	p.thawed = make(chan struct{})
	p.actor.Thaw()
}

// die ends the process, whether or not it does anything.
func (p *process) die() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.dead {
		return
	}
	p.dead = true
	p.actor.Kill()
	close(p.killed)
	p.cancel()
}
