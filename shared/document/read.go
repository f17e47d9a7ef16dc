package document

import (
	"context"
	"fmt"

	"github.com/replyonce/replyonce/shared/storeerror"
)

// Get reads a document with the descriptions of its versions.
func (s Service) Get(ctx context.Context, workspace, id string) (Described, error) {
	d, err := s.Store.Document(ctx, workspace, id)
	if err != nil {
		return Described{}, fmt.Errorf("get document: %w", err)
	}
	versions, err := s.Store.Versions(ctx, workspace, id)
	if err != nil {
		return Described{}, fmt.Errorf("get document: %w", err)
	}
	for i := range versions {
		if versions[i], err = s.settled(ctx, versions[i]); err != nil {
			return Described{}, fmt.Errorf("get document: %w", err)
		}
		versions[i].Parts = 0
	}
	return Described{Document: d, Versions: versions}, nil
}

// ReadVersion reads one version with its text; storeerror.ErrNotFound.
func (s Service) ReadVersion(ctx context.Context, workspace, id string, number int) (Version, error) {
	if number < 1 {
		return Version{}, fmt.Errorf("read version %d of document %s: %w", number, id, storeerror.ErrNotFound)
	}
	v, err := s.Store.Text(ctx, workspace, id, number)
	if err != nil {
		return Version{}, fmt.Errorf("read document version: %w", err)
	}
	return v, nil
}

// List reads a page of the workspace's documents, newest first.
func (s Service) List(ctx context.Context, workspace, after string, limit int) (List, error) {
	list, err := s.Store.Documents(ctx, workspace, after, limit)
	if err != nil {
		return List{}, fmt.Errorf("list documents: %w", err)
	}
	return list, nil
}
