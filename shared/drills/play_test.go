package drills_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/replyonce/replyonce/shared/drills"
	"github.com/replyonce/replyonce/shared/drills/virtual"
	"github.com/replyonce/replyonce/shared/memstore"
	"github.com/replyonce/replyonce/shared/worktask"
)

// play plays an act in a world of its own.
func play(t *testing.T, d drills.Drill, act drills.Act, o virtual.Options) drills.Result {
	t.Helper()
	var result drills.Result
	synctest.Test(t, func(t *testing.T) {
		o.Kind, o.Now = act.Kind, time.Now
		w, err := virtual.New(o)
		if err != nil {
			t.Fatal(err)
		}
		result = drills.Play(t.Context(), w, d, act, drills.Options{Seed: 1})
		if err := w.Close(); err != nil {
			t.Error(err)
		}
	})
	return result
}

func report(t *testing.T, r drills.Result) {
	t.Helper()
	for _, text := range r.Deviations {
		t.Errorf("✗ %s", text)
	}
	for _, text := range r.Findings {
		t.Errorf("✗ %s", text)
	}
	if t.Failed() {
		for _, n := range r.Notes {
			t.Logf("%s %s", n.At.Format("05.000"), n.Text)
		}
		for _, s := range r.Seen {
			t.Logf("seen: %+v", s)
		}
	}
}

// each calls play for every act of the catalogue.
func each(t *testing.T, play func(t *testing.T, d drills.Drill, act drills.Act)) {
	t.Helper()
	for _, d := range drills.Catalogue() {
		for _, act := range d.Acts {
			t.Run(strings.TrimSpace(d.ID+" "+act.Title), func(t *testing.T) { play(t, d, act) })
		}
	}
}

// TestDrillsInMemory plays every drill over the store in memory, with the timers
// of a deployment and with those of the real drills.
func TestDrillsInMemory(t *testing.T) {
	t.Parallel()
	for _, timers := range []worktask.Timers{worktask.DefaultTimers(), worktask.ShortTimers()} {
		for _, hide := range []bool{false, true} {
			each(t, func(t *testing.T, d drills.Drill, act drills.Act) {
				t.Helper()
				store := memstore.New(memstore.Options{HideOldItem: hide})
				report(t, play(t, d, act, virtual.Options{Timers: timers, Store: store}))
			})
		}
	}
}
