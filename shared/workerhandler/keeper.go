package workerhandler

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/replyonce/replyonce/shared/telemetry"
	"github.com/replyonce/replyonce/shared/worktask"
)

// keeper keeps messages hidden while their tasks are worked on, and after that
// until the handler returns: only then does Lambda delete them, and a finished
// record that came back before would be delivered again for nothing. A worker
// that dies takes its keeper with it, so its messages come back as the leases
// end and not after the queue's long default.
type keeper struct {
	visibility Visibility
	timers     worktask.Timers
	log        *slog.Logger

	// mu is held while a message is hidden: a release that did not wait for an
	// extension under way could be followed by it, and a message that is due in
	// a second would come back after a whole lease.
	mu   sync.Mutex
	held map[string]struct{} // receipt handles
}

func newKeeper(v Visibility, t worktask.Timers, log *slog.Logger) *keeper {
	return &keeper{visibility: v, timers: t, log: log, held: map[string]struct{}{}}
}

// start extends the visibility of what is held until stop is called, which
// waits for the last extension to end.
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
	}
}

// hold narrows the visibility to the lease and extends it from now on.
func (k *keeper) hold(ctx context.Context, receipt string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.held[receipt] = struct{}{}
	k.hide(ctx, receipt)
}

// release stops extending.
func (k *keeper) release(receipt string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	delete(k.held, receipt)
}

func (k *keeper) extend(ctx context.Context) {
	for _, receipt := range k.receipts() {
		k.extendOne(ctx, receipt)
	}
}

func (k *keeper) extendOne(ctx context.Context, receipt string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if _, still := k.held[receipt]; still {
		k.hide(ctx, receipt)
	}
}

func (k *keeper) receipts() []string {
	k.mu.Lock()
	defer k.mu.Unlock()
	receipts := make([]string, 0, len(k.held))
	for r := range k.held {
		receipts = append(receipts, r)
	}
	return receipts
}

// hide failing is not fatal: the message comes back later or earlier than
// wanted, and the claim decides.
func (k *keeper) hide(ctx context.Context, receipt string) {
	ctx, cancel := context.WithTimeout(ctx, k.timers.RenewEvery)
	defer cancel()
	if err := k.visibility.Hide(ctx, receipt, k.timers.NarrowedVisibility()); err != nil {
		k.log.Warn("visibility was not extended", telemetry.KeyError, err)
	}
}
