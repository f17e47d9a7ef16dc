// Package dispatchhandler runs the dispatcher on a schedule.
package dispatchhandler

import (
	"context"
	"time"

	"github.com/aws/aws-lambda-go/events"

	"github.com/replyonce/replyonce/shared/taskflow"
)

// Dispatcher makes one sweep over due handoffs.
type Dispatcher interface {
	Dispatch(ctx context.Context) taskflow.Sweep
}

// Letters looks at the dead letters once and reports what it sees.
type Letters interface {
	Look(ctx context.Context)
}

// Handler handles the tick of the schedule.
type Handler struct {
	Dispatcher Dispatcher
	// Letters are looked at after the sweep; nil: there are none to look at.
	Letters Letters
	// Remaining is how long the runtime lets this invocation run on.
	Remaining func(ctx context.Context) time.Duration
	// Reserve is function time kept for what is under way when the sweep stops.
	Reserve time.Duration
}

// Handle makes one sweep within the function's time; the next tick goes on
// where it stopped. What time is left goes to the dead letters.
func (h Handler) Handle(ctx context.Context, _ events.EventBridgeEvent) (taskflow.Sweep, error) {
	ctx, cancel := context.WithTimeout(ctx, h.Remaining(ctx)-h.Reserve)
	defer cancel()
	sweep := h.Dispatcher.Dispatch(ctx)
	if h.Letters != nil && ctx.Err() == nil {
		h.Letters.Look(ctx)
	}
	return sweep, nil
}
