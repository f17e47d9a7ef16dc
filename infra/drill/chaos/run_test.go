package chaos_test

import (
	"slices"
	"testing"
	"time"

	"github.com/replyonce/replyonce/infra/drill/chaos"
	"github.com/replyonce/replyonce/infra/drill/observe"
	"github.com/replyonce/replyonce/shared/drills"
	"github.com/replyonce/replyonce/shared/history/check"
)

// runFor plays a plan for so long on real processes.
func runFor(t *testing.T, duration time.Duration, plan []chaos.Fault, broken string) chaos.Result {
	t.Helper()
	if testing.Short() {
		t.Skip("skipping chaos on real processes: it runs a whole stack")
	}
	cut, known := observe.BreakNamed(broken)
	if !known {
		t.Fatalf("nothing breaks the service by %q", broken)
	}
	result, err := chaos.Run(t.Context(), chaos.Options{
		Duration: duration, Seed: 30, Plan: plan, Break: cut, Progress: func(text string) { t.Log(text) },
	})
	if err != nil {
		t.Fatal(err)
	}
	return result
}

// TestASaveThatNothingRefusesIsFound: workers stand still in the middle of their
// saves until they are replaced.
func TestASaveThatNothingRefusesIsFound(t *testing.T) {
	var plan []chaos.Fault
	for i := range 4 {
		plan = append(plan, chaos.Fault{
			At: time.Duration(1+i) * time.Second, Kind: chaos.HoldWrite, Role: drills.Worker, Op: drills.Complete, For: 8 * time.Second,
		})
	}
	result := runFor(t, 10*time.Second, plan, "unfenced-save")
	if result.Good() || !slices.Contains(result.Report.Broken(), check.P2) || len(result.Failing()) == 0 {
		t.Fatalf("broken promises: %v\n%s", result.Report.Broken(), result.Table())
	}
	t.Log("\n" + chaos.Story(result.History, result.Failing()[0]))
}
