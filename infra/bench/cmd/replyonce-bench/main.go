// Command replyonce-bench counts what the product costs on AWS, measures how
// fast it is beside what it stands on, and weighs the functions. It ends with a
// status other than 0 when a promised bound is broken; times are printed only.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/replyonce/replyonce/infra/bench/documents"
	"github.com/replyonce/replyonce/infra/bench/rates"
	"github.com/replyonce/replyonce/infra/bench/scenarios"
	"github.com/replyonce/replyonce/infra/bench/sizes"
	"github.com/replyonce/replyonce/infra/local/binaries"
	"github.com/replyonce/replyonce/shared/textextract/pdfengine"
)

// timeLimit is for the whole run.
const timeLimit = 4 * time.Minute

func main() {
	pdfengine.RunIfAsked()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// report is everything that was measured, for -json.
type report struct {
	Scenarios []scenarios.Result `json:"scenarios,omitempty"`
	Ratios    []rates.Ratio      `json:"ratios,omitempty"`
	Drains    []rates.Drain      `json:"drains,omitempty"`
	Zips      []sizes.Zip        `json:"zips,omitempty"`
	Starts    []sizes.Start      `json:"starts,omitempty"`
	Documents *documents.Report  `json:"documents,omitempty"`
	Broken    []string           `json:"broken_bounds"`
}

// part is one section of the bench.
type part struct {
	name string
	run  func(ctx context.Context, b *bench) error
}

var parts = []part{{"units", units}, {"times", times}, {"drain", drain}, {"sizes", weigh}, {"documents", index}}

// bench is one run.
type bench struct {
	out      io.Writer
	progress func(string)
	root     string // the module's folder
	report   report
}

func run(ctx context.Context, args []string, out, progress io.Writer) error {
	flags := flag.NewFlagSet("replyonce-bench", flag.ContinueOnError)
	file := flags.String("json", "", "also write everything to this `file`")
	only := flags.String("only", "", "comma-separated `parts` to run: "+names(parts))
	if err := flags.Parse(args); err != nil {
		return fmt.Errorf("read arguments: %w", err)
	}
	chosen, err := choose(*only)
	if err != nil {
		return err
	}
	dir, err := os.Getwd()
	if err != nil {
		return fmt.Errorf("find working directory: %w", err)
	}
	root, err := binaries.FindRoot(dir)
	if err != nil {
		return fmt.Errorf("find the module: %w", err)
	}
	b := &bench{out: out, root: root, progress: func(text string) { fmt.Fprintln(progress, "...", text) }}
	ctx, cancel := context.WithTimeoutCause(ctx, timeLimit, fmt.Errorf("the run took more than %s", timeLimit))
	defer cancel()
	for i, p := range chosen {
		if i > 0 {
			fmt.Fprint(out, "\n\n")
		}
		if err := p.run(ctx, b); err != nil {
			return fmt.Errorf("measure %s: %w", p.name, err)
		}
	}
	return errors.Join(b.write(*file), b.verdict())
}

// choose finds the parts of a comma-separated list; an empty one is all.
func choose(list string) ([]part, error) {
	if list == "" {
		return parts, nil
	}
	var chosen []part
	for name := range strings.SplitSeq(list, ",") {
		i := slices.IndexFunc(parts, func(p part) bool { return p.name == name })
		if i < 0 {
			return nil, fmt.Errorf("there is no part %q: choose from %s", name, names(parts))
		}
		chosen = append(chosen, parts[i])
	}
	return chosen, nil
}

func names(parts []part) string {
	var list []string
	for _, p := range parts {
		list = append(list, p.name)
	}
	return strings.Join(list, ",")
}

func (b *bench) write(file string) error {
	if file == "" {
		return nil
	}
	encoded, err := json.MarshalIndent(b.report, "", "  ")
	if err != nil {
		return fmt.Errorf("encode report: %w", err)
	}
	if err := os.WriteFile(file, append(encoded, '\n'), 0o600); err != nil {
		return fmt.Errorf("write report: %w", err)
	}
	return nil
}

func (b *bench) verdict() error {
	if len(b.report.Broken) == 0 {
		return nil
	}
	return fmt.Errorf("%d bounds are broken:\n  %s", len(b.report.Broken), strings.Join(b.report.Broken, "\n  "))
}
