package chaos

import (
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/replyonce/replyonce/shared/drills"
)

const lease = 3 * time.Second

func TestASeedGivesOneSchedule(t *testing.T) {
	t.Parallel()
	plan := Plan(7, time.Minute, lease)
	if !reflect.DeepEqual(plan, Plan(7, time.Minute, lease)) {
		t.Error("the same seed gives two schedules")
	}
	if reflect.DeepEqual(plan, Plan(8, time.Minute, lease)) {
		t.Error("two seeds give one schedule")
	}
	longer := Plan(7, 2*time.Minute, lease)
	if !reflect.DeepEqual(plan, longer[:len(plan)]) {
		t.Error("a longer run does not begin like a shorter one")
	}
}

func TestFaultsLieWithinTheRun(t *testing.T) {
	t.Parallel()
	plan := Plan(7, time.Minute, lease)
	last := time.Duration(0)
	for _, f := range plan {
		if f.At <= last || f.At >= time.Minute {
			t.Fatalf("%s comes after %s, in a run of a minute", f, last)
		}
		last = f.At
		switch lasts := f.Kind == Freeze || f.Kind == HoldWrite || f.Kind == Delay || f.Kind == Step; {
		case lasts != (f.For > 0):
			t.Errorf("%s lasts %s", f, f.For)
		case (f.Kind == Step) != (f.Offset != 0):
			t.Errorf("%s: the clock is %s off", f, f.Offset)
		}
	}
}

// TestOneDeckMeetsEveryFault: a run of half a minute has everything in it.
func TestOneDeckMeetsEveryFault(t *testing.T) {
	t.Parallel()
	for seed := range uint64(5) {
		plan := Plan(seed, 30*time.Second, lease)
		for _, c := range deck {
			if !slices.ContainsFunc(plan, func(f Fault) bool {
				return f.Kind == c.fault.Kind && f.Role == c.fault.Role && f.Op == c.fault.Op
			}) {
				t.Errorf("seed %d: no %s of %s at %q", seed, c.fault.Kind, c.fault.Role, c.fault.Op)
			}
		}
	}
}

func TestEveryProcessIsMet(t *testing.T) {
	t.Parallel()
	met := map[int]bool{}
	for _, f := range Plan(7, 5*time.Minute, lease) {
		if f.Kind == Kill && f.Role == drills.Worker {
			met[f.Process%workers] = true
		}
	}
	if len(met) != workers {
		t.Errorf("%d of %d workers are ever killed", len(met), workers)
	}
	if processes%workers != 0 || processes%apis != 0 {
		t.Errorf("some of %d workers and %d apis are met more often than others", workers, apis)
	}
}
