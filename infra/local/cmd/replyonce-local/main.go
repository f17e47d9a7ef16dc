// Command replyonce-local runs replyonce on this machine: no cloud account, no containers.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/replyonce/replyonce/infra/drill/live"
	"github.com/replyonce/replyonce/infra/local/console"
	"github.com/replyonce/replyonce/infra/local/stack"
	"github.com/replyonce/replyonce/infra/local/supervisor"
)

func main() {
	ctx, cancel := context.WithCancel(context.Background())
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go obey(signals, cancel, func() { os.Exit(exitInterrupted) })
	os.Exit(run(ctx, os.Args[1:], os.Getenv, os.Stdout, os.Stderr))
}

const (
	exitInterrupted = 130
	// impatience is how long after the first signal a second one means that stopping takes too long. A
	// terminal and a wrapping program often send the same one twice.
	impatience = time.Second
)

// obey stops the program in order at the first signal, and at once at a later one.
func obey(signals <-chan os.Signal, stop context.CancelFunc, exit func()) {
	<-signals
	stop()
	first := time.Now()
	for range signals {
		if time.Since(first) > impatience {
			exit()
		}
	}
}

// run returns the exit code.
func run(ctx context.Context, args []string, getenv func(string) string, out, errOut io.Writer) int {
	options, err := parse(args, getenv, errOut)
	if errors.Is(err, flag.ErrHelp) {
		return 0
	}
	if err != nil {
		fmt.Fprintln(errOut, err)
		return 2
	}
	failureDrills := live.New(live.OnThisMachine(options.Root))
	defer failureDrills.Close()
	options.Routes = map[string]http.Handler{live.Path: failureDrills, live.Path + "/": failureDrills}
	options.Progress = func(text string) { fmt.Fprintln(out, text) }
	options.Observe = func(line supervisor.Line) {
		if text, ok := console.Format(line); ok {
			fmt.Fprintln(out, text)
		}
	}
	if err := serve(ctx, options, out); err != nil {
		fmt.Fprintln(errOut, err)
		return 1
	}
	return 0
}

func serve(ctx context.Context, options stack.Options, out io.Writer) error {
	running, err := stack.Start(ctx, options)
	if ctx.Err() != nil && err != nil {
		return nil //nolint:nilerr // stopped before it was up
	}
	if err != nil {
		return fmt.Errorf("cannot start: %w", err)
	}
	if options.DataDir != "" {
		fmt.Fprintln(out, "data in", options.DataDir)
	}
	if !running.LoopbackOnly() {
		fmt.Fprintln(out, "careful: other machines can reach this, and whoever does can sign in as anybody")
	}
	fmt.Fprintln(out, "ready", running.URL())
	var failure error
	select {
	case <-ctx.Done():
	case <-running.Failed():
		failure = errors.New("the store has ended by itself: start again; what is younger than a second may be lost")
	}
	fmt.Fprintln(out, "stopping")
	return errors.Join(failure, running.Close()) //nolint:contextcheck // the context has ended
}
