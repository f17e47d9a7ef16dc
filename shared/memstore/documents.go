package memstore

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"

	"github.com/replyonce/replyonce/shared/document"
	"github.com/replyonce/replyonce/shared/dynamoschema"
	"github.com/replyonce/replyonce/shared/idempotency"
	"github.com/replyonce/replyonce/shared/storeerror"
)

// CreateDocument implements document.Store.
func (s *Store) CreateDocument(ctx context.Context, record idempotency.Record, d document.Document, v document.Version) error {
	key := documentKey{d.Workspace, d.ID}
	d.CreatedAt, d.UpdatedAt = millis(d.CreatedAt), millis(d.UpdatedAt)
	v = storedVersion(v)
	err := checkDocument(d, v)
	if err == nil {
		err = s.create(ctx, record,
			func() bool {
				_, taken := s.documents[key]
				_, deleted := s.tombstones[key]
				return taken || deleted || s.versionTaken(v)
			},
			func() { s.documents[key] = d; s.putVersion(v) })
	}
	if err != nil {
		return fmt.Errorf("create document %s: %w", d.ID, err)
	}
	return nil
}

// AddVersion implements document.Store. The stored document keeps everything
// but its counter, the time of its latest version and the current one.
func (s *Store) AddVersion(ctx context.Context, record idempotency.Record, d document.Document, v document.Version) error {
	key := documentKey{d.Workspace, d.ID}
	v = storedVersion(v)
	err := checkDocument(d, v)
	if err == nil {
		err = s.create(ctx, record,
			func() bool {
				stored, found := s.documents[key]
				return !found || stored.LatestVersion != v.Number-1 || s.versionTaken(v)
			},
			func() {
				stored := s.documents[key]
				stored.LatestVersion, stored.UpdatedAt = v.Number, v.CreatedAt
				if v.State.Readable() {
					stored.CurrentVersion = v.Number
				}
				s.documents[key] = stored
				s.putVersion(v)
			})
	}
	if err != nil {
		return fmt.Errorf("add version %d to document %s: %w", v.Number, d.ID, err)
	}
	return nil
}

func keyOf(v document.Version) versionKey {
	return versionKey{documentKey{v.Workspace, v.Document}, v.Number}
}

func (s *Store) versionTaken(v document.Version) bool {
	if v.IndexTask != nil {
		if _, taken := s.tasks[v.IndexTask.Ref]; taken {
			return true
		}
	}
	_, taken := s.versions[keyOf(v)]
	return taken
}

// putVersion keeps the version, and its index task as a task of its own.
func (s *Store) putVersion(v document.Version) {
	if v.IndexTask != nil {
		s.tasks[v.IndexTask.Ref] = storedTask(*v.IndexTask)
		v.IndexTask = nil
	}
	s.versions[keyOf(v)] = v
}

func checkDocument(d document.Document, v document.Version) error {
	if err := checkItem("document", documentBytes(d)); err != nil {
		return err
	}
	if err := checkItem("document version", versionBytes(v)); err != nil {
		return err
	}
	return checkTransaction(2*documentBytes(d) + versionBytes(v) + len(v.Text))
}

// storedVersion is the version as the database gives it back.
func storedVersion(v document.Version) document.Version {
	v.CreatedAt = millis(v.CreatedAt)
	if v.State.Readable() {
		v.State = document.Ready
	}
	v.Parts = len(dynamoschema.SplitText(v.Text, dynamoschema.MaxPartBytes))
	return v
}

// Document implements document.Store.
func (s *Store) Document(ctx context.Context, workspace, id string) (document.Document, error) {
	if err := reachable(ctx); err != nil {
		return document.Document{}, fmt.Errorf("read document %s: %w", id, err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	d, found := s.documents[documentKey{workspace, id}]
	if !found {
		return document.Document{}, fmt.Errorf("read document %s: %w", id, storeerror.ErrNotFound)
	}
	return d, nil
}

// Version implements document.Store.
func (s *Store) Version(ctx context.Context, workspace, id string, number int) (document.Version, error) {
	v, err := s.version(ctx, workspace, id, number)
	v.Text = ""
	return v, err
}

// TextOf implements document.Store.
func (s *Store) TextOf(ctx context.Context, v document.Version) (document.Version, error) {
	return s.Text(ctx, v.Workspace, v.Document, v.Number)
}

// Text implements document.Store.
func (s *Store) Text(ctx context.Context, workspace, id string, number int) (document.Version, error) {
	v, err := s.version(ctx, workspace, id, number)
	if err != nil {
		return document.Version{}, err
	}
	if sum := sha256.Sum256([]byte(v.Text)); hex.EncodeToString(sum[:]) != v.SHA256 || len(v.Text) != v.Bytes {
		return document.Version{}, fmt.Errorf("read version %d of document %s: %w", number, id, storeerror.ErrCorrupt)
	}
	return v, nil
}

func (s *Store) version(ctx context.Context, workspace, id string, number int) (document.Version, error) {
	if err := reachable(ctx); err != nil {
		return document.Version{}, fmt.Errorf("read version %d of document %s: %w", number, id, err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	v, found := s.versions[versionKey{documentKey{workspace, id}, number}]
	if !found || v.State == document.Deleted {
		return document.Version{}, fmt.Errorf("read version %d of document %s: %w", number, id, storeerror.ErrNotFound)
	}
	return v, nil
}

// Versions implements document.Store. It leaves Parts out, as lists do.
func (s *Store) Versions(ctx context.Context, workspace, id string) ([]document.Version, error) {
	all, err := s.LeftVersions(ctx, workspace, id)
	return slices.DeleteFunc(all, func(v document.Version) bool { return v.State == document.Deleted }), err
}

// Documents implements document.Store.
func (s *Store) Documents(ctx context.Context, workspace, after string, limit int) (document.List, error) {
	if err := reachable(ctx); err != nil {
		return document.List{}, fmt.Errorf("list documents: %w", err)
	}
	start, err := parseCursor(after)
	if err != nil {
		return document.List{}, fmt.Errorf("list documents: %w", err)
	}
	limit = max(limit, 1)
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []document.Document
	for key, d := range s.documents {
		if key.workspace == workspace && (start == "" || d.ID < start) {
			all = append(all, d)
		}
	}
	slices.SortFunc(all, func(a, b document.Document) int { return cmp.Compare(b.ID, a.ID) })
	if len(all) <= limit {
		return document.List{Documents: all}, nil
	}
	return document.List{Documents: all[:limit], After: cursor(all[limit-1].ID)}, nil
}
