package onemachine_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/replyonce/replyonce/infra/drill/broken"
	"github.com/replyonce/replyonce/infra/drill/observe"
	"github.com/replyonce/replyonce/infra/drill/onemachine"
	"github.com/replyonce/replyonce/infra/drill/suite"
	"github.com/replyonce/replyonce/shared/drills"
)

// play plays drills on a stack of its own.
func play(t *testing.T, o onemachine.Options, ids ...string) []suite.Outcome {
	t.Helper()
	if testing.Short() {
		t.Skip("skipping drills on real processes: they run a whole stack")
	}
	var list []drills.Drill
	for _, id := range ids {
		d, found := drills.Find(id)
		if !found {
			t.Fatalf("no drill %s", id)
		}
		list = append(list, d)
	}
	s := suite.Suite{Seed: 1, Start: func(ctx context.Context, kind drills.Kind) (suite.World, error) {
		o.Kind, o.Progress = kind, func(text string) { t.Log(text) }
		return onemachine.Start(ctx, o)
	}}
	outcomes, err := s.Play(t.Context(), list)
	if err != nil {
		t.Fatal(err)
	}
	return outcomes
}

// TestDrillsOnRealProcesses plays some of what the command plays: a lost
// acknowledgement, a frozen worker, a wrong clock, and a frozen indexer.
func TestDrillsOnRealProcesses(t *testing.T) {
	for _, o := range play(t, onemachine.Options{}, "D09", "D11", "D24", "D34") {
		if !o.Played() || len(o.Skipped) > 0 {
			t.Errorf("%s was not played: %v", o.Drill.ID, o.Skipped)
		}
		for _, r := range o.Results {
			for _, text := range append(r.Deviations, r.Findings...) {
				t.Errorf("%s %s: %s", o.Drill.ID, r.Act, text)
			}
		}
	}
}

// TestABrokenServiceIsFoundOnRealProcesses: saves that nothing refuses, by requests
// that are changed on their way and by a build that sends them like that.
func TestABrokenServiceIsFoundOnRealProcesses(t *testing.T) {
	if testing.Short() {
		t.Skip("skipping drills on real processes: they run a whole stack")
	}
	b, err := broken.Named("unfenced-save")
	if err != nil {
		t.Fatal(err)
	}
	t.Run("requests", func(t *testing.T) {
		cut, _ := observe.BreakNamed(b.Name)
		mustBeFound(t, b, play(t, onemachine.Options{Break: cut}, b.Drill))
	})
	t.Run("build", func(t *testing.T) {
		programs, err := onemachine.BuildBroken(t.Context(), "", b, func(text string) { t.Log(text) })
		if err != nil {
			t.Fatal(err)
		}
		mustBeFound(t, b, play(t, onemachine.Options{Binaries: programs}, b.Drill))
	})
}

// mustBeFound asks for deviations from the drill, and for the promise by its name.
func mustBeFound(t *testing.T, b broken.Build, outcomes []suite.Outcome) {
	t.Helper()
	for _, o := range outcomes {
		for _, r := range o.Results {
			named := slices.ContainsFunc(r.Findings, func(f string) bool { return strings.HasPrefix(f, string(b.Breaks)+" ") })
			if len(r.Deviations) == 0 || !named {
				t.Errorf("%s finds %v, the checker %v", o.Drill.ID, r.Deviations, r.Findings)
			}
		}
	}
}
