package worktask

import "time"

// Backoff is the delay before the retry-th retry (from 1): full jitter over an
// exponential that is capped, and never earlier than the provider asked for.
// jitter gives a number in [0, 1). See the AWS architecture blog, "Exponential
// backoff and jitter".
func Backoff(t Timers, retry int, atLeast time.Duration, jitter func() float64) time.Duration {
	limit := t.BackoffLimit
	ceiling := t.BackoffBase
	for i := 1; i < retry && ceiling < limit; i++ {
		ceiling *= 2 // stops at the limit, so that no number of retries overflows
	}
	ceiling = min(ceiling, limit)
	delay := time.Duration(jitter() * float64(ceiling))
	return max(delay, atLeast)
}
