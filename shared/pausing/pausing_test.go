package pausing_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/replyonce/replyonce/shared/pausing"
)

func TestPauseGrowsUpToItsLimit(t *testing.T) {
	t.Parallel()
	for try, want := range map[int]time.Duration{1: 50 * time.Millisecond, 2: 100 * time.Millisecond, 3: 200 * time.Millisecond, 9: time.Second, 1 << 20: time.Second} {
		synctest.Test(t, func(t *testing.T) {
			pause := pausing.Jittered(100*time.Millisecond, 2*time.Second, func() float64 { return 0.5 })
			start := time.Now()
			if err := pause(t.Context(), try); err != nil {
				t.Fatal(err)
			}
			if took := time.Since(start); took != want {
				t.Errorf("before the try after %d: %s, want %s", try, took, want)
			}
		})
	}
}

func TestPauseEndsWithItsContext(t *testing.T) {
	t.Parallel()
	cause := errors.New("out of time")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(cause)
	pause := pausing.Jittered(time.Hour, time.Hour, func() float64 { return 1 })
	if err := pause(ctx, 1); !errors.Is(err, cause) {
		t.Errorf("error %v, want the context's cause", err)
	}
}
