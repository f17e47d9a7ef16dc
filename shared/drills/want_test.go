package drills

import (
	"slices"
	"testing"

	"github.com/replyonce/replyonce/shared/worktask"
)

// exact is a task that is just as wanted.
func exact(w Want) Seen {
	return Seen{
		Status: w.Status, Reason: w.Reason, Requests: w.Requests.Min, Calls: w.Calls.Min, Unknown: w.Unknown.Min, Version: w.Version.Min,
		Refused: w.Refused.Min, Replies: w.replies(), CutShort: w.CutShort,
	}
}

// TestEachExpectationCanFail spoils what was seen in each way that a want speaks of.
func TestEachExpectationCanFail(t *testing.T) {
	t.Parallel()
	spoil := map[string]func(*Seen){
		"status":                 func(s *Seen) { s.Status = worktask.Running },
		"reason":                 func(s *Seen) { s.Reason = worktask.InputTooLarge },
		"requests":               func(s *Seen) { s.Requests += 9 },
		"calls":                  func(s *Seen) { s.Calls += 9 },
		"version":                func(s *Seen) { s.Version += 20 },
		"replies":                func(s *Seen) { s.Replies++ },
		"a reply that was cut":   func(s *Seen) { s.CutShort = !s.CutShort },
		"an unknown end":         func(s *Seen) { s.Unknown += 9 },
		"nobody who was refused": func(s *Seen) { s.Refused = 0 },
	}
	for _, d := range Catalogue() {
		for _, act := range d.Acts {
			for _, w := range slices.Concat(append(act.wants(), act.Indexes)...) {
				checkWant(t, d, w, spoil)
			}
		}
	}
}

func checkWant(t *testing.T, d Drill, w Want, spoil map[string]func(*Seen)) {
	t.Helper()
	if deviations := w.compare(exact(w)); len(deviations) > 0 && !w.any() {
		t.Errorf("%s: what is wanted is not right: %v", d.ID, deviations)
	}
	for what, change := range spoil {
		if w.any() && what != "requests" && what != "calls" && what != "version" {
			continue // any end is right
		}
		if (what == "nobody who was refused" && w.Refused.Min == 0) || (what == "an unknown end" && w.Unknown == whatever) {
			continue
		}
		seen := exact(w)
		change(&seen)
		if len(w.compare(seen)) == 0 {
			t.Errorf("%s: %s passes for %s", d.ID, what, w)
		}
	}
}

func TestTheCatalogueIsComplete(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, d := range Catalogue() {
		if seen[d.ID] {
			t.Errorf("%s is there twice", d.ID)
		}
		seen[d.ID] = true
		if d.Name == "" || d.Happens == "" || d.MustSee == "" || len(d.Acts) == 0 {
			t.Errorf("%s says too little: %+v", d.ID, d)
		}
		if len(d.Promises) == 0 {
			t.Errorf("%s puts no promise to the test", d.ID)
		}
		for _, act := range d.Acts {
			if len(act.Asks)+len(act.Indexes) == 0 || act.Play == nil || (len(d.Acts) > 1 && act.Title == "") {
				t.Errorf("%s has an act that is not complete", d.ID)
			}
		}
	}
	for _, id := range []string{
		"D01", "D02", "D03", "D04", "D05", "D06", "D07", "D08", "D09", "D10", "D11", "D12", "D13", "D14", "D15", "D16",
		"D17", "D18", "D19", "D20", "D21", "D22", "D23", "D24", "D25", "D26", "D27", "D28", "D29", "D30", "D31", "D32", "D33", "D34", "D35", "D36",
	} {
		if _, found := Find(id); !found {
			t.Errorf("%s is missing", id)
		}
	}
}
