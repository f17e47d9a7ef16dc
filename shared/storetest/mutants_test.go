package storetest_test

import (
	"context"
	"slices"
	"testing"

	"github.com/replyonce/replyonce/shared/memstore"
	"github.com/replyonce/replyonce/shared/storetest"
	"github.com/replyonce/replyonce/shared/worktask"
)

// A suite that has never failed proves little. Each mutant is a store that is
// wrong in one way that somebody once got wrong, and names the case that must
// notice.
type mutant struct {
	name  string
	found string // the case
	store func() storetest.Store
}

func allMutants() []mutant {
	return slices.Concat(transitionMutants(), storeMutants(), indexMutants())
}

func TestMutantsAreNoticed(t *testing.T) {
	t.Parallel()
	cases := map[string]storetest.Case{}
	for _, c := range storetest.Cases() {
		cases[c.Name] = c
	}
	for _, m := range allMutants() {
		t.Run(m.name, func(t *testing.T) {
			t.Parallel()
			c, known := cases[m.found]
			if !known {
				t.Fatalf("there is no case %s", m.found)
			}
			if err := c.Run(t.Context(), storetest.NewEnv(m.store(), storetest.Deviations{})); err == nil {
				t.Errorf("case %s has not noticed", m.found)
			}
		})
	}
}

// The way in which mutants are made must not be what is noticed.
func TestMutantsWithoutAMutationPass(t *testing.T) {
	t.Parallel()
	noticing := map[string]bool{}
	for _, m := range allMutants() {
		noticing[m.found] = true
	}
	for _, c := range storetest.Cases() {
		if !noticing[c.Name] {
			continue
		}
		t.Run(c.Name, func(t *testing.T) {
			t.Parallel()
			harmless := bending(func(tr worktask.Transition) worktask.Transition {
				return bent{Transition: tr}
			})
			if err := c.Run(t.Context(), storetest.NewEnv(harmless(), storetest.Deviations{})); err != nil {
				t.Error(err)
			}
		})
	}
}

// bent is a transition whose condition or effect is another one.
type bent struct {
	worktask.Transition
	permitted func(t worktask.Task) error
	apply     func(t worktask.Task) worktask.Task
}

func (b bent) Permitted(t worktask.Task) error {
	if b.permitted == nil {
		return b.Transition.Permitted(t) //nolint:wrapcheck // it is the condition itself
	}
	return b.permitted(t)
}

func (b bent) Apply(t worktask.Task) worktask.Task {
	if b.apply == nil {
		return b.Transition.Apply(t)
	}
	return b.apply(t)
}

// bending is a store that makes other writes than it is told.
func bending(bend func(worktask.Transition) worktask.Transition) func() storetest.Store {
	return func() storetest.Store {
		return &applying{
			Store: memstore.New(memstore.Options{}),
			apply: func(ctx context.Context, s storetest.Store, ref worktask.Ref, tr worktask.Transition) (worktask.Task, error) {
				return s.Apply(ctx, ref, bend(tr))
			},
		}
	}
}

// applying replaces Apply.
type applying struct {
	storetest.Store
	apply func(ctx context.Context, s storetest.Store, ref worktask.Ref, tr worktask.Transition) (worktask.Task, error)
}

func (a *applying) Apply(ctx context.Context, ref worktask.Ref, tr worktask.Transition) (worktask.Task, error) {
	return a.apply(ctx, a.Store, ref, tr)
}
