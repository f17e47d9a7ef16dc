package memstore

import (
	"context"
	"errors"
	"fmt"

	"github.com/replyonce/replyonce/shared/storeerror"
	"github.com/replyonce/replyonce/shared/taskflow"
	"github.com/replyonce/replyonce/shared/worktask"
)

// Apply implements taskflow.Tasks.
func (s *Store) Apply(ctx context.Context, ref worktask.Ref, tr worktask.Transition) (worktask.Task, error) {
	if err := check(ref, tr); err != nil {
		return worktask.Task{}, fmt.Errorf("%s task %s: %w", tr.Name(), ref, err)
	}
	if err := reachable(ctx); err != nil {
		return worktask.Task{}, fmt.Errorf("%s task %s: %w", tr.Name(), ref, err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	before, found := s.tasks[ref]
	if !found {
		return worktask.Task{}, &taskflow.ConditionError{Transition: tr.Name()}
	}
	if tr.Permitted(before) != nil {
		return worktask.Task{}, s.refused(tr, before)
	}
	after := storedTask(tr.Apply(before))
	if err := checkItem("task", taskBytes(after)); err != nil {
		return worktask.Task{}, fmt.Errorf("%s task %s: %w", tr.Name(), ref, err)
	}
	s.tasks[ref] = after
	return after, nil
}

// check catches what no condition would notice: a worker that writes one task
// with the right to another, a claim that could not recognise itself, a result
// that is none.
func check(ref worktask.Ref, tr worktask.Transition) error {
	fenced, ok := tr.(interface{ Assignment() worktask.Assignment })
	if ok && fenced.Assignment().Ref() != ref {
		return fmt.Errorf("the assignment is for task %s", fenced.Assignment().Ref())
	}
	switch tr := tr.(type) {
	case worktask.Claim:
		if tr.AssignmentID == "" {
			return errNoAssignmentID
		}
	case worktask.LookupClaim:
		if tr.AssignmentID == "" {
			return errNoAssignmentID
		}
	case worktask.Completion:
		if !tr.Result().Present() {
			return errNoResult
		}
	}
	return nil
}

var (
	errNoAssignmentID = errors.New("a claim needs an assignment id")
	errNoResult       = errors.New("an empty result cannot be saved")
)

func (s *Store) refused(tr worktask.Transition, seen worktask.Task) error {
	if s.options.HideOldItem {
		return &taskflow.ConditionError{Transition: tr.Name()}
	}
	return &taskflow.ConditionError{Transition: tr.Name(), Seen: &seen}
}

// Get implements taskflow.Tasks.
func (s *Store) Get(ctx context.Context, ref worktask.Ref) (worktask.Task, error) {
	if err := reachable(ctx); err != nil {
		return worktask.Task{}, fmt.Errorf("read task %s: %w", ref, err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	task, found := s.tasks[ref]
	if !found {
		return worktask.Task{}, fmt.Errorf("read task %s: %w", ref, storeerror.ErrNotFound)
	}
	return task, nil
}

// storedTask is the task as the database gives it back.
func storedTask(t worktask.Task) worktask.Task {
	t.LeaseExpiresAt = millis(t.LeaseExpiresAt)
	t.AcceptedAt = millis(t.AcceptedAt)
	t.NextAttemptAt = millis(t.NextAttemptAt)
	t.Deadline = millis(t.Deadline)
	t.HandoffDueAt = millis(t.HandoffDueAt)
	t.EndedAt = millis(t.EndedAt)
	return t
}
