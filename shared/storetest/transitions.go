package storetest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/replyonce/replyonce/shared/storeerror"
	"github.com/replyonce/replyonce/shared/worktask"
)

// transitionCases try every write on every state and compare with the pure
// engine: what it permits lands and looks as it says, what it refuses changes
// nothing.
func transitionCases() []Case {
	var all []Case
	byName := variants()
	for _, name := range slices.Sorted(maps.Keys(byName)) {
		all = append(all, Case{"Transition/" + name, func(ctx context.Context, e *Env) error {
			return e.tryAll(ctx, byName[name])
		}})
	}
	return all
}

func (e *Env) tryAll(ctx context.Context, writes []variant) error {
	slices.SortFunc(writes, func(a, b variant) int { return cmp.Compare(a.name, b.name) })
	all := states()
	slices.SortFunc(all, func(a, b state) int { return cmp.Compare(a.name, b.name) })
	var f faults
	landed := 0
	stride := e.pick(1, 5)
	for i := 0; i < len(all); i += stride {
		n, err := e.tryOn(ctx, all[i], writes)
		f.add(err)
		landed += n
	}
	if landed == 0 {
		f.add(errors.New("no write was permitted on any state: the states are not what they should be"))
	}
	f.add(e.tryOnNothing(ctx, writes))
	f.add(e.checkIndex(ctx))
	return f.err()
}

// tryOn tries the writes on one state. A refused write leaves the task for the
// next one; a permitted one needs a new task. What a refused write has changed
// after all shows in the answer to the next permitted one, or in the last read.
func (e *Env) tryOn(ctx context.Context, s state, writes []variant) (landed int, err error) {
	var f faults
	var before worktask.Task
	fresh := false
	for _, w := range writes {
		if !fresh {
			before = stored(s.make(e.ref()))
			if err := e.seed(ctx, s.make(before.Ref)); err != nil {
				return landed, err
			}
			fresh = true
		}
		what := fmt.Sprintf("%s on a task %s", w.name, s.name)
		tr := w.make(before.Ref, before)
		if tr.Permitted(before) != nil {
			_, err := e.Apply(ctx, before.Ref, tr)
			f.add(e.wantRefused(tr.Name()+" "+what, err, tr, &before))
			continue
		}
		landed++
		f.add(e.wantLanded(ctx, what, tr, before))
		fresh = false
	}
	if fresh {
		f.add(e.wantTask(ctx, "after refused writes on a task "+s.name, before))
	}
	return landed, f.err()
}

func (e *Env) wantLanded(ctx context.Context, what string, tr worktask.Transition, before worktask.Task) error {
	want := e.after(tr, before)
	got, err := e.Apply(ctx, before.Ref, tr)
	if err != nil {
		return fmt.Errorf("%s %s: %w", tr.Name(), what, err)
	}
	if err := equal(tr.Name()+" "+what+": the answer", got, want); err != nil {
		return err
	}
	return e.wantTask(ctx, tr.Name()+" "+what, want)
}

func (e *Env) wantUntouched(ctx context.Context, what string, tr worktask.Transition, before worktask.Task) error {
	_, err := e.Apply(ctx, before.Ref, tr)
	if err := e.wantRefused(tr.Name()+" "+what, err, tr, &before); err != nil {
		return err
	}
	return e.wantTask(ctx, tr.Name()+" "+what, before)
}

// wantTask reads the task and compares.
func (e *Env) wantTask(ctx context.Context, what string, want worktask.Task) error {
	got, err := e.Get(ctx, want.Ref)
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	return equal(what+": the task", got, want)
}

// tryOnNothing asks that no write makes a task that was never accepted: the
// engine's update creates what is not there unless its condition forbids it.
func (e *Env) tryOnNothing(ctx context.Context, writes []variant) error {
	var f faults
	for _, w := range writes {
		ref := e.ref()
		tr := w.make(ref, stored(task(ref)))
		_, err := e.Apply(ctx, ref, tr)
		f.add(e.wantRefused(tr.Name()+" "+w.name+" on no task", err, tr, nil))
		if _, err := e.Get(ctx, ref); !errors.Is(err, storeerror.ErrNotFound) {
			f.add(fmt.Errorf("%s %s has made a task: %w", tr.Name(), w.name, orNone(err)))
		}
	}
	return f.err()
}
