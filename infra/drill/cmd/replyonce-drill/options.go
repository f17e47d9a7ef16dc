package main

import (
	"flag"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/replyonce/replyonce/infra/drill/broken"
	"github.com/replyonce/replyonce/infra/drill/observe"
	"github.com/replyonce/replyonce/shared/drills"
)

type options struct {
	drills    []drills.Drill
	list      bool
	mutants   bool
	profile   string
	endpoint  string
	token     string
	seed      uint64
	json      string
	html      string
	histories string
	cut       observe.Break // changes requests
	broken    broken.Build  // of the source; the zero value is the product
}

const usage = `replyonce-drill plays failures and checks what the service makes of them.

  replyonce-drill                          all drills, on a stack of its own
  replyonce-drill D11 D30                  some of them
  replyonce-drill -profile default D06     with the timers of a deployment
  replyonce-drill -endpoint URL -token …   those that need nothing but HTTP, on any deployment
  replyonce-drill -broken unfenced-save    a build with a rule taken out: its drill has to fail

`

func parse(args []string, errOut io.Writer) (options, error) {
	var o options
	var cut, build string
	flags := flag.NewFlagSet("replyonce-drill", flag.ContinueOnError)
	flags.SetOutput(errOut)
	flags.Usage = func() {
		fmt.Fprint(errOut, usage)
		flags.PrintDefaults()
	}
	flags.BoolVar(&o.list, "list", false, "list the drills and play none")
	flags.BoolVar(&o.mutants, "mutants", false, "break the service in many ways and print how soon each is found, in virtual time")
	flags.StringVar(&o.profile, "profile", "", "timers: short or default; of an endpoint, those that it has")
	flags.StringVar(&o.endpoint, "endpoint", "", "address of a deployment's stage; empty starts a stack")
	flags.StringVar(&o.token, "token", "", "bearer token for the endpoint; empty signs in as the one-machine stack allows")
	flags.Uint64Var(&o.seed, "seed", 1, "of what is drawn by lot in D30")
	flags.StringVar(&o.json, "json", "", "file for the report as JSON")
	flags.StringVar(&o.html, "html", "", "file for the report as a page")
	flags.StringVar(&o.histories, "histories", "", "folder for the history of each act")
	flags.StringVar(&build, "broken", "", "build with a rule of the source taken out, to see that a drill finds it: "+strings.Join(broken.Names(), ", "))
	flags.StringVar(&cut, "break", "", "take the condition from requests on their way instead: "+strings.Join(observe.Breaks(), ", "))
	if err := flags.Parse(args); err != nil {
		return o, fmt.Errorf("read flags: %w", err)
	}
	if o.profile == "" {
		o.profile = "short"
		if o.endpoint != "" {
			o.profile = "default"
		}
	}
	var known bool
	if o.cut, known = observe.BreakNamed(cut); !known {
		return o, fmt.Errorf("-break %q is unknown", cut)
	}
	ids := flags.Args()
	if build != "" {
		var err error
		if o.broken, err = broken.Named(build); err != nil {
			return o, err //nolint:wrapcheck // says what it is
		}
		if len(ids) == 0 {
			ids = []string{o.broken.Drill}
		}
	}
	return o, o.choose(ids)
}

// choose finds the drills that are named; all, if none is.
func (o *options) choose(ids []string) error {
	o.drills = drills.Catalogue()
	slices.SortFunc(o.drills, func(a, b drills.Drill) int { return strings.Compare(a.ID, b.ID) })
	if len(ids) > 0 {
		o.drills = nil
	}
	for _, id := range ids {
		d, found := drills.Find(strings.ToUpper(id))
		if !found {
			return fmt.Errorf("there is no drill %s: see -list", id)
		}
		o.drills = append(o.drills, d)
	}
	return nil
}
