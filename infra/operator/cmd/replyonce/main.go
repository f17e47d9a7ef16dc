// Command replyonce operates a deployment: it shows tasks, lists what is due or
// stuck, brings dead letters back, retries failed tasks and makes users. See
// package operator for the rules that it keeps.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
)

// Exit codes.
const (
	exitDone   = 0
	exitFailed = 1
	exitUsage  = 2
	// exitAttention: it worked, and found something that a person has to look at.
	exitAttention = 3
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], os.Getenv, os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// command is one of the things that an operator does.
type command struct {
	name    string
	args    string // what stands behind the flags
	about   string
	prepare func(*flag.FlagSet, *settings) action
}

// action does it and returns the exit code.
type action func(ctx context.Context, args []string) (int, error)

func commands() []command {
	return []command{
		{"show", "TASK", "show a task: attempts, budget, spend, refused answers, idempotency record", prepareShow},
		{"due", "", "list the tasks that are due or stuck, by shard of the handoff index", prepareDue},
		{"redrive", "", "bring dead letters back to the queue; a dry run without -yes", prepareRedrive},
		{"raise", "", "after a restore, before anything is started: raise the versions of all open tasks; a dry run without -yes", prepareRaise},
		{"retry", "TASK", "make a new task for the message of a failed one, with who decided it and why", prepareRetry},
		{"user", "", "make a user of the deployment's user pool, with a workspace", prepareUser},
	}
}

// run returns the exit code.
func run(ctx context.Context, args []string, getenv func(string) string, out, errOut io.Writer) int {
	if len(args) == 0 || args[0] == "help" || args[0] == "-h" || args[0] == "-help" || args[0] == "--help" {
		printUsage(errOut)
		if len(args) == 0 {
			return exitUsage
		}
		return exitDone
	}
	for _, c := range commands() {
		if c.name == args[0] {
			return c.run(ctx, args[1:], &settings{getenv: getenv, out: out, errOut: errOut})
		}
	}
	fmt.Fprintf(errOut, "replyonce: there is no command %q\n\n", args[0])
	printUsage(errOut)
	return exitUsage
}

func printUsage(w io.Writer) {
	fmt.Fprint(w, "usage: replyonce <command> [flags]\n\n")
	for _, c := range commands() {
		fmt.Fprintf(w, "  %-8s %-5s %s\n", c.name, c.args, c.about)
	}
	fmt.Fprint(w, `
A TASK is the path /v1/conversations/<id>/tasks/<id> with -workspace, or <workspace>/<conversation>/<task>.
The deployment is named by -stack or REPLYONCE_STACK; with AWS_ENDPOINT_URL alone it is the one-machine stack there.
Exit codes: 0 done, 1 failed, 2 wrong usage, 3 done and something needs a person.
replyonce <command> -h lists the flags of a command.
`)
}

func (c command) run(ctx context.Context, args []string, s *settings) int {
	flags := flag.NewFlagSet("replyonce "+c.name, flag.ContinueOnError)
	flags.SetOutput(s.errOut)
	s.register(flags)
	act := c.prepare(flags, s)
	rest, err := parseAll(flags, args)
	if errors.Is(err, flag.ErrHelp) {
		return exitDone
	}
	if err != nil {
		return exitUsage // the flag package has said why
	}
	ctx, cancel := context.WithTimeoutCause(ctx, s.timeout, fmt.Errorf("it took longer than %s: give a larger -timeout", s.timeout))
	defer cancel()
	code, err := act(ctx, rest)
	if err == nil {
		return code
	}
	if cause := context.Cause(ctx); cause != nil && !errors.Is(err, cause) {
		err = fmt.Errorf("%w (%w)", cause, err)
	}
	fmt.Fprintf(s.errOut, "replyonce %s: %v\n", c.name, err)
	return exitOf(err)
}

// parseAll takes flags before and behind the other arguments.
func parseAll(flags *flag.FlagSet, args []string) (rest []string, err error) {
	for {
		if err := flags.Parse(args); err != nil {
			return nil, fmt.Errorf("parse flags: %w", err)
		}
		if flags.NArg() == 0 {
			return rest, nil
		}
		rest = append(rest, flags.Arg(0))
		args = flags.Args()[1:]
	}
}
