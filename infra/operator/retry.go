package operator

import (
	"context"
	"fmt"
	"time"

	"github.com/replyonce/replyonce/shared/conversation"
	"github.com/replyonce/replyonce/shared/idempotency"
	"github.com/replyonce/replyonce/shared/inputcheck"
	"github.com/replyonce/replyonce/shared/keyed"
	"github.com/replyonce/replyonce/shared/reply"
	"github.com/replyonce/replyonce/shared/taskflow"
	"github.com/replyonce/replyonce/shared/worktask"
)

// OperationRetry is the keyed operation of an operator's retry. It is part of
// stored data and never changes.
const OperationRetry = "operator_retry"

// Accepts writes new tasks.
type Accepts interface {
	// AcceptTask writes record and task in one transaction.
	AcceptTask(ctx context.Context, record idempotency.Record, t worktask.Task) error
}

// Retrier makes a new task for the message of a failed one.
type Retrier struct {
	Tasks    Tasks
	Messages Messages
	Accepts  Accepts
	Creator  keyed.Creator
	Queue    taskflow.Queue
	NewID    func() string // a ULID
	Now      func() time.Time
}

// RetryRequest is the decision of an operator.
type RetryRequest struct {
	Task worktask.Ref // the failed one
	By   string       // who decides
	Why  string
	// Key is the idempotency key of the decision; empty: the one that every
	// first retry of the task has, so that two operators who decide the same
	// thing make one task.
	Key idempotency.Key
	// Model replaces the failed task's; nil: the same.
	Model *string
}

// Retry is what an operator's retry led to.
type Retry struct {
	Workspace string   `json:"workspace"`
	TaskID    string   `json:"task_id"` // of the new task
	Path      string   `json:"path"`
	Replayed  bool     `json:"replayed"` // it had been made before, under the same key
	Decision  Decision `json:"retry"`    // as stored, with the task
	// Published: the handoff is on the queue. Otherwise the dispatcher
	// publishes it when it is due.
	Published    bool   `json:"published"`
	PublishError string `json:"publish_error,omitzero"`
}

// Limits of what is recorded with a retry, in characters.
const (
	maxBy  = 200
	maxWhy = 500
)

// NotFailedError says that a task is not one to retry.
type NotFailedError struct{ Status worktask.Status }

func (e *NotFailedError) Error() string {
	switch e.Status {
	case worktask.Completed:
		return "the task is completed: its reply is saved, there is nothing to retry"
	case worktask.Cancelled:
		return "the task was cancelled by its caller, who can ask again"
	case worktask.Pending, worktask.Running, worktask.Failed:
	}
	return fmt.Sprintf("the task is %s: it still has its own attempts, and ends by itself within its deadline", e.Status)
}

// DefaultRetryKey is the key of the first retry of a task.
func DefaultRetryKey(task string) idempotency.Key { return idempotency.Key("retry-of-" + task) }

// Retry makes one new task for the message of a failed one, with the same
// caller, input, policy and budget, and with the decision stored on it. The
// failed task stays as it ended. A retry under the same key finds the task that
// the first one made.
//
// The errors are *inputcheck.FieldError, *[NotFailedError],
// storeerror.ErrNotFound and those of keyed.Creator.
func (r Retrier) Retry(ctx context.Context, in RetryRequest) (Retry, error) {
	if err := in.check(); err != nil {
		return Retry{}, err
	}
	failed, err := r.Tasks.Get(ctx, in.Task)
	if err != nil {
		return Retry{}, fmt.Errorf("read task: %w", err)
	}
	if failed.Status != worktask.Failed {
		return Retry{}, &NotFailedError{Status: failed.Status}
	}
	if in.Key == "" {
		in.Key = DefaultRetryKey(failed.ID)
	}
	t, err := r.newTask(ctx, failed, in)
	if err != nil {
		return Retry{}, err
	}
	outcome, err := r.Creator.Do(ctx, in.keyedRequest(failed, t), func(ctx context.Context, record idempotency.Record) error {
		return r.Accepts.AcceptTask(ctx, record, t)
	})
	if err != nil {
		return Retry{}, fmt.Errorf("accept retry of task %s: %w", failed.Ref, err)
	}
	if outcome.Replayed {
		return r.replayed(ctx, failed.Ref, outcome.Record.Target)
	}
	return r.accepted(ctx, t), nil
}

func (in RetryRequest) check() error {
	if err := inputcheck.Line("by", in.By, maxBy); err != nil {
		return err
	}
	return inputcheck.Line("why", in.Why, maxWhy)
}

// keyedRequest covers what is decided and not who says so: whoever retries the
// same task under the same key learns of the task that is there.
func (in RetryRequest) keyedRequest(failed, t worktask.Task) keyed.Request {
	canonical := idempotency.NewCanonical(OperationRetry).
		Path("conversation", conversationOf(failed.Ref)).Path("task", failed.ID)
	if in.Model != nil {
		canonical.String("model", *in.Model)
	}
	return keyed.Request{
		Scope: idempotency.Scope{Workspace: failed.Workspace, Caller: failed.Caller, Operation: OperationRetry},
		Key:   in.Key, Target: taskPath(t.Ref), Canonical: canonical,
	}
}

// newTask is the failed task from the beginning. Its limits are taken from the
// failed task itself, so that no setting of the deployment has to be known here.
func (r Retrier) newTask(ctx context.Context, failed worktask.Task, in RetryRequest) (worktask.Task, error) {
	if failed.Kind != reply.Kind {
		return worktask.Task{}, fmt.Errorf("task %s is of the kind %q; only replies can be retried", failed.Ref, failed.Kind)
	}
	input, err := reply.DecodeInput(failed.Input)
	if err != nil {
		return worktask.Task{}, fmt.Errorf("read input of task %s: %w", failed.Ref, err)
	}
	if _, err := r.Messages.Message(ctx, failed.Workspace, conversationOf(failed.Ref), input.Message); err != nil {
		return worktask.Task{}, fmt.Errorf("read the message of task %s: %w", failed.Ref, err)
	}
	if in.Model != nil {
		input.Model = *in.Model
	}
	now := r.Now().UTC().Truncate(time.Millisecond)
	text, err := decidedInput{Input: input, Retry: &Decision{
		Of: failed.ID, By: in.By, At: Moment(now), Why: in.Why, Key: string(in.Key),
	}}.encode()
	if err != nil {
		return worktask.Task{}, err
	}
	ref := conversation.TaskRef(failed.Workspace, conversationOf(failed.Ref), r.NewID())
	// No gateway has seen the request; in the worker's logs the key stands in its place.
	t := worktask.NewTask(ref, reply.Kind, failed.Caller, text, string(in.Key), failed.OnUnknown, now, timersOf(failed))
	t.Money = worktask.NewMoney(failed.Money.Limit, failed.Money.Call)
	return t, nil
}

// timersOf are the timers that the failed task was accepted with, as far as a
// new task depends on them. The handoff is published at once; the grace after
// which it would be published again is kept in proportion to the deadline, as
// in both timer profiles.
func timersOf(failed worktask.Task) worktask.Timers {
	timers := worktask.DefaultTimers()
	timers.Attempts, timers.Calls = failed.Budget.AttemptLimit, failed.Budget.CallLimit
	timers.UnknownRepeats = failed.Budget.UnknownRepeats
	timers.TaskDeadline = failed.Deadline.Sub(failed.AcceptedAt)
	timers.HandoffGrace = min(timers.HandoffGrace, timers.TaskDeadline/10)
	return timers
}

// publishLimit bounds the immediate publication, which is best effort.
const publishLimit = 5 * time.Second

func (r Retrier) accepted(ctx context.Context, t worktask.Task) Retry {
	made := Retry{Workspace: t.Workspace, TaskID: t.ID, Path: taskPath(t.Ref), Decision: *decisionOf(t)}
	ctx, cancel := context.WithTimeoutCause(ctx, publishLimit, fmt.Errorf("publish timed out after %s", publishLimit))
	defer cancel()
	if err := r.Queue.Publish(ctx, t.Ref); err != nil {
		made.PublishError = err.Error()
		return made
	}
	made.Published = true
	return made
}

// replayed tells of the task that the key made before.
func (r Retrier) replayed(ctx context.Context, failed worktask.Ref, target string) (Retry, error) {
	ref, err := ParseTask(failed.Workspace, target)
	if err != nil {
		return Retry{}, fmt.Errorf("the record of an earlier retry points to %q: %w", target, err)
	}
	made := Retry{Workspace: ref.Workspace, TaskID: ref.ID, Path: target, Replayed: true}
	t, err := r.Tasks.Get(ctx, ref)
	if err != nil {
		return Retry{}, fmt.Errorf("read the task of an earlier retry: %w", err)
	}
	if decision := decisionOf(t); decision != nil {
		made.Decision = *decision
	}
	return made, nil
}
