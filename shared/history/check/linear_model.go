package check

import (
	"context"

	"github.com/anishathalye/porcupine"

	"github.com/replyonce/replyonce/shared/history"
	"github.com/replyonce/replyonce/shared/worktask"
)

// state is the task in the model; the zero value is no task.
type state struct {
	exists bool
	task   worktask.Task
	// unseen: the record does not have the making of the task, so it may be in
	// any state until somebody sees it.
	unseen bool
}

// search counts the steps of one search. They bound the work in place of time:
// a clock that is virtual never runs out while somebody computes.
type search struct {
	ref   history.Ref
	first state
	left  int
}

func (s *search) model() porcupine.Model {
	model := porcupine.NondeterministicModel{
		Init: func() []any { return []any{s.first} },
		StepContext: func(_ context.Context, from, in, _ any) []any {
			if s.left--; s.left <= 0 {
				return nil
			}
			return s.step(from.(state), in.(input)) //nolint:errcheck // the model has no others
		},
	}
	return model.ToModel()
}

// step is the states that the operation can lead to, none when it cannot have
// taken place.
func (s *search) step(from state, in input) []any {
	if from.unseen {
		return s.firstSight(from, in)
	}
	switch in.effect {
	case wrote:
		if after, ok := s.apply(from, in); ok && (in.item == nil || after.task == in.item.Task(s.ref)) {
			return []any{after}
		}
	case mayHave:
		if after, ok := s.apply(from, in); ok && after != from {
			return []any{from, after}
		}
		return []any{from}
	case refused:
		if s.refuses(from, in) {
			return []any{from}
		}
	case readIt:
		if from.exists && from.task == in.item.Task(s.ref) {
			return []any{from}
		}
	case readNo:
		if !from.exists {
			return []any{from}
		}
	case showed:
		if from.exists && shows(*in.view, from.task) {
			return []any{from}
		}
	}
	return nil
}

// firstSight takes what an operation shows for the state that it met or left.
func (s *search) firstSight(from state, in input) []any {
	switch {
	case in.effect == readNo:
		return []any{state{}}
	case in.effect == mayHave, in.item == nil:
		return []any{from}
	}
	seen := state{exists: true, task: in.item.Task(s.ref)}
	if in.effect == refused && !s.refuses(seen, in) {
		return nil
	}
	return []any{seen}
}

// apply makes the write in the model.
func (s *search) apply(from state, in input) (state, bool) {
	if in.creation != nil {
		return state{exists: true, task: in.creation.Task(s.ref)}, !from.exists
	}
	tr, err := in.write.Engine(s.ref)
	if err != nil || !from.exists || tr.Permitted(from.task) != nil {
		return from, false
	}
	return state{exists: true, task: tr.Apply(from.task)}, true
}

// refuses reports whether the store, in that state, refuses the write and tells
// what the sender was told.
func (s *search) refuses(from state, in input) bool {
	if !from.exists {
		return in.item == nil
	}
	if in.item != nil && from.task != in.item.Task(s.ref) {
		return false
	}
	tr, err := in.write.Engine(s.ref)
	return err == nil && tr.Permitted(from.task) != nil
}

// shows reports whether the view can be one of the task.
func shows(v history.View, t worktask.Task) bool {
	return v.Status == string(t.Status) && v.AssignmentVersion == t.AssignmentVersion &&
		v.AttemptsLeft == t.Budget.AttemptsLeft && v.CallsLeft == t.Budget.CallsLeft && v.CallsKnown == t.Budget.CallsKnown
}
