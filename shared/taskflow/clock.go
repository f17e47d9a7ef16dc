package taskflow

import "time"

// steadyClock is the wall clock as it was at the claim, carried on by the
// monotonic one. A step of the wall clock between two renewals would otherwise
// stop them (back) or let the worker believe its lease is over (forward).
//
// A machine that is suspended may stop its monotonic clock too. Its writes then
// carry a time that is too early and pass the lease check; the version, which
// any takeover has moved on, still refuses them.
type steadyClock struct {
	start     time.Time
	at        time.Duration
	monotonic func() time.Duration
}

func startClock(wall time.Time, monotonic func() time.Duration) steadyClock {
	// Round strips Go's own monotonic reading: comparisons with stored times
	// must use the same part of the value as the store does.
	return steadyClock{start: wall.Round(0).UTC(), at: monotonic(), monotonic: monotonic}
}

func (c steadyClock) now() time.Time { return c.start.Add(c.monotonic() - c.at) }
