package memstore

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/replyonce/replyonce/shared/worktask"
)

// PutEvidence implements taskflow.EvidenceStore. It asks for no task: what is
// kept is only that an answer came.
func (s *Store) PutEvidence(ctx context.Context, e worktask.Evidence) error {
	if err := reachable(ctx); err != nil {
		return fmt.Errorf("put evidence of task %s: %w", e.Ref, err)
	}
	e.At = millis(e.At)
	key := evidenceKey{e.Ref, e.AssignmentVersion}
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, kept := s.evidence[key]; !kept {
		s.evidence[key] = e
	}
	return nil
}

// ListEvidence implements taskflow.EvidenceStore.
func (s *Store) ListEvidence(ctx context.Context, ref worktask.Ref) ([]worktask.Evidence, error) {
	if err := reachable(ctx); err != nil {
		return nil, fmt.Errorf("list evidence of task %s: %w", ref, err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []worktask.Evidence
	for key, e := range s.evidence {
		if key.ref == ref {
			all = append(all, e)
		}
	}
	slices.SortFunc(all, func(a, b worktask.Evidence) int { return cmp.Compare(a.AssignmentVersion, b.AssignmentVersion) })
	return all, nil
}

// PutAttempt implements taskflow.EvidenceStore.
func (s *Store) PutAttempt(ctx context.Context, r worktask.AttemptRecord) error {
	if err := reachable(ctx); err != nil {
		return fmt.Errorf("put record of an attempt at task %s: %w", r.Ref, err)
	}
	r.BegunAt, r.EndedAt = millis(r.BegunAt), millis(r.EndedAt)
	key := evidenceKey{r.Ref, r.AssignmentVersion}
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, kept := s.attempts[key]; !kept {
		s.attempts[key] = r
	}
	return nil
}

// ListAttempts implements taskflow.EvidenceStore.
func (s *Store) ListAttempts(ctx context.Context, ref worktask.Ref) ([]worktask.AttemptRecord, error) {
	if err := reachable(ctx); err != nil {
		return nil, fmt.Errorf("list records of attempts at task %s: %w", ref, err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []worktask.AttemptRecord
	for key, r := range s.attempts {
		if key.ref == ref {
			all = append(all, r)
		}
	}
	slices.SortFunc(all, func(a, b worktask.AttemptRecord) int { return cmp.Compare(a.AssignmentVersion, b.AssignmentVersion) })
	return all, nil
}
