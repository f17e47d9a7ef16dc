package drills_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/replyonce/replyonce/shared/drills"
	"github.com/replyonce/replyonce/shared/drills/virtual"
	"github.com/replyonce/replyonce/shared/history"
	"github.com/replyonce/replyonce/shared/history/check"
	"github.com/replyonce/replyonce/shared/memstore"
	"github.com/replyonce/replyonce/shared/worktask"
)

// careless is a write whose condition asks for nothing.
type careless struct{ worktask.Transition }

var _ history.Imitation = careless{}

func (c careless) Original() worktask.Transition { return c.Transition }

func (c careless) Permitted(t worktask.Task) error {
	if t.AssignmentVersion == 0 {
		return c.Transition.Permitted(t)
	}
	return nil
}

// without makes the writes of one kind careless.
func without(name string) func(worktask.Transition) worktask.Transition {
	return func(tr worktask.Transition) worktask.Transition {
		if tr.Name() == name {
			return careless{tr}
		}
		return tr
	}
}

// TestABrokenServiceIsFound breaks one condition at a time. Drill and checker
// both have to say so.
func TestABrokenServiceIsFound(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		drill, act string
		broken     func(worktask.Transition) worktask.Transition
		promise    check.Promise
	}{
		{"D11", "", without("complete"), check.P2},
		{"D13", "gives back", without("release"), check.P10},
		{"D13", "fails", without("fail"), check.P10},
		{"D13", "cancels", without("cancel"), check.P10},
		{"D21", "in the instant of the save, from a second tab", without("complete"), check.P2},
		{"D05", "", without("claim"), ""}, // what comes first depends on who is quicker
	} {
		t.Run(c.drill+" "+c.act, func(t *testing.T) {
			d, _ := drills.Find(c.drill)
			i := slices.IndexFunc(d.Acts, func(a drills.Act) bool { return a.Title == c.act })
			r := play(t, d, d.Acts[i], virtual.Options{Timers: worktask.ShortTimers(), Store: memstore.New(memstore.Options{}), Transition: c.broken})
			if r.Passed() || len(r.Deviations) == 0 {
				t.Errorf("the drill finds nothing: %v", r.Seen)
			}
			named := slices.ContainsFunc(r.Findings, func(f string) bool { return strings.HasPrefix(f, string(c.promise)) })
			if !named {
				t.Errorf("the checker does not name %s: %v", c.promise, r.Findings)
			}
			t.Logf("drill: %v\nchecker: %v", r.Deviations, r.Findings)
		})
	}
}
