package world

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"time"

	"github.com/replyonce/replyonce/shared/history"
	"github.com/replyonce/replyonce/shared/sqsqueue"
	"github.com/replyonce/replyonce/shared/worktask"
)

// message is in the queue, or in the dead-letter queue.
type message struct {
	id        string
	ref       worktask.Ref
	body      string
	receives  int
	visibleAt time.Time
	receipt   string // of the last delivery
	deleted   bool
	dead      bool // in the dead-letter queue
}

// publish puts a message into the queue.
func (w *World) publish(ref worktask.Ref) error {
	body, err := sqsqueue.Encode(ref)
	if err != nil {
		return fmt.Errorf("publish: %w", err)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.messages = append(w.messages, &message{
		id: fmt.Sprintf("message-%d", len(w.messages)+1), ref: ref, body: body, visibleAt: w.Now(),
	})
	return nil
}

// errNoReceipt is a receipt handle of a message that has been deleted.
var errNoReceipt = errors.New("the receipt handle is not valid any more")

// hide changes how long a received message stays hidden. An old receipt handle
// moves it too, as it does in SQS for as long as the message lives.
func (w *World) hide(receipt string, d time.Duration) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, m := range w.messages {
		if m.deleted || m.dead || m.receipt != receipt {
			continue
		}
		m.visibleAt = w.Now().Add(d)
		w.queue.Record(history.Event{
			Kind: history.Hidden, Task: history.RefOf(m.ref), Message: &history.Message{ID: m.id, AfterMS: d.Milliseconds()},
		})
		return nil
	}
	return fmt.Errorf("hide message: %w", errNoReceipt)
}

// visibility is the queue as a worker's handler sees it. Its calls have no gate:
// a change of visibility that fails costs time and nothing else, which a delay
// or a duplicate shows as well.
type visibility struct{ p *process }

// Hide implements workerhandler.Visibility. The handler holds a lock meanwhile,
// so a frozen process must not stand still in here; it extends nothing instead.
func (v visibility) Hide(ctx context.Context, receipt string, d time.Duration) error {
	switch {
	case v.p.isFrozen():
		return errFrozen
	case v.p.isDead():
		runtime.Goexit()
	case ctx.Err() != nil:
		return fmt.Errorf("hide message: %w", context.Cause(ctx))
	}
	return v.p.world.hide(receipt, d)
}

var errFrozen = errors.New("hide message: the process stands still")

// inQueue lists messages that can be delivered: the visible ones first, in the
// order of their ids, then the hidden ones, which SQS may deliver twice too.
func (w *World) inQueue() (visible, hidden []*message) {
	w.mu.Lock()
	defer w.mu.Unlock()
	now := w.Now()
	for _, m := range w.messages {
		switch {
		case m.deleted, m.dead:
		case m.visibleAt.After(now):
			hidden = append(hidden, m)
		default:
			visible = append(visible, m)
		}
	}
	return visible, hidden
}

// comingBack is when the hidden messages become visible.
func (w *World) comingBack() []time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	var times []time.Time
	for _, m := range w.messages {
		if !m.deleted && !m.dead && m.visibleAt.After(w.Now()) {
			times = append(times, m.visibleAt)
		}
	}
	return times
}

// receive hands the message to a worker, or moves it to the dead-letter queue
// when it was received too often.
func (w *World) receive(m *message) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if m.receives >= w.Timers.MaxReceiveCount {
		w.deadLetter(m)
		return false
	}
	m.receives++
	m.receipt = fmt.Sprintf("%s/%d", m.id, m.receives)
	m.visibleAt = w.Now().Add(w.Timers.Visibility)
	return true
}

func (w *World) deadLetter(m *message) {
	m.dead = true
	w.queue.Record(history.Event{
		Kind: history.DeadLettered, Task: history.RefOf(m.ref), Message: &history.Message{ID: m.id, ReceiveCount: m.receives},
	})
}

func (w *World) remove(m *message) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if m.deleted {
		return
	}
	m.deleted = true
	w.queue.Record(history.Event{Kind: history.Deleted, Task: history.RefOf(m.ref), Message: &history.Message{ID: m.id, ReceiveCount: m.receives}})
}

// redrive moves a message back from the dead-letter queue. It starts anew there:
// its receives are counted from nothing.
func (w *World) redrive(m *message) {
	w.mu.Lock()
	defer w.mu.Unlock()
	m.dead, m.receives, m.visibleAt = false, 0, w.Now()
	w.queue.Record(history.Event{Kind: history.Redriven, Task: history.RefOf(m.ref), Message: &history.Message{ID: m.id}})
}
