// Command replyonce-demo plays the failures that replyonce is built for on a stack of its own, and checks
// that each question has one saved reply. It exits with 1 when a scenario deviates or a promise is broken.
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/replyonce/replyonce/infra/demo"
)

// Exit codes.
const (
	good        = 0
	broken      = 1
	interrupted = 130 // as shells report a program that Ctrl-C has ended
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	// A second Ctrl-C ends the program at once; its children go with it.
	context.AfterFunc(ctx, stop)
	os.Exit(run(ctx, os.Stdout, os.Stderr))
}

func run(ctx context.Context, out, errOut io.Writer) int {
	dir, err := os.MkdirTemp("", "replyonce-demo-")
	if err != nil {
		fmt.Fprintln(errOut, "make a folder for data:", err)
		return broken
	}
	result, err := demo.Run(ctx, demo.Options{Out: out, DataDir: dir})
	if ctx.Err() != nil {
		_ = os.RemoveAll(dir)
		fmt.Fprintln(errOut, "interrupted; everything is stopped")
		return interrupted
	}
	if err != nil {
		fmt.Fprintln(errOut, err)
	}
	if err != nil || !result.Good() {
		fmt.Fprintln(errOut, "the functions' log and the data are kept in", dir)
		return broken
	}
	if err := os.RemoveAll(dir); err != nil {
		fmt.Fprintln(errOut, "remove the data:", err)
	}
	return good
}
