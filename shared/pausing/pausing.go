// Package pausing waits, between tries and elsewhere, no longer than a context lasts.
package pausing

import (
	"context"
	"time"
)

// Jittered returns a pause with full jitter over an exponential: before the
// try that follows the n-th, between nothing and base × 2ⁿ⁻¹, at most limit.
// random gives a number in [0, 1). The pause ends with the context's cause when
// the context is over first.
func Jittered(base, limit time.Duration, random func() float64) func(ctx context.Context, try int) error {
	return func(ctx context.Context, try int) error {
		ceiling := base
		for i := 1; i < try && ceiling < limit; i++ {
			ceiling *= 2 // stops at the limit, so that no number of tries overflows
		}
		return For(ctx, time.Duration(random()*float64(min(ceiling, limit))))
	}
}

// For waits for d, or returns the context's cause when the context is over first.
func For(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
