package storetest

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/replyonce/replyonce/shared/storeerror"
	"github.com/replyonce/replyonce/shared/worktask"
)

func taskCases() []Case {
	return []Case{
		{"Tasks/everyFieldComesBack", everyFieldComesBack},
		{"Tasks/otherWorkspaceSeesNothing", otherWorkspaceSeesNothing},
		{"Tasks/assignmentOfAnotherTask", assignmentOfAnotherTask},
		{"Tasks/emptyResultIsNotSaved", emptyResultIsNotSaved},
		{"Tasks/deadContextWritesNothing", applyWithDeadContext},
		{"Tasks/wholeLife", wholeLife},
		{"Tasks/messageIsNoTask", messageIsNoTask},
	}
}

// everyFieldComesBack: a field that a store forgets would show up much later.
func everyFieldComesBack(ctx context.Context, e *Env) error {
	t := task(e.ref())
	t.Status, t.AssignmentVersion, t.AssignmentID = worktask.Failed, 7, mineID
	t.LeaseExpiresAt, t.EndedAt, t.HandoffDueAt = now().Add(lease), now(), time.Time{}
	t.Budget = worktask.Budget{AttemptLimit: 4, CallLimit: 8, AttemptsLeft: 0, CallsLeft: 1, CallsKnown: 5, UnknownRepeats: 2}
	t.Money = worktask.Money{Limit: 2500, Left: 400, Call: 1000}
	t.OnUnknown, t.CallOpen, t.OperationID = worktask.StopUnknown, true, "op-1"
	t.Released, t.ReleasedVersion = worktask.ReleaseFailed, 6
	t.Result = worktask.Result{Body: "b", ObjectKey: "k", Bytes: 12, SHA256: "ab"}
	t.FailureReason, t.EndedBy = worktask.Declined, mineID
	t.Tokens, t.ProviderRequestID = worktask.Tokens{Input: 3, Output: 4}, "provider-1"
	if err := e.seed(ctx, t); err != nil {
		return err
	}
	return e.wantTask(ctx, "with every field", stored(t))
}

func otherWorkspaceSeesNothing(ctx context.Context, e *Env) error {
	t := task(e.ref())
	if err := e.seed(ctx, t); err != nil {
		return err
	}
	foreign := t.Ref
	foreign.Workspace += "x"
	cancel := worktask.Cancel{Now: now()}
	_, err := e.Apply(ctx, foreign, cancel)
	return errors.Join(
		e.wantRefused("a cancel from another workspace", err, cancel, nil),
		e.wantNoTask(ctx, foreign),
		e.wantTask(ctx, "after a foreign cancel", stored(t)),
	)
}

// assignmentOfAnotherTask: the condition names a version, and two tasks can
// stand at one version.
func assignmentOfAnotherTask(ctx context.Context, e *Env) error {
	t := claimedTask(e.ref(), mineID, mine, variations()[0])
	t.Status, t.LeaseExpiresAt = worktask.Running, now().Add(lease)
	if err := e.seed(ctx, t); err != nil {
		return err
	}
	wrong := claimed(e.ref(), mineID, mine).Complete(now(), worktask.Result{Body: "another task's answer"}, report)
	if _, err := e.Apply(ctx, t.Ref, wrong); err == nil {
		return errors.New("the result of another task was saved")
	}
	return e.wantTask(ctx, "after another task's completion", stored(t))
}

func emptyResultIsNotSaved(ctx context.Context, e *Env) error {
	t := claimedTask(e.ref(), mineID, mine, variations()[0])
	t.Status, t.LeaseExpiresAt = worktask.Running, now().Add(lease)
	if err := e.seed(ctx, t); err != nil {
		return err
	}
	empty := claimed(t.Ref, mineID, mine).Complete(now(), worktask.Result{}, report)
	if _, err := e.Apply(ctx, t.Ref, empty); err == nil {
		return errors.New("an empty result was saved")
	}
	return e.wantTask(ctx, "after an empty completion", stored(t))
}

func applyWithDeadContext(ctx context.Context, e *Env) error {
	t := task(e.ref())
	if err := e.seed(ctx, t); err != nil {
		return err
	}
	dead, cancel := context.WithCancel(ctx)
	cancel()
	_, err := e.Apply(dead, t.Ref, claim(newID))
	_, readErr := e.Get(dead, t.Ref)
	return errors.Join(
		wantError("a claim whose time is over", err, storeerror.ErrUnavailable),
		wantError("a read whose time is over", readErr, storeerror.ErrUnavailable),
		e.wantTask(ctx, "after a claim whose time was over", stored(t)),
	)
}

// wholeLife walks one task through accept, claim, release, claim, renewal,
// takeover and completion, and watches the fence hold at each step.
func wholeLife(ctx context.Context, e *Env) error {
	t := task(e.ref())
	if err := e.seed(ctx, t); err != nil {
		return err
	}
	at := now()
	step := func(tr worktask.Transition) error {
		before, err := e.Get(ctx, t.Ref)
		if err != nil {
			return fmt.Errorf("read before %s: %w", tr.Name(), err)
		}
		return e.wantLanded(ctx, "in a whole life", tr, before)
	}
	take := func(id string) worktask.Claim {
		return worktask.Claim{AssignmentID: id, Now: at, LeaseUntil: at.Add(lease), Margin: margin}
	}
	first, second, third := claimed(t.Ref, "a1", 1), claimed(t.Ref, "a2", 2), claimed(t.Ref, "a3", 3)
	if err := errors.Join(
		step(take("a1")),
		step(first.Release(at, worktask.ReleaseRejected, at.Add(time.Second), at.Add(31*time.Second), report)),
	); err != nil {
		return err
	}
	at = at.Add(time.Second)
	if err := errors.Join(step(take("a2")), step(second.Renew(at.Add(10*time.Second), at.Add(40*time.Second)))); err != nil {
		return err
	}
	at = at.Add(40*time.Second + margin)
	if err := step(take("a3")); err != nil {
		return err
	}
	late := second.Complete(at, worktask.Result{Body: "late"}, report)
	seen, err := e.Get(ctx, t.Ref)
	if err != nil {
		return fmt.Errorf("read: %w", err)
	}
	return errors.Join(
		e.wantUntouched(ctx, "by a worker that was replaced", late, seen),
		step(third.Complete(at, worktask.Result{Body: "in time"}, report)),
		e.checkIndex(ctx),
	)
}

func messageIsNoTask(ctx context.Context, e *Env) error {
	a := e.newAccepted(e.id(), "hi")
	if err := e.AcceptMessage(ctx, e.record("hi"), a.message, a.task); err != nil {
		return fmt.Errorf("accept: %w", err)
	}
	asTask, asMessage := a.task.Ref, a.message
	asTask.ID, asMessage.ID = a.message.ID, a.task.ID
	_, err := e.Message(ctx, e.Workspace, asMessage.Conversation, asMessage.ID)
	cancel := worktask.Cancel{Now: now()}
	_, applyErr := e.Apply(ctx, asTask, cancel)
	return errors.Join(
		e.wantNoTask(ctx, asTask),
		wantError("a task read as a message", err, storeerror.ErrNotFound),
		e.wantRefused("a message cancelled as a task", applyErr, cancel, nil),
		e.wantAccepted(ctx, a),
	)
}
