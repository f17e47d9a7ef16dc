// Check-history decides again on recorded histories which promises were kept.
//
//	check-history [-only P2,P9] file…
//
// It exits with 1 when a promise is broken, with 2 when something could not be
// decided, and with 3 when a file cannot be read.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/replyonce/replyonce/shared/history"
	"github.com/replyonce/replyonce/shared/history/check"
)

// The exit codes, the worst of all files.
const (
	exitBroken    = 1
	exitUndecided = 2
	exitFailed    = 3
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

func run(args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("check-history", flag.ContinueOnError)
	flags.SetOutput(stderr)
	only := flags.String("only", "", "promises to decide, separated by commas; empty: all")
	steps := flags.Int("steps", check.DefaultSteps, "bound of the search for a linear order of one task")
	if err := flags.Parse(args); err != nil {
		return exitFailed
	}
	options := check.Options{Steps: *steps}
	for p := range strings.SplitSeq(*only, ",") {
		if p != "" {
			options.Only = append(options.Only, check.Promise(p))
		}
	}
	if unknown := slices.IndexFunc(options.Only, isUnknown); unknown >= 0 || flags.NArg() == 0 {
		_, _ = fmt.Fprintf(stderr, "usage: check-history [-only P2,P9] file…\npromises: %v\n", check.All())
		return exitFailed
	}
	worst := 0
	for _, path := range flags.Args() {
		code, err := checkFile(path, options, stdout)
		if err != nil {
			_, _ = fmt.Fprintf(stderr, "check-history: %s: %v\n", path, err)
			code = exitFailed
		}
		worst = worse(worst, code)
	}
	return worst
}

func isUnknown(p check.Promise) bool { return !slices.Contains(check.All(), p) }

func checkFile(path string, options check.Options, stdout io.Writer) (int, error) {
	h, err := history.Load(path)
	if err != nil {
		return 0, fmt.Errorf("read: %w", err)
	}
	report, err := check.Check(h, options)
	if err != nil {
		return 0, fmt.Errorf("check: %w", err)
	}
	if _, err := fmt.Fprintf(stdout, "%s: %s, %d events, seed %d\n", path, h.Header.Name, len(h.Events), h.Header.Seed); err != nil {
		return 0, fmt.Errorf("print: %w", err)
	}
	if err := report.Print(stdout); err != nil {
		return 0, fmt.Errorf("print: %w", err)
	}
	switch {
	case len(report.Broken()) > 0:
		return exitBroken, nil
	case len(report.Undecided()) > 0:
		return exitUndecided, nil
	}
	return 0, nil
}

// worse orders exit codes: a broken promise outranks what is not decided, and a
// file that cannot be read outranks both.
func worse(a, b int) int {
	rank := []int{0, exitUndecided, exitBroken, exitFailed}
	if slices.Index(rank, b) > slices.Index(rank, a) {
		return b
	}
	return a
}
