package virtual

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"

	"github.com/replyonce/replyonce/shared/conversation"
	"github.com/replyonce/replyonce/shared/drills"
	"github.com/replyonce/replyonce/shared/history"
	"github.com/replyonce/replyonce/shared/idempotency"
	"github.com/replyonce/replyonce/shared/storeerror"
	"github.com/replyonce/replyonce/shared/taskflow"
	"github.com/replyonce/replyonce/shared/worktask"
)

// recorded is the store with its recorder directly in front of it.
type recorded struct {
	Store
	tasks         taskflow.Tasks
	conversations conversation.Store
	versions      history.VersionStore
	transition    func(worktask.Transition) worktask.Transition
}

// Apply implements taskflow.Tasks.
func (r recorded) Apply(ctx context.Context, ref worktask.Ref, tr worktask.Transition) (worktask.Task, error) {
	if r.transition != nil {
		tr = r.transition(tr)
	}
	return r.tasks.Apply(ctx, ref, tr) //nolint:wrapcheck // a recorder changes nothing
}

// Get implements taskflow.Tasks.
func (r recorded) Get(ctx context.Context, ref worktask.Ref) (worktask.Task, error) {
	return r.tasks.Get(ctx, ref) //nolint:wrapcheck // a recorder changes nothing
}

// AcceptMessage implements conversation.Store.
func (r recorded) AcceptMessage(ctx context.Context, record idempotency.Record, m conversation.Message, t worktask.Task) error {
	return r.conversations.AcceptMessage(ctx, record, m, t) //nolint:wrapcheck // a recorder changes nothing
}

// AcceptTask implements conversation.Store.
func (r recorded) AcceptTask(ctx context.Context, record idempotency.Record, t worktask.Task) error {
	return r.conversations.AcceptTask(ctx, record, t) //nolint:wrapcheck // a recorder changes nothing
}

// network is the store as one process reaches it.
type network struct {
	Store
	p *process
}

var _ Store = network{}

func (w *World) network(p *process) network { return network{w.store(), p} }

// Apply implements taskflow.Tasks.
func (n network) Apply(ctx context.Context, ref worktask.Ref, tr worktask.Transition) (t worktask.Task, err error) {
	op := drills.Op(tr.Name())
	if _, lookup := tr.(worktask.LookupClaim); lookup {
		op = drills.Claim
	}
	result := n.p.send(ctx, op, ref.Scope, func(ctx context.Context) (any, error) {
		return n.Store.Apply(ctx, ref, tr) //nolint:wrapcheck // a network changes nothing
	})
	t, _ = result.value.(worktask.Task)
	return t, result.err
}

// Get implements taskflow.Tasks.
func (n network) Get(ctx context.Context, ref worktask.Ref) (worktask.Task, error) {
	n.p.barrier()
	return n.Store.Get(ctx, ref) //nolint:wrapcheck // a network changes nothing
}

// Record implements keyed.Records.
func (n network) Record(ctx context.Context, scope idempotency.Scope, key idempotency.Key) (idempotency.Record, error) {
	n.p.barrier()
	return n.Store.Record(ctx, scope, key) //nolint:wrapcheck // a network changes nothing
}

// AcceptMessage implements conversation.Store.
func (n network) AcceptMessage(ctx context.Context, record idempotency.Record, m conversation.Message, t worktask.Task) error {
	return n.p.send(ctx, drills.Accept, t.Scope, func(ctx context.Context) (any, error) {
		return nil, n.Store.AcceptMessage(ctx, record, m, t)
	}).err
}

// AcceptTask implements conversation.Store.
func (n network) AcceptTask(ctx context.Context, record idempotency.Record, t worktask.Task) error {
	return n.p.send(ctx, drills.Accept, t.Scope, func(ctx context.Context) (any, error) {
		return nil, n.Store.AcceptTask(ctx, record, t)
	}).err
}

// postbox is the queue as one process reaches it.
type postbox struct{ p *process }

func (p *process) postbox() taskflow.Queue { return postbox{p} }

// Publish implements taskflow.Queue.
func (b postbox) Publish(ctx context.Context, ref worktask.Ref) error {
	return b.p.send(ctx, drills.Publish, ref.Scope, func(context.Context) (any, error) {
		return nil, b.p.world.queue.publish(ref)
	}).err
}

// rule is what is done to requests at a point.
type rule struct {
	point drills.Point
	do    drills.Do
	left  int // how many more; less than 0: any number
}

// At implements drills.World.
func (w *World) At(p drills.Point, do drills.Do) (remove func()) {
	r := &rule{point: p, do: do, left: p.Times}
	if p.Times == 0 {
		r.left = -1
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.rules = append(w.rules, r)
	return func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.rules = slices.DeleteFunc(w.rules, func(o *rule) bool { return o == r })
	}
}

// caught finds the rule for a request.
func (w *World) caught(p *process, op drills.Op, scope string) drills.Do {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, r := range w.rules {
		if r.point.Op == op && r.point.Covers(scope) && r.point.Role == roleOf(p.name) && r.left != 0 {
			r.left--
			return r.do
		}
	}
	return nil
}

// result is what comes back for a request.
type result struct {
	value any
	err   error
}

// errCut is what a sender knows whose connection ended.
var errCut = fmt.Errorf("%w: the connection ended", storeerror.ErrWriteUnknown)

// send makes a request that leaves the process. A request that has left lands,
// whatever becomes of its sender.
func (p *process) send(ctx context.Context, op drills.Op, scope string, exec func(context.Context) (any, error)) result {
	p.barrier()
	if ctx.Err() != nil {
		return result{err: fmt.Errorf("%w: %w", storeerror.ErrUnavailable, context.Cause(ctx))} // never sent
	}
	landing := context.WithoutCancel(ctx)
	do := p.world.caught(p, op, scope)
	if do == nil {
		v, err := exec(landing)
		p.barrier()
		return result{v, err}
	}
	return p.await(ctx, do, op, func() result {
		v, err := exec(landing)
		return result{v, err}
	})
}

// await leaves the request to a script. Meanwhile its sender may give up or die.
func (p *process) await(ctx context.Context, do drills.Do, op drills.Op, exec func() result) result {
	gone, leave := context.WithCancel(ctx)
	defer leave()
	stop := context.AfterFunc(p.ctx, leave) //nolint:contextcheck // the process can die beside the request
	defer stop()
	var mu sync.Mutex
	var last result
	answers := make(chan result, 1)
	p.world.running.Go(func() {
		fate := do(drills.Passing{Process: p.name, Op: op, Gone: gone.Done(), Forward: func() bool {
			r := exec()
			mu.Lock()
			defer mu.Unlock()
			last = r
			return r.err == nil
		}})
		mu.Lock()
		defer mu.Unlock()
		answers <- told(fate, last)
	})
	select {
	case r := <-answers:
		p.barrier()
		return r
	case <-p.killed:
		runtime.Goexit()
	case <-ctx.Done():
	}
	p.barrier()
	select {
	case r := <-answers: // it came while the process stood still
		return r
	default:
		return result{err: fmt.Errorf("%w: %w", storeerror.ErrWriteUnknown, context.Cause(ctx))}
	}
}

// told is what the sender learns.
func told(fate drills.Fate, last result) result {
	switch fate {
	case drills.Answered:
		return last
	case drills.Unheard:
		return result{err: errCut}
	case drills.Unavailable:
		return result{err: fmt.Errorf("%w: not to be had", storeerror.ErrUnavailable)}
	case drills.Conflicting:
		return result{err: fmt.Errorf("%w: busy", storeerror.ErrConflict)}
	}
	return result{err: errors.New("a fate that nobody knows")}
}
