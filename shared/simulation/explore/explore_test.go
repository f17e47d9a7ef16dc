package explore

import (
	"errors"
	"flag"
	"slices"
	"testing"
	"time"

	"github.com/replyonce/replyonce/shared/simulation/mutants"
	"github.com/replyonce/replyonce/shared/worktask"
)

var full = flag.Bool("full", false, "search the large spaces too; takes minutes and some gigabytes")

// small bounds a search that ends within a second or so.
func small(change func(*Options)) Options {
	o := Options{
		Policy: worktask.RetryUnknown, Lease: 3, Ticks: 8, Messages: 1, Attempts: 2, Calls: 3, Brief: true,
	}
	if change != nil {
		change(&o)
	}
	return o
}

// searches are complete within their bounds.
var searches = []struct {
	name  string
	o     Options
	large bool
}{
	{"retry", small(nil), false},
	{"stop", small(func(o *Options) { o.Policy = worktask.StopUnknown }), false},
	{"retry, cancel", small(func(o *Options) { o.Cancel, o.Ticks = true, 7 }), false},
	{"stop, one fault", small(func(o *Options) { o.Policy, o.Faults, o.Ticks, o.Attempts, o.Calls = worktask.StopUnknown, 1, 7, 1, 2 }), false},
	{"retry, one fault", small(func(o *Options) { o.Faults, o.Ticks, o.Attempts, o.Calls = 1, 7, 1, 2 }), false},
	{"renewals", small(func(o *Options) { o.Beats, o.Ticks, o.Attempts, o.Calls = true, 7, 1, 2 }), false},
	{"operations", small(func(o *Options) { o.Operations, o.Attempts, o.Calls = true, 1, 2 }), false},

	{"money, one fault", small(func(o *Options) { o.Money, o.Faults, o.Ticks, o.Attempts, o.Calls = CallMoney, 1, 7, 1, 2 }), false},
	{"money and operations", small(func(o *Options) { o.Money, o.Operations, o.Attempts, o.Calls = 2*CallMoney-1, true, 2, 3 }), false},

	{"retry, one fault, cancel", small(func(o *Options) { o.Faults, o.Late, o.Cancel = 1, 1, true }), true},
	{"stop, one fault, cancel", small(func(o *Options) { o.Policy, o.Faults, o.Late, o.Cancel = worktask.StopUnknown, 1, 1, true }), true},
	{"retry, two faults", small(func(o *Options) { o.Faults, o.Late, o.Ticks = 2, 1, 7 }), true},
	{"stop, two faults", small(func(o *Options) { o.Policy, o.Faults, o.Late, o.Ticks = worktask.StopUnknown, 2, 1, 7 }), true},
	{"renewals, one fault", small(func(o *Options) { o.Beats, o.Faults, o.Late, o.Ticks = true, 1, 1, 7 }), true},
	{"operations, one fault", small(func(o *Options) { o.Operations, o.Faults, o.Brief = true, 1, false }), true},
	{"money and operations, one fault", small(func(o *Options) { o.Money, o.Operations, o.Faults, o.Late, o.Brief = 2*CallMoney+1, true, 1, 1, false }), true},
	{"clocks apart", small(func(o *Options) { o.Skew, o.Faults = [3]int{2, 0, -2}, 1 }), true},
	{"index that lags", small(func(o *Options) { o.StaleIndex, o.Faults, o.Every = true, 1, true }), true},
}

// TestEveryInterleaving meets every state within the bounds of each search.
func TestEveryInterleaving(t *testing.T) {
	total := 0
	for _, s := range searches {
		if s.large && !*full {
			continue
		}
		t.Run(s.name, func(t *testing.T) {
			start := time.Now()
			if s.large {
				s.o.States = 1_500_000
			}
			r, err := Search(s.o)
			if err != nil {
				t.Error(err)
			}
			t.Logf("%s in %s; ends %v; writes %v", r, time.Since(start).Round(time.Millisecond), r.Ends, r.Landed)
			if !r.Complete && !s.large {
				t.Error("not complete")
			}
			total += r.States
		})
	}
	t.Logf("%d states in all", total)
}

// hunts are the searches for mutants: small ones that differ in what may happen.
func hunts(wrong func(worktask.Transition) worktask.Transition) []Options {
	limit := 6000
	if *full {
		limit = 60_000
	}
	return []Options{
		small(func(o *Options) { o.Wrong, o.States, o.Cancel, o.Ticks = wrong, limit, true, 7 }),
		small(func(o *Options) { o.Wrong, o.States, o.Policy, o.Faults = wrong, limit, worktask.StopUnknown, 1 }),
		small(func(o *Options) {
			o.Wrong, o.States, o.Faults, o.Late, o.Beats, o.Attempts, o.Calls = wrong, limit, 1, 1, true, 1, 2
		}),
		small(func(o *Options) {
			o.Wrong, o.States, o.Faults, o.Skew, o.Cancel = wrong, limit, 2, [3]int{0, 0, 1}, true
		}),
		small(func(o *Options) { o.Wrong, o.States, o.Money, o.Operations = wrong, limit, 2*CallMoney+1, true }),
		small(func(o *Options) { o.Wrong, o.States, o.Money = wrong, limit, CallMoney+1 }),
	}
}

// deep are mutants that need a longer search than an ordinary test run makes.
var deep = []string{"renewal that may shorten the lease"}

// TestMutantsInSearch: a search that finds nothing in the product must find
// every mutant of a write. Mutants of other parts are not part of the machines.
func TestMutantsInSearch(t *testing.T) {
	for _, m := range mutants.All() {
		wrong := m.Wire().Transition
		if wrong == nil || (!*full && slices.Contains(deep, m.Name)) {
			continue
		}
		t.Run(m.Name, func(t *testing.T) {
			states := 0
			for _, o := range hunts(wrong) {
				r, err := Search(o)
				states += r.States
				if broken, ok := errors.AsType[*BrokenError](err); ok {
					t.Logf("after %d states: %v", states, broken)
					return
				}
			}
			t.Errorf("not found in %d states: %s", states, m.Wrong)
		})
	}
}
