// Package callerlimit bounds how fast one caller may send, so that a runaway
// script or a stuck key of one person does not use up what all share.
//
// The count is kept in the memory of one process. A count that all instances of
// a function share would be a write to the table for each request: as much as a
// claim costs, for a number that needs not be exact. API Gateway's own counts for
// callers go by its API keys, which callers with tokens do not have. So the bound
// is approximate: a caller whose requests run at the same time on several
// instances has as many times the rate. How many that can be is bounded in turn
// by the throttle of the stage and by the function's concurrency, which hold for
// everybody together. What a caller has spent is forgotten when its instance ends.
package callerlimit

import (
	"sync"
	"time"

	"github.com/replyonce/replyonce/shared/identity"
)

const (
	// Burst is how many seconds' worth a caller that was quiet may send at once: a
	// person who opens a long conversation in several tabs stays far below it.
	Burst = 30 * time.Second
	// maxCallers bounds the memory. Callers that were quiet for a while are not
	// kept, so that it is not reached by people.
	maxCallers = 10_000
)

// Limiter counts requests by caller. It is safe for concurrent use.
//
// It keeps one instant for each caller: when all that it has sent would be done,
// had it kept to the rate (the generic cell rate algorithm). A caller whose
// instant is over is one that was never seen.
type Limiter struct {
	each time.Duration // what a request of weight one takes at the rate
	now  func() time.Time

	mu   sync.Mutex
	done map[identity.Caller]time.Time
}

// New is a limiter of so many requests of weight one in a second, nil when the
// rate is zero: nobody is limited.
func New(rate int, now func() time.Time) *Limiter {
	if rate <= 0 {
		return nil
	}
	return &Limiter{each: time.Second / time.Duration(rate), now: now, done: map[identity.Caller]time.Time{}}
}

// Take counts a request of a weight, and returns 0, or counts nothing and returns
// how long the caller has to wait. A nil Limiter lets everything through.
func (l *Limiter) Take(caller identity.Caller, weight int) time.Duration {
	if l == nil {
		return 0
	}
	now := l.now()
	l.mu.Lock()
	defer l.mu.Unlock()
	done := l.done[caller]
	if done.Before(now) {
		done = now
	}
	done = done.Add(time.Duration(weight) * l.each)
	if wait := done.Sub(now) - Burst; wait > 0 {
		return wait
	}
	l.keep(caller, done, now)
	return 0
}

// keep notes a caller. Where there is no room even after the quiet ones are
// forgotten, it is let through uncounted: a bound for one caller must not become
// an outage for others.
func (l *Limiter) keep(caller identity.Caller, done, now time.Time) {
	if _, known := l.done[caller]; !known && len(l.done) >= maxCallers {
		for other, instant := range l.done {
			if !instant.After(now) {
				delete(l.done, other)
			}
		}
		if len(l.done) >= maxCallers {
			return
		}
	}
	l.done[caller] = done
}
