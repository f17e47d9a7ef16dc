// Command replyonce-chaos lets people ask for minutes while processes are killed
// and frozen, messages copied and delayed, acknowledgements lost, connections cut
// and clocks stepped, then reads everything back and prints what came of it. It
// exits with 1 when anything is not as it must be. Ctrl-C ends the faults early
// and judges what has happened until then.
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"github.com/replyonce/replyonce/infra/drill/chaos"
)

// Exit codes.
const (
	good     = 0
	deviates = 1
	misused  = 2
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	// A second Ctrl-C ends the program at once; its children go with it.
	context.AfterFunc(ctx, stop)
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

func run(ctx context.Context, args []string, out, errOut io.Writer) int {
	o, err := parse(args, errOut)
	if err != nil {
		fmt.Fprintln(errOut, err)
		return misused
	}
	if o.list {
		for _, f := range chaos.Plan(o.Seed, o.Duration, o.lease) {
			fmt.Fprintln(out, f)
		}
		return good
	}
	o.Progress = func(text string) { fmt.Fprintln(out, text) }
	fmt.Fprintf(out, "chaos for %s, seed %d (-seed %d repeats the schedule)\n", o.Duration, o.Seed, o.Seed)
	result, err := chaos.Run(ctx, o.Options)
	if err != nil {
		fmt.Fprintln(errOut, err)
		return deviates
	}
	fmt.Fprint(out, "\n"+result.Table())
	if err := keep(result, o.folder, out); err != nil {
		fmt.Fprintln(errOut, err)
		return deviates
	}
	if !result.Good() {
		return deviates
	}
	return good
}

// storiesTold bounds how many tasks are told of; their number is printed anyhow.
const storiesTold = 3

// keep writes the history, and tells of the first tasks that a promise was broken
// on.
func keep(result chaos.Result, folder string, out io.Writer) error {
	for i, task := range result.Failing() {
		if i == storiesTold {
			break
		}
		fmt.Fprint(out, "\n"+chaos.Story(result.History, task))
	}
	if folder == "" {
		return nil
	}
	if err := os.MkdirAll(folder, 0o750); err != nil {
		return fmt.Errorf("keep the history: %w", err)
	}
	path := filepath.Join(folder, "history.jsonl")
	if err := result.History.Save(path); err != nil {
		return err //nolint:wrapcheck // says what it is
	}
	fmt.Fprintf(out, "written: %s (go run ./shared/history/cmd/check-history %s judges it again)\n", path, path)
	return nil
}
