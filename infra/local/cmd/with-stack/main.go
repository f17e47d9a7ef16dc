// Command with-stack runs a command while the one-machine stack is up, on a free
// port and without keeping data. The command finds the stack's address in
// REPLYONCE_PAGE_URL.
package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"syscall"

	"github.com/replyonce/replyonce/infra/drill/live"
	"github.com/replyonce/replyonce/infra/local/stack"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "with-stack:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, command []string) (err error) {
	if len(command) == 0 {
		return errors.New("no command: give the one that is to run while the stack is up")
	}
	failureDrills := live.New(live.OnThisMachine(""))
	defer failureDrills.Close()
	running, err := stack.Start(ctx, stack.Options{
		Routes:   map[string]http.Handler{live.Path: failureDrills, live.Path + "/": failureDrills},
		Progress: func(text string) { fmt.Fprintln(os.Stderr, text) },
	})
	if err != nil {
		return fmt.Errorf("start the stack: %w", err)
	}
	defer func() { err = errors.Join(err, running.Close()) }()  //nolint:contextcheck // stopping goes on after Ctrl-C
	cmd := exec.CommandContext(ctx, command[0], command[1:]...) //nolint:gosec // running the given command is what this is for
	cmd.Env = append(os.Environ(), "REPLYONCE_PAGE_URL="+running.URL()+"/")
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%s: %w", command[0], err)
	}
	return nil
}
