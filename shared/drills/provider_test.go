package drills_test

import (
	"strings"
	"testing"

	"github.com/replyonce/replyonce/shared/drills"
	"github.com/replyonce/replyonce/shared/drills/fakes"
	"github.com/replyonce/replyonce/shared/drills/virtual"
	"github.com/replyonce/replyonce/shared/memstore"
	"github.com/replyonce/replyonce/shared/worktask"
)

// The drills that are about the provider, on every provider's own adapter and its
// fake. Expected is what the drill expects of the scripted provider: the same number
// of requests at the fake, by its log, and of calls on the task.

func TestD14LineCutOnEveryProvider(t *testing.T) {
	t.Parallel()
	onEveryProvider(t, "D14", func(fakes.Provider) bool { return true })
}

// Only where the provider documents a look-up is there a number to ask with.
func TestD15LookedUpOnEveryProvider(t *testing.T) {
	t.Parallel()
	onEveryProvider(t, "D15", func(p fakes.Provider) bool { return p.Lookup })
}

// D16 is about a documented idempotency key, and none of these has one: no request may
// carry any (package conformance), and a lost answer is D14.

func TestD17NotNowOnEveryProvider(t *testing.T) {
	t.Parallel()
	onEveryProvider(t, "D17", func(fakes.Provider) bool { return true })
}

func TestD18NeverAnAnswerOnEveryProvider(t *testing.T) {
	t.Parallel()
	onEveryProvider(t, "D18", func(fakes.Provider) bool { return true })
}

func TestD27OddAnswersOnEveryProvider(t *testing.T) {
	t.Parallel()
	onEveryProvider(t, "D27", func(fakes.Provider) bool { return true })
}

func onEveryProvider(t *testing.T, id string, suits func(fakes.Provider) bool) {
	t.Helper()
	d, found := drills.Find(id)
	if !found {
		t.Fatalf("no drill %s", id)
	}
	timers := worktask.DefaultTimers()
	for _, p := range fakes.Providers(timers.Lease) {
		if !suits(p) {
			continue
		}
		for _, act := range d.Acts {
			t.Run(strings.TrimSpace(p.Name+" "+act.Title), func(t *testing.T) {
				act.Kind.Lookup, act.Kind.Keys = false, false // of the scripted provider
				result := play(t, d, act, virtual.Options{Timers: timers, Store: memstore.New(memstore.Options{}), Foreign: p.New})
				report(t, result)
				t.Logf("%s %s: %s", d.ID, p.Name, result.Shown())
			})
		}
	}
}
