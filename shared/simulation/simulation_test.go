package simulation

import (
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/replyonce/replyonce/shared/history"
	"github.com/replyonce/replyonce/shared/simulation/coverage"
	"github.com/replyonce/replyonce/shared/simulation/world"
)

// TestRandomSchedules runs schedules of fixed seeds: the same ones every time.
func TestRandomSchedules(t *testing.T) {
	seeds := uint64(600)
	if testing.Short() {
		seeds = 150
	}
	total := &tally{coverage: coverage.New()}
	const parts = 4
	for part := range uint64(parts) {
		t.Run(fmt.Sprintf("part %d", part+1), func(t *testing.T) {
			t.Parallel()
			for seed := part; seed < seeds; seed += parts {
				total.play(t, seed)
			}
		})
	}
	t.Cleanup(func() { total.print(t) })
}

// tally collects what several schedules met.
type tally struct {
	mu       sync.Mutex
	coverage *coverage.Coverage
	played   int
}

// play runs the schedule of a seed.
func (c *tally) play(t *testing.T, seed uint64) {
	t.Helper()
	c.judge(t, fmt.Sprintf("seed-%d", seed), lab().Random(seed), seed)
}

// judge runs a schedule and makes it shorter if it fails.
func (c *tally) judge(t *testing.T, name string, s world.Schedule, seed uint64) {
	t.Helper()
	v := lab().Play(t, s, seed)
	c.mu.Lock()
	c.played++
	c.coverage.Add(v.Coverage)
	c.mu.Unlock()
	if v.Broken == nil {
		return
	}
	s = lab().Shrink(t, s, seed)
	v = lab().Play(t, s, seed)
	t.Errorf("%s: %v\n%d steps: %v\n%s", name, v.Broken, len(s.Steps), s.Steps, keep(t, name, s, v))
}

func (c *tally) print(t *testing.T) {
	t.Helper()
	t.Logf("%d schedules", c.played)
	if err := c.coverage.Print(t.Output()); err != nil {
		t.Error(err)
	}
	for _, cell := range c.coverage.ImpossibleCells() {
		t.Errorf("%s is listed as out of reach and was reached", cell)
	}
	for _, edge := range c.coverage.ImpossibleEdges() {
		t.Errorf("edge %s was taken and is not listed", edge)
	}
}

// schedules generates schedules for rapid, which makes failing ones shorter.
func schedules(steps int) *rapid.Generator[world.Schedule] {
	return rapid.Custom(func(t *rapid.T) world.Schedule {
		some := rapid.Custom(func(t *rapid.T) []world.Step {
			return drawSteps(func(n int) int { return rapid.IntRange(0, n-1).Draw(t, "n") })
		})
		s := world.Schedule{Setup: setup(func(n int) int { return rapid.IntRange(0, n-1).Draw(t, "setup") })}
		s.Steps = []world.Step{{Op: world.Send}, {Op: world.Flow}}
		for _, more := range rapid.SliceOfN(some, 0, steps).Draw(t, "steps") {
			s.Steps = append(s.Steps, more...)
		}
		return s
	})
}

// TestRapidSchedules lets rapid draw schedules; it makes failing ones shorter by
// its own means and prints the seed.
func TestRapidSchedules(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		s := schedules(10).Draw(rt, "schedule")
		if v := lab().Play(t, s, 0); v.Broken != nil {
			rt.Fatalf("%v\n%s", v.Broken, keep(t, "rapid", s, v))
		}
	})
}

// TestOneScheduleOneHistory: a schedule is data, and has the same effects each
// time, or a seed would be of no use. Only effects are compared: a goroutine that
// finds its tick and its end at the same time may send a renewal that its dead
// context stops before it leaves.
func TestOneScheduleOneHistory(t *testing.T) {
	for seed := range uint64(100) {
		s := lab().Random(seed)
		first, second := effects(lab().Play(t, s, seed)), effects(lab().Play(t, s, seed))
		if !slices.Equal(first, second) {
			t.Errorf("seed %d: %d effects, and then %d\n%s\n%s", seed, len(first), len(second), first, second)
		}
	}
}

// effects are what a run left in the store, in the queue and with the provider,
// and what callers were answered.
func effects(v Verdict) []string {
	var list []string
	for _, e := range v.History.Events {
		switch e.Kind {
		case history.Stored:
			list = append(list, fmt.Sprintf("%s %s %+v", e.At, e.Write.Transition, *e.After))
		case history.RequestAnswered:
			list = append(list, fmt.Sprintf("%s answered %d %s", e.At, e.Answer.Status, e.Answer.Code))
		case history.Created, history.Deleted, history.DeadLettered, history.CallReceived, history.CallAnswered, history.ProcessKilled:
			list = append(list, fmt.Sprintf("%s %s %s %s", e.At, e.Kind, e.Actor, e.Task))
		}
	}
	return list
}

// TestSoak runs random schedules for the time of -soak and reports once a
// minute.
func TestSoak(t *testing.T) {
	if *soakFor == 0 {
		t.Skip("no duration given, see -soak")
	}
	seed := *soakSeed
	start := time.Now()
	if seed == 0 {
		seed = uint64(start.UnixNano())
	}
	fmt.Printf("soak for %s from seed %d\n", *soakFor, seed)
	total := &tally{coverage: coverage.New()}
	for _, d := range AllDirected() {
		total.judge(t, "directed", d.Schedule, 0)
	}
	var next sync.Mutex
	draw := func() uint64 {
		next.Lock()
		defer next.Unlock()
		seed++
		return seed
	}
	report := func() {
		total.mu.Lock()
		defer total.mu.Unlock()
		took := time.Since(start)
		fmt.Printf("%8s  %8d schedules  %6.0f/s  %8d states  %d cells missing  %d edges missing\n", took.Round(time.Second), total.played,
			float64(total.played)/took.Seconds(), len(total.coverage.States), len(total.coverage.MissingCells()), len(total.coverage.MissingEdges()))
	}
	reported := start
	var reporting sync.Mutex
	t.Run("schedules", func(t *testing.T) {
		for range 2 {
			t.Run("", func(t *testing.T) {
				t.Parallel()
				for time.Since(start) < *soakFor && !t.Failed() {
					total.play(t, draw())
					reporting.Lock()
					if time.Since(reported) >= time.Minute {
						reported = time.Now()
						report()
					}
					reporting.Unlock()
				}
			})
		}
	})
	report()
	total.print(t)
}
