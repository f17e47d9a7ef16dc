package virtual

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/replyonce/replyonce/shared/document"
	"github.com/replyonce/replyonce/shared/history"
	"github.com/replyonce/replyonce/shared/sqsqueue"
	"github.com/replyonce/replyonce/shared/worktask"
)

// queue is two standard queues, of replies and of index tasks, with their
// dead-letter queues.
type queue struct {
	world *World

	mu       sync.Mutex
	made     int
	messages []*message
	changed  chan struct{} // closed and replaced when a message may be there sooner
}

type message struct {
	delivery
	visibleAt time.Time
	dead      bool // in the dead-letter queue
	index     bool // in the queue of index tasks
}

// delivery is a message as it was received.
type delivery struct {
	id       string
	ref      worktask.Ref // zero: its body names no task
	body     string
	receives int
	receipt  string
}

func newQueue(w *World) *queue { return &queue{world: w, changed: make(chan struct{})} }

// wake lets those look again who wait for a message.
func (q *queue) wake() {
	q.mu.Lock()
	defer q.mu.Unlock()
	close(q.changed)
	q.changed = make(chan struct{})
}

// watch returns what wake closes.
func (q *queue) watch() <-chan struct{} {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.changed
}

func (q *queue) publish(ref worktask.Ref) error {
	body, err := sqsqueue.Encode(ref)
	if err != nil {
		return err //nolint:wrapcheck // says what it is
	}
	q.put(body)
	return nil
}

func (q *queue) put(body string) *message {
	ref, err := sqsqueue.Decode(body)
	if err != nil {
		ref = worktask.Ref{}
	}
	q.mu.Lock()
	q.made++
	m := &message{
		delivery: delivery{id: fmt.Sprintf("message-%d", q.made), ref: ref, body: body}, visibleAt: q.world.now(),
		index: strings.HasPrefix(ref.Scope, document.ScopeOf("")),
	}
	q.messages = append(q.messages, m)
	q.mu.Unlock()
	q.wake()
	return m
}

// receive takes up to so many messages of one of the queues; none: the time until one
// may be there, 0 when that is not known.
func (q *queue) receive(limit int, index bool) (batch []delivery, wait time.Duration) {
	q.mu.Lock()
	defer q.mu.Unlock()
	now := q.world.now()
	for _, m := range q.messages {
		switch {
		case m.dead || m.index != index || len(batch) == limit:
		case m.visibleAt.After(now):
			if d := m.visibleAt.Sub(now); wait == 0 || d < wait {
				wait = d
			}
		case m.receives >= q.world.options.Timers.MaxReceiveCount:
			m.dead = true
			q.tell(history.DeadLettered, m.delivery)
		default:
			m.receives++
			m.receipt = fmt.Sprintf("%s/%d", m.id, m.receives)
			m.visibleAt = now.Add(q.world.options.Timers.Visibility)
			batch = append(batch, m.delivery)
		}
	}
	return batch, wait
}

func (q *queue) tell(kind history.Kind, d delivery) {
	log := q.world.recorder()
	if d.ref != (worktask.Ref{}) && !log.Follows(d.ref.Scope) {
		return
	}
	log.Record(history.Event{Actor: "queue", Kind: kind, Task: history.RefOf(d.ref), Message: &history.Message{ID: d.id, ReceiveCount: d.receives}})
}

// remove deletes a finished message.
func (q *queue) remove(d delivery) {
	q.mu.Lock()
	defer q.mu.Unlock()
	before := len(q.messages)
	q.messages = slices.DeleteFunc(q.messages, func(m *message) bool { return m.id == d.id })
	if len(q.messages) < before {
		q.tell(history.Deleted, d)
	}
}

var errNoReceipt = errors.New("the receipt handle is not valid any more")

func (q *queue) hide(receipt string, d time.Duration) error {
	q.mu.Lock()
	m := q.find(receipt)
	if m != nil {
		m.visibleAt = q.world.now().Add(d)
	}
	q.mu.Unlock()
	if m == nil {
		return fmt.Errorf("hide message: %w", errNoReceipt)
	}
	q.wake()
	return nil
}

func (q *queue) scopeOf(receipt string) string {
	q.mu.Lock()
	defer q.mu.Unlock()
	if m := q.find(receipt); m != nil {
		return m.ref.Scope
	}
	return ""
}

func (q *queue) find(receipt string) *message {
	for _, m := range q.messages {
		if m.receipt == receipt {
			return m
		}
	}
	return nil
}

// Put implements drills.World.
func (w *World) Put(_ context.Context, body string) error {
	w.queue.put(body)
	return nil
}

// Redrive implements drills.World.
func (w *World) Redrive(_ context.Context, ref worktask.Ref) error {
	body, err := sqsqueue.Encode(ref)
	if err != nil {
		return err //nolint:wrapcheck // says what it is
	}
	m := w.queue.put(body)
	w.queue.mu.Lock()
	defer w.queue.mu.Unlock()
	w.queue.tell(history.DeadLettered, m.delivery)
	w.queue.tell(history.Redriven, m.delivery)
	return nil
}

// HoldDeliveries implements drills.World.
func (w *World) HoldDeliveries(scope string) (release func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	gate := make(chan struct{})
	w.held[scope] = gate
	return func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		if w.held[scope] == gate {
			delete(w.held, scope)
			close(gate)
		}
	}
}

// DeliverTwice implements drills.World.
func (w *World) DeliverTwice(scope string) (stop func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.twice[scope] = true
	return func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		delete(w.twice, scope)
	}
}

// poll feeds one worker or indexer.
func (w *World) poll(name string) {
	for w.closing.Err() == nil {
		changed := w.queue.watch()
		batch, wait := w.queue.receive(batchSize, isIndexer(name))
		if len(batch) > 0 {
			w.hold(batch)
			w.copies(name, batch)
			w.deliver(name, batch)
			continue
		}
		var timer <-chan time.Time
		if wait > 0 {
			timer = time.After(wait)
		}
		select {
		case <-changed:
		case <-timer:
		case <-w.closing.Done():
		}
	}
}

// hold waits while messages of a scope are held back.
func (w *World) hold(batch []delivery) {
	for _, d := range batch {
		w.mu.Lock()
		gate := w.held[d.ref.Scope]
		w.mu.Unlock()
		if gate != nil {
			<-gate
		}
	}
}

// copies delivers messages to another worker too.
func (w *World) copies(name string, batch []delivery) {
	for _, d := range batch {
		w.mu.Lock()
		twice := w.twice[d.ref.Scope]
		w.mu.Unlock()
		if twice {
			others := w.Workers()
			if isIndexer(name) {
				others = w.Indexers()
			}
			other := others[0]
			if other == name {
				other = others[1]
			}
			w.running.Go(func() { w.deliver(other, []delivery{d}) })
		}
	}
}
