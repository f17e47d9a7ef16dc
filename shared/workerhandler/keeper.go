package workerhandler

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/replyonce/replyonce/shared/telemetry"
	"github.com/replyonce/replyonce/shared/worktask"
)

// hideLimit bounds one change of visibility. A queue that is slow must not hold
// up work that is paid for: it costs time after a crash and nothing else.
const hideLimit = 2 * time.Second

// keeper keeps messages hidden while their tasks are worked on, and after that
// until the handler returns: only then does Lambda delete them, and a finished
// record that came back before would be delivered again for nothing. A worker
// that dies takes its keeper with it, so its messages come back as the leases
// end and not after the queue's long default.
type keeper struct {
	visibility Visibility
	timers     worktask.Timers
	log        *slog.Logger
	changes    sync.WaitGroup // under way

	mu   sync.Mutex
	held map[string]*heldMessage // by receipt handle
}

// heldMessage is a message that is kept hidden. Its lock is held during a
// change of its visibility: a release that did not wait for an extension under
// way could be followed by it, and a message that is due in a second would come
// back after a whole lease.
type heldMessage struct {
	mu       sync.Mutex
	released bool
}

func newKeeper(v Visibility, t worktask.Timers, log *slog.Logger) *keeper {
	return &keeper{visibility: v, timers: t, log: log, held: map[string]*heldMessage{}}
}

// start extends the visibility of what is held until stop is called, which
// waits for the changes under way to end.
func (k *keeper) start(ctx context.Context) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	var running sync.WaitGroup
	running.Go(func() {
		ticker := time.NewTicker(k.timers.RenewEvery)
		defer ticker.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-ticker.C:
				k.extend(ctx)
			}
		}
	})
	return func() {
		cancel()
		running.Wait()
		k.changes.Wait()
	}
}

// hold narrows the visibility to the lease, beside the work, and extends it
// from now on.
func (k *keeper) hold(ctx context.Context, receipt string) {
	m := &heldMessage{}
	k.mu.Lock()
	k.held[receipt] = m
	k.mu.Unlock()
	k.changes.Go(func() { k.hide(ctx, receipt, m) })
}

// release stops extending. When it returns no change is under way.
func (k *keeper) release(receipt string) {
	k.mu.Lock()
	m := k.held[receipt]
	delete(k.held, receipt)
	k.mu.Unlock()
	if m == nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.released = true
}

func (k *keeper) extend(ctx context.Context) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for receipt, m := range k.held {
		k.changes.Go(func() { k.hide(ctx, receipt, m) })
	}
}

// hide failing is not fatal: the message comes back later or earlier than
// wanted, and the claim decides.
func (k *keeper) hide(ctx context.Context, receipt string, m *heldMessage) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.released {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, hideLimit)
	defer cancel()
	if err := k.visibility.Hide(ctx, receipt, k.timers.NarrowedVisibility()); err != nil {
		k.log.Warn("visibility was not extended", telemetry.KeyError, err)
	}
}
