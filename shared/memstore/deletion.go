package memstore

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/replyonce/replyonce/shared/document"
	"github.com/replyonce/replyonce/shared/storeerror"
	"github.com/replyonce/replyonce/shared/worktask"
)

// DeleteDocument implements document.Store.
func (s *Store) DeleteDocument(ctx context.Context, t document.Tombstone, previous string, task worktask.Task) error {
	if err := reachable(ctx); err != nil {
		return fmt.Errorf("delete document %s: %w", t.Document, err)
	}
	key := documentKey{t.Workspace, t.Document}
	t.DeletedAt = millis(t.DeletedAt)
	s.mu.Lock()
	defer s.mu.Unlock()
	_, there := s.documents[key]
	stone, deleted := s.tombstones[key]
	_, taken := s.tasks[task.Ref]
	if taken || (!there && !deleted) || stone.EraseTask != previous {
		return fmt.Errorf("delete document %s: %w", t.Document, storeerror.ErrExists)
	}
	delete(s.documents, key)
	s.tombstones[key], s.tasks[task.Ref] = t, storedTask(task)
	return nil
}

// Tombstone implements document.Remains.
func (s *Store) Tombstone(ctx context.Context, workspace, id string) (document.Tombstone, error) {
	if err := reachable(ctx); err != nil {
		return document.Tombstone{}, fmt.Errorf("read tombstone of document %s: %w", id, err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	t, deleted := s.tombstones[documentKey{workspace, id}]
	if !deleted {
		return document.Tombstone{}, fmt.Errorf("read tombstone of document %s: %w", id, storeerror.ErrNotFound)
	}
	return t, nil
}

// LeftVersions implements document.Remains.
func (s *Store) LeftVersions(ctx context.Context, workspace, id string) ([]document.Version, error) {
	if err := reachable(ctx); err != nil {
		return nil, fmt.Errorf("list versions of document %s: %w", id, err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []document.Version
	for key, v := range s.versions {
		if key.documentKey == (documentKey{workspace, id}) {
			v.Text, v.Parts = "", 0
			all = append(all, v)
		}
	}
	slices.SortFunc(all, func(a, b document.Version) int { return cmp.Compare(a.Number, b.Number) })
	return all, nil
}

// FenceVersion implements document.Remains.
func (s *Store) FenceVersion(ctx context.Context, workspace, id string, number int) error {
	if err := reachable(ctx); err != nil {
		return fmt.Errorf("fence version %d of document %s: %w", number, id, err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	key := versionKey{documentKey{workspace, id}, number}
	if v, found := s.versions[key]; found {
		v.State = document.Deleted
		s.versions[key] = v
	}
	return nil
}

// EraseContents implements document.Remains. A text counts as one part, however
// long it is.
func (s *Store) EraseContents(ctx context.Context, workspace, id string, limit int) (int, error) {
	if err := reachable(ctx); err != nil {
		return 0, fmt.Errorf("erase contents of document %s: %w", id, err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	removed := 0
	for key, v := range s.versions {
		if key.documentKey == (documentKey{workspace, id}) && v.Text != "" && removed < limit {
			v.Text = ""
			s.versions[key] = v
			removed++
		}
	}
	for at := range s.entries {
		if at.target.Workspace == workspace && at.target.Document == id && removed < limit {
			delete(s.entries, at)
			removed++
		}
	}
	return removed, nil
}

// EraseVersion implements document.Remains.
func (s *Store) EraseVersion(ctx context.Context, workspace, id string, number int) error {
	if err := reachable(ctx); err != nil {
		return fmt.Errorf("erase version %d of document %s: %w", number, id, err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	key := versionKey{documentKey{workspace, id}, number}
	if v, found := s.versions[key]; found && v.State != document.Deleted {
		return fmt.Errorf("erase version %d of document %s: %w", number, id, storeerror.ErrConflict)
	}
	delete(s.versions, key)
	return nil
}
