package world

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/replyonce/replyonce/shared/storeerror"
	"github.com/replyonce/replyonce/shared/worktask"
)

// class says what can go wrong with a call.
type class int

const (
	classWrite   class = iota + 1 // a conditional write of a task
	classAccept                   // a creating transaction
	classPut                      // evidence, objects
	classRead                     // strongly consistent reads
	classPublish                  // a message into the queue
	classReturn                   // the end of an invocation: its answer to the runtime
	classPause                    // waiting between tries
	classPrepare                  // what a kind reads before it calls
	classSend                     // a request to the provider
	classAwait                    // its answer, and that to a look-up
)

// call waits at the gate of its process.
type call struct {
	class class
	name  string // of the write, or what else it is
	ref   worktask.Ref
	tr    worktask.Transition // of task writes
	// exec makes the call's effect. It may be called more than once, also after
	// its caller has gone.
	exec func(ctx context.Context) (any, error)

	process *process
	ctx     context.Context // the caller's, to see when it gives up
	resume  chan answer
	seq     int
	about   any // what the watch and the provider look at
}

// answer is what the caller gets.
type answer struct {
	value any
	err   error
}

// arrive puts the call to its gate.
func (w *World) arrive(c *call) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.seq++
	c.seq = w.seq
	w.gates = append(w.gates, c)
	select {
	case w.arrived <- struct{}{}:
	default:
	}
}

// abandon is a caller that waits no longer. A write is under way then and may
// land at any later time.
func (w *World) abandon(c *call) (any, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.gates = slices.DeleteFunc(w.gates, func(o *call) bool { return o == c })
	w.watch.gaveUp(c)
	err := fmt.Errorf("%w: %w", storeerror.ErrUnavailable, context.Cause(c.ctx))
	if c.lands() {
		w.underWay = append(w.underWay, c)
		err = fmt.Errorf("%w: %w", storeerror.ErrWriteUnknown, context.Cause(c.ctx))
	}
	return nil, err
}

// lands reports whether the call changes something where it arrives.
func (c *call) lands() bool {
	switch c.class {
	case classWrite, classAccept, classPut, classPublish:
		return true
	case classRead, classReturn, classPause, classPrepare, classSend, classAwait:
	}
	return false
}

// atGates lists the calls that wait, in an order that does not depend on which
// of several goroutines that time has woken was quicker.
func (w *World) atGates() []*call {
	w.mu.Lock()
	defer w.mu.Unlock()
	calls := slices.Clone(w.gates)
	slices.SortStableFunc(calls, func(a, b *call) int {
		return cmp.Or(cmp.Compare(a.process.order, b.process.order), cmp.Compare(a.name, b.name),
			cmp.Compare(a.ref.ID, b.ref.ID), cmp.Compare(a.seq, b.seq))
	})
	return calls
}

// take removes a call from its gate.
func (w *World) take(c *call) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.gates = slices.DeleteFunc(w.gates, func(o *call) bool { return o == c })
}

// run makes the call's effect, whatever has become of its caller.
func (w *World) run(c *call) answer {
	if c.exec == nil {
		return answer{}
	}
	before := w.watch.before(c)
	v, err := c.exec(context.WithoutCancel(c.ctx))
	w.watch.after(c, before)
	return answer{v, err}
}
