package onemachine_test

import (
	"context"
	"testing"

	"github.com/replyonce/replyonce/infra/drill/observe"
	"github.com/replyonce/replyonce/infra/drill/onemachine"
	"github.com/replyonce/replyonce/infra/drill/suite"
	"github.com/replyonce/replyonce/shared/drills"
)

// play plays drills on a stack of its own.
func play(t *testing.T, broken observe.Break, ids ...string) []suite.Outcome {
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
		return onemachine.Start(ctx, onemachine.Options{Kind: kind, Break: broken, Progress: func(text string) { t.Log(text) }})
	}}
	outcomes, err := s.Play(t.Context(), list)
	if err != nil {
		t.Fatal(err)
	}
	return outcomes
}

// TestDrillsOnRealProcesses plays some of what the command plays: a lost
// acknowledgement, a frozen worker, and a wrong clock.
func TestDrillsOnRealProcesses(t *testing.T) {
	for _, o := range play(t, nil, "D09", "D11", "D24") {
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

// TestABrokenServiceIsFoundOnRealProcesses: saves that nothing refuses.
func TestABrokenServiceIsFoundOnRealProcesses(t *testing.T) {
	broken, _ := observe.BreakNamed("unfenced-save")
	for _, o := range play(t, broken, "D11") {
		for _, r := range o.Results {
			if len(r.Deviations) == 0 || len(r.Findings) == 0 {
				t.Errorf("%s finds %v, the checker %v", o.Drill.ID, r.Deviations, r.Findings)
			}
		}
	}
}
