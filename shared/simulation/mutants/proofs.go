package mutants

import (
	"context"
	"errors"
	"time"

	"github.com/replyonce/replyonce/shared/history/check"
	"github.com/replyonce/replyonce/shared/simulation/world"
	"github.com/replyonce/replyonce/shared/storeerror"
	"github.com/replyonce/replyonce/shared/taskflow"
	"github.com/replyonce/replyonce/shared/worktask"
)

func proofs() []Mutant {
	return []Mutant{
		{
			Name: "own completed write taken for a refusal", Breaks: string(check.P9), Within: 600,
			Wrong: "a completion whose acknowledgement was lost counts as refused, and its saved answer as wasted",
			Wire:  func() world.Wiring { return world.Wiring{Conclude: blindToOwn} },
		},
		{
			Name: "own claim recognised by its id alone", Breaks: string(check.P9), Within: 600,
			Wrong: "the acknowledgement of a claim is lost, the task is cancelled, and its worker calls all the same",
			Wire:  func() world.Wiring { return world.Wiring{Conclude: idAlone} },
		},
		{
			Name: "begin that is not written", Breaks: string(check.P8), Within: 600,
			Wrong: "under the policy stop nobody can tell that a request was sent, so it is repeated",
			Wire:  func() world.Wiring { return world.Wiring{Conclude: noBegin} },
		},
		{
			Name: "lost completion answered by failing", Breaks: string(check.P10), Within: 600,
			Wrong: "an exception of the completion runs the clean-up, which fails the completed task",
			Wire: func() world.Wiring {
				w := when(func(_ worktask.Failure, t worktask.Task) error { return only(t.Status != worktask.Cancelled) })()
				w.Conclude = failOnError
				return w
			},
		},
	}
}

// conclusion makes something of its own of what the store tells.
type conclusion struct {
	taskflow.Tasks
	apply func(ctx context.Context, inner taskflow.Tasks, ref worktask.Ref, tr worktask.Transition) (worktask.Task, error)
}

func (c conclusion) Apply(ctx context.Context, ref worktask.Ref, tr worktask.Transition) (worktask.Task, error) {
	return c.apply(ctx, c.Tasks, ref, tr)
}

// blindToOwn hides from a completion that it has landed.
func blindToOwn(inner taskflow.Tasks) taskflow.Tasks {
	return conclusion{inner, func(ctx context.Context, inner taskflow.Tasks, ref worktask.Ref, tr worktask.Transition) (worktask.Task, error) {
		t, err := inner.Apply(ctx, ref, tr)
		if _, completes := tr.(worktask.Completion); !completes || err == nil {
			return t, err
		}
		seen, readErr := inner.Get(ctx, ref)
		if readErr != nil {
			return t, err
		}
		if seen.Status == worktask.Completed {
			seen.EndedBy = "somebody"
		}
		return worktask.Task{}, &taskflow.ConditionError{Transition: tr.Name(), Seen: &seen}
	}}
}

// idAlone takes every task that has its assignment id for its own.
func idAlone(inner taskflow.Tasks) taskflow.Tasks {
	return conclusion{inner, func(ctx context.Context, inner taskflow.Tasks, ref worktask.Ref, tr worktask.Transition) (worktask.Task, error) {
		t, err := inner.Apply(ctx, ref, tr)
		claim, claims := tr.(worktask.Claim)
		if !claims || err == nil {
			return t, err
		}
		seen, readErr := inner.Get(ctx, ref)
		if readErr != nil || seen.AssignmentID != claim.AssignmentID {
			return t, err
		}
		seen.Status, seen.LeaseExpiresAt = worktask.Running, claim.LeaseUntil
		return seen, nil
	}}
}

// noBegin says that a begin was written.
func noBegin(inner taskflow.Tasks) taskflow.Tasks {
	return conclusion{inner, func(ctx context.Context, inner taskflow.Tasks, ref worktask.Ref, tr worktask.Transition) (worktask.Task, error) {
		if _, begins := tr.(worktask.Beginning); begins {
			return inner.Get(ctx, ref)
		}
		return inner.Apply(ctx, ref, tr)
	}}
}

// failOnError runs a clean-up when a completion reports an error.
func failOnError(inner taskflow.Tasks) taskflow.Tasks {
	return conclusion{inner, func(ctx context.Context, inner taskflow.Tasks, ref worktask.Ref, tr worktask.Transition) (worktask.Task, error) {
		t, err := inner.Apply(ctx, ref, tr)
		completion, completes := tr.(worktask.Completion)
		if !completes || !errors.Is(err, storeerror.ErrWriteUnknown) {
			return t, err
		}
		return inner.Apply(ctx, ref, completion.Assignment().Fail(completion.Now(), worktask.ProviderRefused, true, worktask.Report{}))
	}}
}

// lastKnownLease renews on the condition that the lease is the one that this
// worker knows of.
func lastKnownLease(inner taskflow.Tasks) taskflow.Tasks {
	known := map[string]time.Time{}
	return conclusion{inner, func(ctx context.Context, inner taskflow.Tasks, ref worktask.Ref, tr worktask.Transition) (worktask.Task, error) {
		renewal, renews := tr.(worktask.Renewal)
		if !renews {
			t, err := inner.Apply(ctx, ref, tr)
			if claim, claims := tr.(worktask.Claim); claims && err == nil {
				known[claim.AssignmentID] = t.LeaseExpiresAt
			}
			return t, err
		}
		id := renewal.Assignment().ID()
		last := known[id]
		t, err := inner.Apply(ctx, ref, imitation{Transition: tr, permitted: func(t worktask.Task) error {
			return only(running(t) && t.LeaseExpiresAt.Equal(last))
		}})
		if err == nil {
			known[id] = t.LeaseExpiresAt
		}
		return t, err
	}}
}
