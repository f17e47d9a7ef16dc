package dispatchhandler_test

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-lambda-go/events"

	"github.com/replyonce/replyonce/shared/dispatchhandler"
	"github.com/replyonce/replyonce/shared/taskflow"
)

// tick is what a dispatcher does in one.
type tick struct {
	sweep time.Duration // how long the sweep takes
	done  []string
}

func (d *tick) Dispatch(ctx context.Context) taskflow.Sweep {
	select {
	case <-time.After(d.sweep):
	case <-ctx.Done():
	}
	d.done = append(d.done, "sweep")
	return taskflow.Sweep{Published: 3}
}

func (d *tick) Look(context.Context) { d.done = append(d.done, "look") }

// The sweep comes first, and nobody looks at letters in time that is not there.
func TestSweepGoesBeforeTheLook(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		sweep  time.Duration
		wanted []string
	}{{time.Second, []string{"sweep", "look"}}, {time.Minute, []string{"sweep"}}} {
		synctest.Test(t, func(t *testing.T) {
			d := &tick{sweep: c.sweep}
			h := dispatchhandler.Handler{
				Dispatcher: d, Letters: d, Reserve: 5 * time.Second, Remaining: func(context.Context) time.Duration { return 30 * time.Second },
			}
			begun := time.Now()
			sweep, err := h.Handle(t.Context(), events.EventBridgeEvent{})
			if err != nil || sweep.Published != 3 || !slices.Equal(d.done, c.wanted) || time.Since(begun) > 25*time.Second {
				t.Errorf("a sweep of %s: %v, %v, %v after %s", c.sweep, d.done, sweep, err, time.Since(begun))
			}
		})
	}
}

func TestWithoutLetters(t *testing.T) {
	t.Parallel()
	d := &tick{}
	h := dispatchhandler.Handler{Dispatcher: d, Remaining: func(context.Context) time.Duration { return time.Minute }}
	if _, err := h.Handle(t.Context(), events.EventBridgeEvent{}); err != nil || len(d.done) != 1 {
		t.Errorf("%v, %v", d.done, err)
	}
}
