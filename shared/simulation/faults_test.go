package simulation

import (
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/replyonce/replyonce/shared/simulation/world"
	"github.com/replyonce/replyonce/shared/worktask"
)

// setups differ in what a worker does before its call, and in what a refused
// write tells.
var setups = []world.Setup{
	{Policy: worktask.RetryUnknown},
	{Policy: worktask.StopUnknown},
	{Policy: worktask.RetryUnknown, MoneyLimit: moneyLimit, CallMoney: callMoney},
	{Policy: worktask.StopUnknown, HideOldItem: true, StaleIndex: true},
}

const (
	// calls are more than a task needs from its first send to the last answer
	// of a worker when nothing goes wrong.
	calls = 14
	// fates are the most ways in which one call can go.
	fates = 12
)

// wrong serves so many calls and lets the next one go wrong in a way.
func wrong(after, fate int) []world.Step {
	return []world.Step{{Op: world.Work, C: after}, {Op: world.Serve, B: fate, C: fate}}
}

// TestEveryFaultAtEveryCall: each call on the way from a press of Send to the
// saved reply goes wrong once in each way.
func TestEveryFaultAtEveryCall(t *testing.T) {
	n := 0
	for _, setup := range setups {
		for after := range calls {
			for fate := range fates {
				n++
				mustHold(t, setup, wrong(after, fate))
			}
		}
	}
	t.Logf("%d schedules", n)
}

// TestEveryPairOfFaults: and so does each pair of them. A call counts from the
// fault before it.
func TestEveryPairOfFaults(t *testing.T) {
	if !*allPairs {
		t.Skip("takes minutes, see -pairs")
	}
	var n atomic.Int64
	for i, setup := range setups {
		for first := range calls {
			t.Run(fmt.Sprintf("setup %d, call %d", i+1, first+1), func(t *testing.T) {
				t.Parallel()
				for fate := range fates {
					for second := range calls {
						for other := range fates {
							n.Add(1)
							mustHold(t, setup, append(wrong(first, fate), wrong(second, other)...))
						}
					}
				}
			})
		}
	}
	t.Cleanup(func() { t.Logf("%d schedules", n.Load()) })
}

func mustHold(t *testing.T, setup world.Setup, steps []world.Step) {
	t.Helper()
	s := world.Schedule{Setup: setup, Steps: append([]world.Step{{Op: world.Send}}, steps...)}
	if v := lab().Play(t, s, 0); v.Broken != nil {
		t.Errorf("%v: %v\n%s", s.Steps, v.Broken, keep(t, "faults", s, v))
	}
}
