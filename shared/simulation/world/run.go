package world

import (
	"fmt"
	"runtime/debug"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/replyonce/replyonce/shared/history"
	"github.com/replyonce/replyonce/shared/simulation/coverage"
)

// Schedule is everything that decides a run.
type Schedule struct {
	Setup Setup  `json:"setup"`
	Steps []Step `json:"steps"`
}

// Result is what a run gave.
type Result struct {
	History history.History
	// Err is a promise that was seen broken during the run, or a fault of the
	// world itself.
	Err      error
	Applied  int // steps that found something to do
	Coverage *coverage.Coverage
}

// Run makes a schedule in virtual time of its own and heals the world after it.
// now must be time.Now: inside, it reads the virtual clock.
func Run(t *testing.T, s Schedule, wiring Wiring, header history.Header, now func() time.Time) Result {
	t.Helper()
	var result Result
	synctest.Test(t, func(*testing.T) {
		w := newWorld(s.Setup, wiring, header, now)
		result.Applied, result.Err = w.play(s.Steps)
		w.close()
		result.History = w.recorder.History()
		result.History.Header.Limits.SkewMS = w.skew.Milliseconds()
		result.Coverage = w.watch.coverage
	})
	return result
}

// play makes the steps and heals. A panic of the code under test is a result
// like any other.
func (w *World) play(steps []Step) (applied int, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	for _, s := range steps {
		if w.do(s) {
			applied++
		}
		w.endOverdue()
		w.watch.look()
	}
	return applied, w.heal()
}

// close ends every process, so that no goroutine is left.
func (w *World) close() {
	for _, p := range slices.Clone(w.processes) {
		w.kill(p, false)
	}
	synctest.Wait()
}
