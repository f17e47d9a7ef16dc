// Package suite plays drills in worlds that it starts, one after the other.
package suite

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/replyonce/replyonce/shared/drills"
)

// World is a world that can be closed.
type World interface {
	drills.World
	Close() error
}

// Suite plays drills.
type Suite struct {
	// Start starts a world of a kind.
	Start func(ctx context.Context, kind drills.Kind) (World, error)
	Seed  uint64
	// Began and Ended, if not nil, are called around each act. The log grows
	// while the act is played.
	Began func(d drills.Drill, act drills.Act)
	Ended func(d drills.Drill, r drills.Result)
	// Watch, if not nil, gets the world before its first act.
	Watch func(World)
}

// Outcome is what a drill came to.
type Outcome struct {
	Drill   drills.Drill
	Results []drills.Result // of its acts that were played
	Skipped []Skipped
	Took    time.Duration
}

// Skipped is an act that was not played.
type Skipped struct{ Act, Why string }

// Played reports whether anything of the drill was played.
func (o Outcome) Played() bool { return len(o.Results) > 0 }

// Passed reports whether every act that was played passed.
func (o Outcome) Passed() bool {
	return !slices.ContainsFunc(o.Results, func(r drills.Result) bool { return !r.Passed() })
}

// runs makes the questions of each act unlike all others in the same world.
var runs atomic.Int64

// Play plays the drills, those of one kind of world after those of another, and
// returns their outcomes in the order of the drills. An error means that a world
// could not be started or that ctx has ended; what was played is returned.
func (s Suite) Play(ctx context.Context, list []drills.Drill) ([]Outcome, error) {
	outcomes := make([]Outcome, len(list))
	for i, d := range list {
		outcomes[i].Drill = d
	}
	for _, kind := range kinds(list) {
		if err := s.playKind(ctx, kind, outcomes); err != nil {
			return outcomes, err
		}
	}
	return outcomes, nil
}

// kinds lists the kinds of worlds that the drills need.
func kinds(list []drills.Drill) []drills.Kind {
	var all []drills.Kind
	for _, d := range list {
		for _, act := range d.Acts {
			if !slices.Contains(all, act.Kind) {
				all = append(all, act.Kind)
			}
		}
	}
	return all
}

func (s Suite) playKind(ctx context.Context, kind drills.Kind, outcomes []Outcome) (err error) {
	w, err := s.Start(ctx, kind)
	if err != nil {
		return fmt.Errorf("start a world for drills: %w", err)
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	if s.Watch != nil {
		s.Watch(w)
	}
	for i := range outcomes {
		for _, act := range outcomes[i].Drill.Acts {
			if act.Kind != kind {
				continue
			}
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			s.playAct(ctx, w, act, &outcomes[i])
		}
	}
	return nil
}

func (s Suite) playAct(ctx context.Context, w World, act drills.Act, o *Outcome) {
	if why := act.WhyNot(w.Can); why != "" {
		o.Skipped = append(o.Skipped, Skipped{Act: act.Title, Why: why})
		return
	}
	if s.Began != nil {
		s.Began(o.Drill, act)
	}
	r := drills.Play(ctx, w, o.Drill, act, drills.Options{Tag: "-" + strconv.FormatInt(runs.Add(1), 10), Seed: s.Seed})
	o.Results = append(o.Results, r)
	o.Took += r.Took
	if s.Ended != nil {
		s.Ended(o.Drill, r)
	}
}
