// Package mutants has deliberately broken variants of the product. Each one is a
// mistake that somebody has made, or would make, in a system like this one. The
// simulation must find every one of them within a stated number of schedules: a
// test that passes on a broken product is worth nothing.
//
// A mutant never touches the product's code. It stands between two parts of the
// simulated world, as a transition that imitates the right one, a store that
// forgets, a client that draws the wrong conclusion.
package mutants

import (
	"github.com/replyonce/replyonce/shared/history"
	"github.com/replyonce/replyonce/shared/simulation/world"
	"github.com/replyonce/replyonce/shared/worktask"
)

// Mutant is a broken variant.
type Mutant struct {
	Name string
	// Wrong is what it does, and what follows from it.
	Wrong string
	// Breaks is a promise, or a rule, that it breaks.
	Breaks string
	// Within is how many schedules the simulation may need until it says so.
	Within int
	// Wire makes the wiring of one world: a mutant may have a memory of its own.
	Wire func() world.Wiring
}

// All lists the mutants.
func All() []Mutant {
	var all []Mutant
	all = append(all, completions()...)
	all = append(all, fences()...)
	all = append(all, claims()...)
	all = append(all, budgets()...)
	all = append(all, handoffs()...)
	all = append(all, ends()...)
	all = append(all, proofs()...)
	all = append(all, keys()...)
	all = append(all, works()...)
	return all
}

// imitation stands for a transition and decides otherwise. Functions that are
// nil leave the original as it is.
type imitation struct {
	worktask.Transition
	permitted func(worktask.Task) error
	apply     func(worktask.Task) worktask.Task
}

var _ history.Imitation = imitation{}

// Original implements history.Imitation.
func (i imitation) Original() worktask.Transition { return i.Transition }

// Permitted implements worktask.Transition.
func (i imitation) Permitted(t worktask.Task) error {
	if i.permitted != nil {
		return i.permitted(t)
	}
	return i.Transition.Permitted(t)
}

// Apply implements worktask.Transition.
func (i imitation) Apply(t worktask.Task) worktask.Task {
	if i.apply != nil {
		return i.apply(t)
	}
	return i.Transition.Apply(t)
}

// when imitates the transitions of one type with another condition.
func when[T worktask.Transition](permitted func(T, worktask.Task) error) func() world.Wiring {
	return imitate(func(tr T) imitation {
		return imitation{Transition: tr, permitted: func(t worktask.Task) error { return permitted(tr, t) }}
	})
}

// with imitates the transitions of one type with another effect.
func with[T worktask.Transition](apply func(T, worktask.Task) worktask.Task) func() world.Wiring {
	return imitate(func(tr T) imitation {
		return imitation{Transition: tr, apply: func(t worktask.Task) worktask.Task { return apply(tr, t) }}
	})
}

func imitate[T worktask.Transition](make func(T) imitation) func() world.Wiring {
	return transitions(func(tr worktask.Transition) worktask.Transition {
		if original, ok := tr.(T); ok {
			return make(original)
		}
		return tr
	})
}

func transitions(change func(worktask.Transition) worktask.Transition) func() world.Wiring {
	return func() world.Wiring { return world.Wiring{Transition: change} }
}

// both puts two changes of transitions together.
func both(a, b func() world.Wiring) func() world.Wiring {
	return transitions(func(tr worktask.Transition) worktask.Transition {
		return b().Transition(a().Transition(tr))
	})
}

// only is a condition: nil when it holds.
func only(holds bool) error {
	if holds {
		return nil
	}
	return worktask.ErrStaleAssignment
}
