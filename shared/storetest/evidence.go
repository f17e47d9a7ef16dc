package storetest

import (
	"context"
	"errors"
	"fmt"

	"github.com/replyonce/replyonce/shared/worktask"
)

func evidenceCases() []Case {
	return []Case{
		{"Evidence/firstIsKept", firstEvidence},
		{"Evidence/byVersion", evidenceByVersion},
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
