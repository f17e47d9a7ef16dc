package storetest

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/replyonce/replyonce/shared/worktask"
)

func evidenceCases() []Case {
	return []Case{
		{"Evidence/firstIsKept", firstEvidence},
		{"Evidence/byVersion", evidenceByVersion},
		{"Evidence/attemptsBesideEvidence", attemptsBesideEvidence},
	}
}

func evidenceOf(ref worktask.Ref, version int64) worktask.Evidence {
	return worktask.Evidence{
		Ref: ref, AssignmentVersion: version, AssignmentID: mineID, Bytes: 812, SHA256: "c0ffee",
		Tokens: worktask.Tokens{Input: 5, Output: 6}, ProviderRequestID: "provider-1", At: storedTime(now()),
	}
}

func firstEvidence(ctx context.Context, e *Env) error {
	t := task(e.ref())
	if err := e.seed(ctx, t); err != nil {
		return err
	}
	first := evidenceOf(t.Ref, 1)
	second := first
	second.SHA256 = "deadbeef"
	if err := errors.Join(e.PutEvidence(ctx, first), e.PutEvidence(ctx, second)); err != nil {
		return fmt.Errorf("put: %w", err)
	}
	got, err := e.ListEvidence(ctx, t.Ref)
	return errors.Join(
		err, equal("the evidence", got, []worktask.Evidence{first}),
		e.wantTask(ctx, "beside which evidence is kept", stored(t)),
	)
}

// evidenceByVersion: evidence needs no task, makes none, and is not mixed with
// that of a task whose id begins alike.
func evidenceByVersion(ctx context.Context, e *Env) error {
	ref := e.ref()
	near := ref
	near.ID += "X"
	var want []worktask.Evidence
	for v := int64(1); v <= 11; v++ {
		want = append(want, evidenceOf(ref, v))
	}
	for i := len(want) - 1; i >= 0; i-- {
		if err := e.PutEvidence(ctx, want[i]); err != nil {
			return fmt.Errorf("put: %w", err)
		}
	}
	if err := e.PutEvidence(ctx, evidenceOf(near, 1)); err != nil {
		return fmt.Errorf("put: %w", err)
	}
	got, err := e.ListEvidence(ctx, ref)
	none, noneErr := e.ListEvidence(ctx, e.ref())
	return errors.Join(
		err, equal("the evidence", got, want),
		noneErr, equal("the evidence of no task", len(none), 0),
		e.wantNoTask(ctx, ref),
	)
}

// attemptsBesideEvidence: of one version there may be both, and the first record
// of an attempt is kept with every field; one that knows little has little.
func attemptsBesideEvidence(ctx context.Context, e *Env) error {
	ref := e.ref()
	near := ref
	near.ID += "X"
	full := worktask.AttemptRecord{
		Ref: ref, AssignmentVersion: 2, AssignmentID: mineID, Outcome: worktask.AttemptUnknown, Provider: "scripted",
		ProviderRequestID: "provider-1", OperationID: "op-1", BegunAt: storedTime(now().Add(-time.Second)), EndedAt: storedTime(now()),
		Cause: "the connection was lost",
	}
	lost := worktask.AttemptRecord{Ref: ref, AssignmentVersion: 1, Outcome: worktask.AttemptWorkerLost, EndedAt: storedTime(now())}
	late, foreign := lost, lost
	late.AssignmentVersion, foreign.Ref = 2, near
	evidence := evidenceOf(ref, 2)
	if err := errors.Join(
		e.PutAttempt(ctx, full), e.PutEvidence(ctx, evidence), e.PutAttempt(ctx, late), e.PutAttempt(ctx, lost), e.PutAttempt(ctx, foreign),
	); err != nil {
		return fmt.Errorf("put: %w", err)
	}
	got, err := e.ListAttempts(ctx, ref)
	kept, keptErr := e.ListEvidence(ctx, ref)
	none, noneErr := e.ListAttempts(ctx, e.ref())
	return errors.Join(
		err, equal("the records of attempts", got, []worktask.AttemptRecord{lost, full}),
		keptErr, equal("the evidence", kept, []worktask.Evidence{evidence}),
		noneErr, equal("the records of no attempt", len(none), 0),
		e.wantNoTask(ctx, ref),
	)
}
