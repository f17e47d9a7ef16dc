// Command replyonce-drill plays the failure drills on a stack of its own, with
// real processes, prints what each must show and has shown, and writes a report.
// It exits with 1 when anything is not as it must be.
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/replyonce/replyonce/infra/drill/onemachine"
	"github.com/replyonce/replyonce/infra/drill/remote"
	"github.com/replyonce/replyonce/infra/drill/report"
	"github.com/replyonce/replyonce/infra/drill/suite"
	"github.com/replyonce/replyonce/shared/drills"
)

// Exit codes.
const (
	good        = 0
	deviates    = 1
	misused     = 2
	interrupted = 130 // as shells report a program that Ctrl-C has ended
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
	switch {
	case o.list:
		fmt.Fprint(out, catalogue(o.drills))
		return good
	case o.mutants:
		err = printMutants(ctx, out, errOut)
	default:
		err = play(ctx, o, out)
	}
	switch {
	case ctx.Err() != nil:
		fmt.Fprintln(errOut, "interrupted; everything is stopped")
		return interrupted
	case err != nil:
		fmt.Fprintln(errOut, err)
		return deviates
	}
	return good
}

// catalogue lists drills for people.
func catalogue(list []drills.Drill) string {
	var text strings.Builder
	for _, d := range list {
		fmt.Fprintf(&text, "%s  %s\n     What happens: %s\n     What must be seen: %s\n", d.ID, d.Name, d.Happens, d.MustSee)
	}
	return text.String()
}

// play plays the drills and writes the reports. An error says that something is
// not as it must be.
func play(ctx context.Context, o options, out io.Writer) error {
	begun := time.Now()
	start, where, err := worlds(ctx, o, out)
	if err != nil {
		return err
	}
	s := suite.Suite{Start: start, Seed: o.seed, Ended: func(d drills.Drill, r drills.Result) { told(out, o, d, r) }}
	outcomes, playErr := s.Play(ctx, o.drills)
	r := report.New(outcomes, where, o.profile, begun, time.Since(begun))
	fmt.Fprint(out, "\n"+r.Table())
	for _, file := range []struct {
		path  string
		write func(io.Writer) error
	}{{o.json, r.WriteJSON}, {o.html, r.WriteHTML}} {
		if err := writeFile(file.path, file.write, out); err != nil {
			return err
		}
	}
	switch {
	case playErr != nil:
		return fmt.Errorf("not all drills were played: %w", playErr)
	case !r.Passed:
		return fmt.Errorf("not everything is as it must be")
	}
	return nil
}

// worlds says how to start the worlds that the options ask for.
func worlds(ctx context.Context, o options, out io.Writer) (start func(context.Context, drills.Kind) (suite.World, error), where string, err error) {
	if o.endpoint != "" {
		w, err := remote.New(remote.Options{Endpoint: o.endpoint, Token: o.token, Profile: o.profile})
		if err != nil {
			return nil, "", err //nolint:wrapcheck // says what it is
		}
		return func(context.Context, drills.Kind) (suite.World, error) { return w, nil }, o.endpoint, nil
	}
	programs, where, err := build(ctx, o, func(text string) { fmt.Fprintln(out, text) })
	if err != nil {
		return nil, "", err
	}
	return func(ctx context.Context, kind drills.Kind) (suite.World, error) {
		return onemachine.Start(ctx, onemachine.Options{Kind: kind, Profile: o.profile, Binaries: programs, Break: o.cut})
	}, where, nil
}

// build builds the programs, and says of which source.
func build(ctx context.Context, o options, progress func(string)) (folder, where string, err error) {
	where = "real processes on one machine"
	if o.broken.Name == "" {
		folder, err = onemachine.Build(ctx, "", progress)
		return folder, where, err //nolint:wrapcheck // says what it is
	}
	progress(fmt.Sprintf("broken on purpose, %s: %s", o.broken.Name, o.broken.Wrong))
	folder, err = onemachine.BuildBroken(ctx, "", o.broken, progress)
	where += fmt.Sprintf(", broken on purpose (%s: %s)", o.broken.Name, o.broken.Wrong)
	return folder, where, err //nolint:wrapcheck // likewise
}

// told prints a line when an act has ended.
func told(out io.Writer, o options, d drills.Drill, r drills.Result) {
	mark := "✓"
	if !r.Passed() {
		mark = "✗"
	}
	fmt.Fprintf(out, "%s %s %s %s (%.1f s)\n", mark, d.ID, d.Name, r.Act, r.Took.Seconds())
	if o.histories == "" {
		return
	}
	name := filepath.Join(o.histories, strings.TrimSpace(d.ID+" "+r.Act)+".jsonl")
	err := makeFolder(name)
	if err == nil {
		err = r.History.Save(name)
	}
	if err != nil {
		fmt.Fprintln(out, err)
	}
}

// makeFolder makes the folder of a file.
func makeFolder(file string) error {
	if err := os.MkdirAll(filepath.Dir(file), 0o750); err != nil {
		return fmt.Errorf("make folder for reports: %w", err)
	}
	return nil
}

func writeFile(path string, write func(io.Writer) error, out io.Writer) error {
	if path == "" {
		return nil
	}
	if err := makeFolder(path); err != nil {
		return err
	}
	file, err := os.Create(path) //nolint:gosec // named on the command line
	if err != nil {
		return fmt.Errorf("write report: %w", err)
	}
	if err := write(file); err != nil {
		_ = file.Close() // the error that matters is the first one
		return err
	}
	if err := file.Close(); err != nil {
		return fmt.Errorf("write report: %w", err)
	}
	fmt.Fprintln(out, "written:", path)
	return nil
}
