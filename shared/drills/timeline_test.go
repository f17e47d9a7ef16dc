package drills_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/replyonce/replyonce/shared/drills"
	"github.com/replyonce/replyonce/shared/drills/virtual"
	"github.com/replyonce/replyonce/shared/memstore"
	"github.com/replyonce/replyonce/shared/worktask"
)

// TestATimelineTellsTheStory looks at the one of a worker that wakes up too late.
func TestATimelineTellsTheStory(t *testing.T) {
	t.Parallel()
	d, _ := drills.Find("D11")
	timeline := play(t, d, d.Acts[0], virtual.Options{Timers: worktask.ShortTimers(), Store: memstore.New(memstore.Options{})}).Timeline
	at := func(mark drills.Mark, text string) int64 {
		for _, p := range timeline.Points {
			if p.Mark == mark && strings.Contains(p.Text, text) {
				return p.AtMS
			}
		}
		t.Errorf("nothing says %q (%s): %+v", text, mark, timeline.Points)
		return 0
	}
	pressed, taken := at("", "presses Send"), at("", "assignment 1")
	again, refused, saved := at("", "assignment 2"), at(drills.Refusal, "its save is refused"), at(drills.Saved, "saves the reply")
	if !slices.IsSorted([]int64{pressed, taken, again, refused, saved}) {
		t.Errorf("the story is out of order: %d %d %d %d %d", pressed, taken, again, refused, saved)
	}
	leases, frozen := 0, 0
	for _, b := range timeline.Bars {
		switch b.Kind {
		case drills.Lease:
			leases++
			if lasted := b.ToMS - b.FromMS; lasted > 3000 {
				t.Errorf("%q lasts %d ms, more than a lease", b.Text, lasted)
			}
		case drills.Frozen:
			frozen++
		case drills.Calling:
		}
		if b.ToMS < b.FromMS || b.ToMS > timeline.EndsMS || !slices.Contains(timeline.Lanes, b.Lane) {
			t.Errorf("bar %+v", b)
		}
	}
	if leases != 2 || frozen != 1 {
		t.Errorf("%d leases and %d frozen processes, want 2 and 1", leases, frozen)
	}
}
