package conversation

import (
	"context"
	"fmt"

	"github.com/replyonce/replyonce/shared/identity"
	"github.com/replyonce/replyonce/shared/reply"
	"github.com/replyonce/replyonce/shared/storeerror"
	"github.com/replyonce/replyonce/shared/taskflow"
	"github.com/replyonce/replyonce/shared/worktask"
)

// Task reads one task as it is now; storeerror.ErrNotFound also for those of
// other callers.
func (s Service) Task(ctx context.Context, caller identity.Caller, conversation, id string) (TaskView, error) {
	t, err := s.ownTask(ctx, caller, conversation, id)
	if err != nil {
		return TaskView{}, err
	}
	return s.view(ctx, t)
}

// view reads what hangs on the task and shows it.
func (s Service) view(ctx context.Context, t worktask.Task) (TaskView, error) {
	d := details{pricing: s.pricing()}
	var err error
	if d.result, err = s.result(ctx, t.Result); err != nil {
		return TaskView{}, fmt.Errorf("read result of task %s: %w", t.Ref, err)
	}
	if d.evidence, err = s.evidence(ctx, t); err != nil {
		return TaskView{}, fmt.Errorf("read evidence of task %s: %w", t.Ref, err)
	}
	if d.attempts, err = s.attempts(ctx, t); err != nil {
		return TaskView{}, fmt.Errorf("read attempts at task %s: %w", t.Ref, err)
	}
	return viewOf(t, d)
}

// result reads a saved reply, nil when there is none. A large one is an object,
// which is handed out only if it is what the completion saved.
func (s Service) result(ctx context.Context, saved worktask.Result) (*reply.Result, error) {
	if !saved.Present() {
		return nil, nil //nolint:nilnil // no reply is no error
	}
	body, err := taskflow.ReadResult(ctx, s.Objects, saved)
	if err != nil {
		return nil, err
	}
	r, err := reply.DecodeResult(body)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", storeerror.ErrCorrupt, err)
	}
	return &r, nil
}

// evidence is asked for only where there can be some: an answer is refused
// because the version moved on or because the task had ended otherwise. Most
// reads save a query by it.
func (s Service) evidence(ctx context.Context, t worktask.Task) ([]worktask.Evidence, error) {
	if t.AssignmentVersion <= 1 && t.Status != worktask.Failed && t.Status != worktask.Cancelled {
		return nil, nil
	}
	list, err := s.Evidence.ListEvidence(ctx, t.Ref)
	if err != nil {
		return nil, fmt.Errorf("list evidence: %w", err)
	}
	return list, nil
}

// attempts is asked for only where the task itself says that something went
// wrong: a call whose end is unknown, or more than one claim.
func (s Service) attempts(ctx context.Context, t worktask.Task) ([]worktask.AttemptRecord, error) {
	if t.UnknownCalls() == 0 && t.AssignmentVersion <= 1 {
		return nil, nil
	}
	list, err := s.Evidence.ListAttempts(ctx, t.Ref)
	if err != nil {
		return nil, fmt.Errorf("list attempts: %w", err)
	}
	return list, nil
}
