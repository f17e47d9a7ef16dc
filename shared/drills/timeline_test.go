package drills_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/replyonce/replyonce/shared/drills"
	"github.com/replyonce/replyonce/shared/drills/virtual"
	"github.com/replyonce/replyonce/shared/history"
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
	order := []int64{
		at("", "presses Send"), at("", "takes the task: assignment 1"), at(drills.LeaseOver, "its hold is over: assignment 1"),
		at("", "takes the task: assignment 2"), at("", "wakes up"), at(drills.Refusal, "its save is refused"), at(drills.Saved, "saves the reply"),
	}
	if !slices.IsSorted(order) {
		t.Errorf("the story is out of order: %d", order)
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
			if refused := at(drills.Refusal, "its save is refused"); b.ToMS > refused {
				t.Errorf("a process that stands still until %d ms writes at %d ms", b.ToMS, refused)
			}
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

// emptySlot is a save that asks for nothing but that there is no reply yet.
type emptySlot struct{ worktask.Transition }

var _ history.Imitation = emptySlot{}

func (e emptySlot) Original() worktask.Transition { return e.Transition }

func (e emptySlot) Permitted(t worktask.Task) error {
	if t.Result.Present() {
		return e.Transition.Permitted(t)
	}
	return nil
}

// TestATimelineTellsWhatMustNeverHappen plays the same with saves that are not
// fenced: nothing of it may look like a success, or like the fence at work.
func TestATimelineTellsWhatMustNeverHappen(t *testing.T) {
	t.Parallel()
	d, _ := drills.Find("D11")
	for name, c := range map[string]struct {
		broken func(worktask.Transition) worktask.Transition
		want   []drills.Mark
	}{
		"into the empty slot": {func(tr worktask.Transition) worktask.Transition {
			if tr.Name() == history.Complete {
				return emptySlot{tr}
			}
			return tr
		}, []drills.Mark{drills.Stale, drills.Robbed}},
		"over everything": {without(history.Complete), []drills.Mark{drills.Stale, drills.Overwritten}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			timeline := play(t, d, d.Acts[0], virtual.Options{Timers: worktask.ShortTimers(), Store: memstore.New(memstore.Options{}), Transition: c.broken}).Timeline
			seen := map[drills.Mark]bool{}
			for _, p := range timeline.Points {
				seen[p.Mark] = true
			}
			if seen[drills.Saved] || seen[drills.Refusal] || !seen[c.want[0]] || !seen[c.want[1]] {
				t.Errorf("want %v and no success in %+v", c.want, timeline.Points)
			}
		})
	}
}
