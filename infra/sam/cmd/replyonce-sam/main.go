// Command replyonce-sam runs the synthesised API in containers of SAM CLI, with
// the one-machine stack as its table, queue, worker, dispatcher and issuer.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"syscall"

	"github.com/replyonce/replyonce/infra/local/binaries"
	"github.com/replyonce/replyonce/infra/sam"
)

type options struct {
	sam     sam.Options
	port    int
	event   string
	command []string
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	o, err := parse(os.Args[1:], os.Stderr)
	if errors.Is(err, flag.ErrHelp) {
		return
	}
	if err == nil {
		err = run(ctx, o)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func parse(args []string, errOut io.Writer) (options, error) {
	o := options{sam: sam.Options{Output: errOut}}
	flags := flag.NewFlagSet("replyonce-sam", flag.ContinueOnError)
	flags.SetOutput(errOut)
	flags.Usage = func() {
		fmt.Fprint(errOut, `replyonce-sam                  runs the API until Ctrl-C
replyonce-sam COMMAND ...      runs the command while the API is up; it finds the address of SAM CLI in
                               REPLYONCE_SAM_URL, and the one where the page can sign in in REPLYONCE_URL
replyonce-sam -event FILE      sends a sample of events/ to its function, and compares the answer

`)
		flags.PrintDefaults()
	}
	flags.StringVar(&o.sam.Template, "template", "cdk.out/replyonce-dev.template.json", "template that make synth wrote")
	flags.StringVar(&o.sam.SAM, "sam", "dist/tools/sam/bin/sam", "SAM CLI")
	flags.StringVar(&o.sam.Host, "host", "", "address of this machine as containers reach it; empty asks the Docker engine")
	flags.IntVar(&o.port, "port", 3000, "port of the page; 0 takes any free one")
	flags.StringVar(&o.event, "event", "", "sample to send, such as events/api-submit-first.json")
	if err := flags.Parse(args); err != nil {
		return o, fmt.Errorf("read flags: %w", err)
	}
	o.command = flags.Args()
	dir, err := os.Getwd()
	if err != nil {
		return o, fmt.Errorf("find working directory: %w", err)
	}
	o.sam.Root, err = binaries.FindRoot(dir)
	if err != nil {
		return o, fmt.Errorf("find the functions' source: %w", err)
	}
	return o, nil
}

func run(ctx context.Context, o options) (err error) {
	local, err := sam.Start(ctx, o.sam)
	if err != nil {
		return err //nolint:wrapcheck // says what it is
	}
	defer func() { err = errors.Join(err, local.Close()) }() //nolint:contextcheck // stopping goes on after Ctrl-C
	if o.event != "" {
		return invoke(ctx, local, o.event, os.Stdout)
	}
	api, err := local.StartAPI(ctx, 0)
	if err != nil {
		return err //nolint:wrapcheck // likewise
	}
	defer api.Close()
	front, err := sam.OpenFront(ctx, "127.0.0.1:"+strconv.Itoa(o.port), api.URL(), local.Stack().URL())
	if err != nil {
		return err //nolint:wrapcheck // likewise
	}
	defer front.Close()
	if err := api.Healthy(ctx); err != nil {
		return err //nolint:wrapcheck // likewise
	}
	if len(o.command) > 0 {
		return runCommand(ctx, o.command, "REPLYONCE_SAM_URL="+api.URL(), "REPLYONCE_URL="+front.URL())
	}
	fmt.Println("ready", front.URL())
	select {
	case <-ctx.Done():
		return nil
	case <-api.Exited():
		return errors.New("SAM CLI has ended by itself")
	}
}

func runCommand(ctx context.Context, command []string, environment ...string) error {
	cmd := exec.CommandContext(ctx, command[0], command[1:]...) //nolint:gosec // running the given command is what this is for
	cmd.Env = append(os.Environ(), environment...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%s: %w", command[0], err)
	}
	return nil
}
