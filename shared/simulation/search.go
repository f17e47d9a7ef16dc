package simulation

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/replyonce/replyonce/shared/history"
	"github.com/replyonce/replyonce/shared/history/check"
	"github.com/replyonce/replyonce/shared/simulation/rules"
	"github.com/replyonce/replyonce/shared/simulation/world"
)

// Lab runs schedules and judges them.
type Lab struct {
	Wiring world.Wiring
	Now    func() time.Time // time.Now: the virtual clock inside a run
	// Steps is about how long random schedules are; 0: 48.
	Steps int
}

const defaultSteps = 48

// Random is the schedule of a seed, always the same.
func (l Lab) Random(seed uint64) world.Schedule {
	random := rand.New(rand.NewPCG(seed, 0)) //nolint:gosec // a schedule is to be repeated, not to be secret
	steps := l.Steps
	if steps == 0 {
		steps = defaultSteps
	}
	return schedule(random.IntN, 4+random.IntN(steps))
}

// Verdict is what became of a schedule.
type Verdict struct {
	world.Result
	Report check.Report
	Rules  []rules.Finding
	Broken error // nil: every promise was kept
}

// Play runs a schedule and judges it. A case that the checker cannot decide
// counts as broken: a simulation knows everything.
func (l Lab) Play(t *testing.T, s world.Schedule, seed uint64) Verdict {
	t.Helper()
	v := Verdict{Result: world.Run(t, s, l.Wiring, history.Header{Name: "simulation", Seed: seed}, l.Now)}
	report, err := check.Check(v.History, check.Options{})
	v.Report = report
	if err = errors.Join(v.Err, err); err != nil {
		v.Broken = err
		return v
	}
	v.Rules = rules.Check(v.History)
	switch findings := report.Findings(); {
	case len(findings) > 0:
		v.Broken = fmt.Errorf("%s", findings[0])
	case len(v.Rules) > 0:
		v.Broken = fmt.Errorf("%s", v.Rules[0])
	}
	return v
}

// Names are the promises and rules that a verdict names as broken.
func (v Verdict) Names() []string {
	var names []string
	for _, p := range v.Report.Broken() {
		names = append(names, string(p))
	}
	for _, f := range v.Rules {
		names = append(names, f.Rule)
	}
	if v.Err != nil {
		names = append(names, string(check.P5))
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// Shrink takes steps out of a failing schedule for as long as it keeps breaking
// one of the same promises: first large pieces, then single steps.
func (l Lab) Shrink(t *testing.T, s world.Schedule, seed uint64) world.Schedule {
	t.Helper()
	broken := l.Play(t, s, seed).Names()
	fails := func(steps []world.Step) bool {
		names := l.Play(t, world.Schedule{Setup: s.Setup, Steps: steps}, seed).Names()
		return slices.ContainsFunc(names, func(name string) bool { return slices.Contains(broken, name) })
	}
	for size := len(s.Steps) / 2; size > 0; {
		shorter := false
		for from := 0; from+size <= len(s.Steps); {
			steps := slices.Delete(slices.Clone(s.Steps), from, from+size)
			if fails(steps) {
				s.Steps, shorter = steps, true
			} else {
				from += size
			}
		}
		if !shorter || size > 1 {
			size /= 2
		}
	}
	return s
}
