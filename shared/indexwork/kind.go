package indexwork

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"

	"github.com/replyonce/replyonce/shared/document"
	"github.com/replyonce/replyonce/shared/indexing"
	"github.com/replyonce/replyonce/shared/storeerror"
	"github.com/replyonce/replyonce/shared/taskflow"
	"github.com/replyonce/replyonce/shared/worktask"
)

// Documents reads versions and their texts.
type Documents interface {
	Version(ctx context.Context, workspace, id string, number int) (document.Version, error)
	Text(ctx context.Context, workspace, id string, number int) (document.Version, error)
}

// Source is what a pipeline works on.
type Source struct {
	FileName  string // empty for a pasted text
	MediaType string // as announced; the content decides
	Body      []byte
}

// Built is what a pipeline makes of a source: the same for the same source, byte
// for byte.
type Built struct {
	Entries  []indexing.Entry // in the order of stages and parts
	Passages int
	Pages    int // 0 for formats without pages
}

// Pipeline makes entries of sources.
type Pipeline interface {
	// Name changes with whatever changes the entries: formats, sizes, tokens.
	Name() string
	// Run makes the entries. A *SourceError is about the source, and every attempt
	// would meet it; the run ends soon after ctx has ended.
	Run(ctx context.Context, source Source) (Built, error)
}

// SourceError says that no attempt can make an index of the source.
type SourceError struct {
	Reason string // one of a closed list, for the version and the page
	Err    error
}

func (e *SourceError) Error() string { return fmt.Sprintf("%s: %v", e.Reason, e.Err) }

// Unwrap gives the cause.
func (e *SourceError) Unwrap() error { return e.Err }

// reasonChanged: the bytes that arrived are not those that were announced.
const reasonChanged = "changed"

// Kind is the index kind for the task flow.
type Kind struct {
	Documents Documents
	Entries   indexing.Store
	Objects   taskflow.Objects // uploaded files
	Pipeline  Pipeline
	// Pause waits before another try at a write, from 1, or until ctx is done.
	Pause func(ctx context.Context, try int) error
}

var _ taskflow.Kind = Kind{}

// Prepare reads the version. A version that an earlier attempt has published, and
// died before it could say so, needs nothing more.
func (k Kind) Prepare(ctx context.Context, t worktask.Task) (taskflow.Work, error) {
	in, err := indexing.DecodeInput(t.Input)
	if err != nil {
		return nil, unreadable(err)
	}
	if in.Pipeline != k.Pipeline.Name() {
		// Accepted by another release. A worker with its pipeline takes it, or the
		// deadline ends it; entries of two pipelines are never mixed.
		return nil, fmt.Errorf("task %s wants pipeline %s, this worker has %s", t.Ref, in.Pipeline, k.Pipeline.Name())
	}
	id, ok := strings.CutPrefix(t.Scope, document.ScopeOf(""))
	if !ok || id == "" {
		return nil, unreadable(fmt.Errorf("scope %q of an index task names no document", t.Scope))
	}
	v, err := k.Documents.Version(ctx, t.Workspace, id, in.Version)
	if err != nil {
		return nil, gone(err, t.Ref)
	}
	return work{
		kind: k, input: in, version: v,
		writer: indexing.Writer{
			Target:     indexing.Target{Workspace: t.Workspace, Document: id, Number: in.Version, Pipeline: in.Pipeline},
			Assignment: t.AssignmentVersion,
		},
	}, nil
}

func unreadable(err error) error {
	return &taskflow.PermanentError{Reason: worktask.DocumentUnreadable, Err: err}
}

// gone makes a missing or damaged source permanent; other faults of a store pass.
func gone(err error, ref worktask.Ref) error {
	err = fmt.Errorf("read source of task %s: %w", ref, err)
	if errors.Is(err, storeerror.ErrNotFound) || errors.Is(err, storeerror.ErrCorrupt) {
		return unreadable(err)
	}
	return err
}

// source reads the bytes and checks them against what was announced: an upload may
// have been replaced between its announcement and now.
func (k Kind) source(ctx context.Context, w indexing.Writer, in indexing.Input) (Source, error) {
	source := Source{FileName: in.FileName, MediaType: in.MediaType}
	if in.Source == "" {
		v, err := k.Documents.Text(ctx, w.Workspace, w.Document, w.Number)
		source.Body = []byte(v.Text)
		return source, err //nolint:wrapcheck // wrapped by gone
	}
	body, err := k.Objects.GetObject(ctx, in.Source)
	if err != nil {
		return source, err //nolint:wrapcheck // wrapped by gone
	}
	if sum := sha256.Sum256(body); hex.EncodeToString(sum[:]) != in.SHA256 || int64(len(body)) != in.Bytes {
		return source, &SourceError{Reason: reasonChanged, Err: errors.New("the file is not the one that was announced")}
	}
	source.Body = body
	return source, nil
}
