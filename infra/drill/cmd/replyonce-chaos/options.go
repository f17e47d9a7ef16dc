package main

import (
	"flag"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/replyonce/replyonce/infra/drill/chaos"
	"github.com/replyonce/replyonce/infra/drill/observe"
	"github.com/replyonce/replyonce/shared/worktask"
)

type options struct {
	chaos.Options
	list   bool
	lease  time.Duration
	folder string
}

func parse(args []string, errOut io.Writer) (options, error) {
	var o options
	var broken, unknown string
	flags := flag.NewFlagSet("replyonce-chaos", flag.ContinueOnError)
	flags.SetOutput(errOut)
	flags.DurationVar(&o.Duration, "duration", 5*time.Minute, "how long faults happen; reading everything back comes after it")
	flags.Uint64Var(&o.Seed, "seed", 0, "of the schedule; 0 takes one from the clock")
	flags.StringVar(&o.Profile, "profile", "short", "timers: short or default")
	flags.StringVar(&unknown, "on-unknown", string(worktask.RetryUnknown), "what new tasks do after a call whose end nobody saw: retry or stop")
	flags.StringVar(&broken, "break", "", "play with a broken service, to see that it is found: "+strings.Join(observe.Breaks(), ", "))
	flags.StringVar(&o.folder, "out", "", "folder for the history; empty: none is kept")
	flags.BoolVar(&o.list, "list", false, "print the schedule and play nothing")
	if err := flags.Parse(args); err != nil {
		return o, fmt.Errorf("read flags: %w", err)
	}
	if flags.NArg() > 0 {
		return o, fmt.Errorf("%q is no flag", flags.Arg(0))
	}
	if o.Duration <= 0 {
		return o, fmt.Errorf("-duration %s: there must be some time", o.Duration)
	}
	timers, err := worktask.TimersNamed(o.Profile)
	if err != nil {
		return o, fmt.Errorf("-profile: %w", err)
	}
	o.lease = timers.Lease
	o.Unknown = worktask.UnknownPolicy(unknown)
	if o.Unknown != worktask.RetryUnknown && o.Unknown != worktask.StopUnknown {
		return o, fmt.Errorf("-on-unknown %q is neither retry nor stop", unknown)
	}
	var known bool
	if o.Break, known = observe.BreakNamed(broken); !known {
		return o, fmt.Errorf("-break %q is unknown", broken)
	}
	if o.Seed == 0 {
		o.Seed = uint64(time.Now().UnixNano()) % 1_000_000
	}
	return o, nil
}
