package simulation

import (
	"slices"
	"testing"
	"time"

	"github.com/replyonce/replyonce/shared/simulation/mutants"
)

// TestShrink makes the schedule of a broken product short: nobody reads fifty
// steps.
func TestShrink(t *testing.T) {
	i := slices.IndexFunc(mutants.All(), func(m mutants.Mutant) bool { return m.Name == "completion without version" })
	broken := Lab{Now: time.Now, Wiring: mutants.All()[i].Wire()}
	for seed := range uint64(1000) {
		s := broken.Random(seed)
		if !slices.Contains(broken.Play(t, s, seed).Names(), "P2") || len(s.Steps) < 20 {
			continue
		}
		short := broken.Shrink(t, s, seed)
		if v := broken.Play(t, short, seed); !slices.Contains(v.Names(), "P2") {
			t.Errorf("seed %d: the short schedule breaks %v", seed, v.Names())
		}
		if len(short.Steps) > 12 || len(short.Steps) >= len(s.Steps) {
			t.Errorf("seed %d: %d steps, of %d: %v", seed, len(short.Steps), len(s.Steps), short.Steps)
		}
		return
	}
	t.Error("no failing schedule to shorten")
}
