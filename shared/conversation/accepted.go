package conversation

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/replyonce/replyonce/shared/document"
	"github.com/replyonce/replyonce/shared/identity"
	"github.com/replyonce/replyonce/shared/inputcheck"
	"github.com/replyonce/replyonce/shared/keyed"
	"github.com/replyonce/replyonce/shared/storeerror"
	"github.com/replyonce/replyonce/shared/telemetry"
	"github.com/replyonce/replyonce/shared/worktask"
)

// Accepted is the task that a keyed call made, now or, when it is replayed,
// earlier; then as it is now.
type Accepted struct {
	Task     TaskView
	Outcome  keyed.Outcome
	Location string
}

// publishTimeout bounds the immediate publication. It is best effort: the due
// time on the task brings the handoff back, and the caller waits meanwhile.
const publishTimeout = 2 * time.Second

// accepted answers with the task that stands under the key.
func (s Service) accepted(ctx context.Context, caller identity.Caller, outcome keyed.Outcome, t worktask.Task) (Accepted, error) {
	location := outcome.Record.Target
	log := s.Log.With(telemetry.KeyWorkspace, caller.Workspace, telemetry.KeyOperation, outcome.Record.Scope.Operation,
		telemetry.KeyIdempotencyKey, string(outcome.Record.Key))
	if outcome.Replayed {
		return s.replayed(ctx, caller, outcome)
	}
	s.Metrics.Count(telemetry.Accepted, 1)
	log.Info("task accepted", telemetry.KeyTaskID, t.ID, telemetry.KeyGatewayRequestID, t.GatewayRequestID)
	s.publish(ctx, t)
	view, err := viewOf(t, details{pricing: s.pricing()})
	if err != nil {
		return Accepted{Outcome: outcome}, fmt.Errorf("show accepted task %s: %w", t.Ref, err)
	}
	return Accepted{Task: view, Outcome: outcome, Location: location}, nil
}

// replayed reads the task of an earlier call as it is now. Nothing is published:
// whoever accepted it did so, or the dispatcher will.
func (s Service) replayed(ctx context.Context, caller identity.Caller, outcome keyed.Outcome) (Accepted, error) {
	location := outcome.Record.Target
	conversation, id, err := taskOf(location)
	if err != nil {
		return Accepted{Outcome: outcome}, err
	}
	s.Log.Info("task replayed", telemetry.KeyWorkspace, caller.Workspace, telemetry.KeyTaskID, id,
		telemetry.KeyOperation, outcome.Record.Scope.Operation, telemetry.KeyIdempotencyKey, string(outcome.Record.Key))
	view, err := s.Task(ctx, caller, conversation, id)
	if err != nil {
		return Accepted{Outcome: outcome}, fmt.Errorf("read what the key made: %w", gone(err, outcome.Record))
	}
	return Accepted{Task: view, Outcome: outcome, Location: location}, nil
}

// refused answers a call whose references were refused: a repeat gets its task
// all the same, and "gone" when the conversation went with it.
func (s Service) refused(ctx context.Context, caller identity.Caller, request keyed.Request, refusal error) (Accepted, error) {
	_, isField := errors.AsType[*inputcheck.FieldError](refusal)
	_, isFailed := errors.AsType[*document.NotReadableError](refusal)
	if !isField && !isFailed && !errors.Is(refusal, storeerror.ErrNotFound) {
		return Accepted{}, refusal
	}
	outcome, err := s.refuse(ctx, request, refusal)
	if err != nil {
		return Accepted{}, err
	}
	return s.replayed(ctx, caller, outcome)
}

// publish hands the task over at once. It is waited for, because nothing runs
// after the function has answered.
func (s Service) publish(ctx context.Context, t worktask.Task) {
	ctx, cancel := context.WithTimeoutCause(ctx, publishTimeout, fmt.Errorf("publish timed out after %s", publishTimeout))
	defer cancel()
	if err := s.Queue.Publish(ctx, t.Ref); err != nil {
		s.Log.Warn("handoff not published, the dispatcher will", telemetry.KeyWorkspace, t.Workspace,
			telemetry.KeyTaskID, t.ID, telemetry.KeyError, err)
	}
}
