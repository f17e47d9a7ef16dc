package taskflow

import (
	"sync"
	"time"
)

// watchdog fires when too little of the lease is left. It is started before
// the lease write is sent, so that it never believes in a longer lease than
// the store, and it runs on the monotonic clock: a step of the wall clock
// neither fires it early nor keeps it from firing.
//
//	12:00:00 claim sent, watchdog started     12:00:01 claim lands, lease till :30
//	renewals hang or are refused              12:00:25 the call is cancelled
type watchdog struct {
	mu    sync.Mutex
	timer *time.Timer
	fire  func()
	fired bool
}

func newWatchdog(after time.Duration) *watchdog {
	w := &watchdog{}
	w.timer = time.AfterFunc(after, w.expire)
	return w
}

func (w *watchdog) expire() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.fired = true
	if w.fire != nil {
		w.fire()
	}
}

// onExpiry sets what happens at expiry; at once if it has happened.
func (w *watchdog) onExpiry(fire func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.fire = fire
	if w.fired {
		fire()
	}
}

// extend moves the expiry to the instant that was measured before a successful
// lease write was sent. A watchdog that has fired stays fired.
func (w *watchdog) extend(rest time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.fired {
		w.timer.Reset(rest)
	}
}

func (w *watchdog) stop() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.fired = true // nothing fires after stop
	w.fire = nil
	w.timer.Stop()
}
