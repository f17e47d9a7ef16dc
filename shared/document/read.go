package document

import (
	"context"
	"fmt"
	"strings"

	"github.com/replyonce/replyonce/shared/indexing"
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

// Texts reads the texts of versions that were files.
type Texts interface {
	// ReadText gives the text of a ready version, and the positions in bytes where
	// its pages begin.
	ReadText(ctx context.Context, t indexing.Target) (text string, pages []int, err error)
}

// Content is a version with its text.
type Content struct {
	Version
	Pages []int // where pages begin in the text, in bytes; empty without pages
}

// NotReadableError says that a version is there and has no text to read.
type NotReadableError struct {
	State   State  // Indexing or Failed
	Failure string // of a failed one
}

func (e *NotReadableError) Error() string {
	return strings.TrimSuffix(fmt.Sprintf("the version is %s: %s", e.State, e.Failure), ": ")
}

// ReadVersion reads one version with its text; storeerror.ErrNotFound, and
// *NotReadableError for one that is not ready. Of a file it is the text that was
// extracted.
func (s Service) ReadVersion(ctx context.Context, workspace, id string, number int) (Content, error) {
	if number < 1 {
		return Content{}, fmt.Errorf("read version %d of document %s: %w", number, id, storeerror.ErrNotFound)
	}
	v, err := s.Store.Version(ctx, workspace, id, number)
	if err == nil {
		v, err = s.settled(ctx, v)
	}
	if err != nil {
		return Content{}, fmt.Errorf("read document version: %w", err)
	}
	if !v.State.Readable() {
		return Content{}, fmt.Errorf("read version %d of document %s: %w", number, id, &NotReadableError{State: v.State, Failure: v.Index.Failure})
	}
	c := Content{Version: v}
	if v.Index.Object == "" {
		c.Version, err = s.Store.TextOf(ctx, v)
	} else {
		c.Text, c.Pages, err = s.Texts.ReadText(ctx, indexing.Target{Workspace: workspace, Document: id, Number: number, Pipeline: v.Index.Pipeline})
	}
	if err != nil {
		return Content{}, fmt.Errorf("read document version: %w", err)
	}
	return c, nil
}

// List reads a page of the workspace's documents, newest first.
func (s Service) List(ctx context.Context, workspace, after string, limit int) (List, error) {
	list, err := s.Store.Documents(ctx, workspace, after, limit)
	if err != nil {
		return List{}, fmt.Errorf("list documents: %w", err)
	}
	return list, nil
}
