// Package functionmain is what the main packages of the functions have in
// common: the clock, the end of a start that failed, logs, and the time that an
// invocation has left.
package functionmain

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"time"

	"github.com/replyonce/replyonce/shared/pausing"
	"github.com/replyonce/replyonce/shared/runtimeconfig"
	"github.com/replyonce/replyonce/shared/telemetry"
)

// Run starts a function and ends the process when it cannot start: a function
// that cannot work must not take work.
func Run(start func(environment map[string]string) error) {
	if err := start(runtimeconfig.Environment(os.Environ())); err != nil {
		fmt.Fprintln(os.Stderr, "start:", err)
		os.Exit(1)
	}
}

// Telemetry gives the logger and the metrics of a function, both on standard
// output, where Lambda reads them.
func Telemetry(function string, c runtimeconfig.Common) (*slog.Logger, *telemetry.Emitter) {
	return telemetry.New(os.Stdout, telemetry.Options{
		Function: function, Version: runtimeconfig.BuildVersion(), Level: c.LogLevel,
		Namespace: c.MetricsNamespace, Now: Now,
	})
}

// Pauses between tries of one write that the store refused for the moment.
const (
	pauseBase  = 50 * time.Millisecond
	pauseLimit = 500 * time.Millisecond
)

// Pause waits between such tries, with full jitter.
func Pause(ctx context.Context, try int) error {
	return pausing.Jittered(pauseBase, pauseLimit, rand.Float64)(ctx, try)
}

// Remaining is the function time that an invocation has left; none outside a
// runtime, so that nothing is claimed there.
func Remaining(ctx context.Context) time.Duration {
	deadline, ok := ctx.Deadline()
	if !ok {
		return 0
	}
	return time.Until(deadline)
}
