// Command replyonce-e2e checks a running service from outside, prints a table
// and exits with 1 when anything deviates.
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
	"time"

	"github.com/replyonce/replyonce/infra/e2e"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	os.Exit(run(ctx, os.Args[1:], os.Getenv, os.Stdout, os.Stderr))
}

// Tokens are given by variables: flags can be seen by every user of the machine.
const (
	tokenVariable      = "REPLYONCE_TOKEN"
	otherTokenVariable = "REPLYONCE_OTHER_TOKEN"
)

// run returns the exit code.
func run(ctx context.Context, args []string, getenv func(string) string, out, errOut io.Writer) int {
	o, err := parse(args, getenv, errOut)
	if errors.Is(err, flag.ErrHelp) {
		return 0
	}
	if err != nil {
		fmt.Fprintln(errOut, err)
		return 2
	}
	o.Ended = func(c e2e.Outcome) {
		fmt.Fprintf(out, "%-9s %-18s %6.1f s  %s\n", c.Result, c.Check.Name, c.Took.Seconds(), c.Check.Shows)
		if c.Why != "" {
			fmt.Fprintf(out, "%-9s %s\n", "", c.Why)
		}
	}
	fmt.Fprintln(out, "checking", o.Endpoint)
	outcomes, err := e2e.Run(ctx, o)
	if err != nil {
		fmt.Fprintln(errOut, err)
		return 1
	}
	counts := map[e2e.Result]int{}
	for _, c := range outcomes {
		counts[c.Result]++
	}
	fmt.Fprintf(out, "%d good, %d deviate as known, %d not run, %d deviate\n",
		counts[e2e.Good], counts[e2e.Known], counts[e2e.NotRun], counts[e2e.Deviates])
	if !e2e.Passed(outcomes) {
		return 1
	}
	return 0
}

func parse(args []string, getenv func(string) string, errOut io.Writer) (e2e.Options, error) {
	flags := flag.NewFlagSet("replyonce-e2e", flag.ContinueOnError)
	flags.SetOutput(errOut)
	flags.Usage = func() {
		fmt.Fprintf(errOut, "replyonce-e2e -endpoint URL checks a running service. Tokens of two people in two workspaces are given by\n%s and %s; without them the people sign in by name.\n\n", tokenVariable, otherTokenVariable)
		flags.PrintDefaults()
	}
	var o e2e.Options
	var engine string
	flags.StringVar(&o.Endpoint, "endpoint", "", "address of the stage, such as https://abc.execute-api.eu-central-1.amazonaws.com/dev")
	flags.StringVar(&o.SignIn, "sign-in", "", "address of a one-machine stack that gives tokens; empty is the endpoint")
	flags.DurationVar(&o.Patience, "patience", 3*time.Minute, "how long a reply may take")
	flags.StringVar(&engine, "engine", "aws", "what runs the service, for what is known to deviate there: aws, localstack, ministack, sam")
	if err := flags.Parse(args); err != nil {
		return o, fmt.Errorf("read flags: %w", err)
	}
	if o.Endpoint == "" {
		return o, errors.New("no endpoint: give one with -endpoint")
	}
	var known bool
	if o.Engine, known = e2e.FindEngine(engine); !known {
		return o, fmt.Errorf("-engine %q is unknown", engine)
	}
	o.Token, o.OtherToken = getenv(tokenVariable), getenv(otherTokenVariable)
	return o, nil
}
