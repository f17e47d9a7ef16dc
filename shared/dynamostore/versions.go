package dynamostore

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"github.com/replyonce/replyonce/shared/document"
	"github.com/replyonce/replyonce/shared/dynamoschema"
	"github.com/replyonce/replyonce/shared/storeerror"
)

// versionItems are the description of a version and the parts of its text. The
// description stands alone, so that looking a version up reads no text.
func versionItems(v document.Version) []newPut {
	parts := dynamoschema.SplitText(v.Text, dynamoschema.MaxPartBytes)
	w := newItem(dynamoschema.VersionKey(v.Workspace, v.Document, v.Number))
	w.text(dynamoschema.Title, v.Title)
	w.number(dynamoschema.Bytes, int64(v.Bytes))
	w.text(dynamoschema.SHA256, v.SHA256)
	w.number(dynamoschema.Parts, int64(len(parts)))
	w.millis(dynamoschema.CreatedAt, v.CreatedAt)
	writeIndex(w, v)
	puts := []newPut{{"document version", w.item}}
	for i, part := range parts {
		p := newItem(dynamoschema.PartKey(v.Workspace, v.Document, v.Number, i))
		p.text(dynamoschema.Text, part)
		puts = append(puts, newPut{"part of a document's text", p.item})
	}
	if v.IndexTask != nil {
		puts = append(puts, newPut{"index task", taskItem(*v.IndexTask)})
	}
	return puts
}

// writeIndex adds what an index task starts from. Versions that are read whole
// are ready at once, and say nothing of it.
func writeIndex(w itemWriter, v document.Version) {
	if v.State.Readable() {
		return
	}
	w.text(dynamoschema.State, string(v.State))
	w.text(dynamoschema.Pipeline, v.Index.Pipeline)
	w.text(dynamoschema.IndexTask, v.Index.Task)
	w.text(dynamoschema.MediaType, v.Index.MediaType)
	w.text(dynamoschema.FileName, v.Index.FileName)
	w.text(dynamoschema.SourceObject, v.Index.Object)
}

func readIndex(r *itemReader) (document.State, document.Index) {
	state := document.State(r.text(dynamoschema.State))
	if state == "" {
		return document.Ready, document.Index{}
	}
	return state, document.Index{
		Pipeline:  r.text(dynamoschema.Pipeline),
		Task:      r.text(dynamoschema.IndexTask),
		Writer:    r.number(dynamoschema.IndexWriter),
		MediaType: r.text(dynamoschema.MediaType),
		FileName:  r.text(dynamoschema.FileName),
		Object:    r.text(dynamoschema.SourceObject),
		Entries:   r.count(dynamoschema.IndexEntries),
		Passages:  r.count(dynamoschema.Passages),
		Pages:     r.count(dynamoschema.Pages),
		Manifest:  r.text(dynamoschema.IndexManifest),
		Failure:   r.text(dynamoschema.IndexFailure),
	}
}

func versionFrom(workspace, id string, number int, it item) (document.Version, error) {
	r := &itemReader{item: it}
	v := document.Version{
		Workspace: workspace,
		Document:  id,
		Title:     r.text(dynamoschema.Title),
		Number:    number,
		Bytes:     r.count(dynamoschema.Bytes),
		SHA256:    r.required(dynamoschema.SHA256),
		Parts:     r.count(dynamoschema.Parts),
		CreatedAt: r.millis(dynamoschema.CreatedAt),
	}
	v.State, v.Index = readIndex(r)
	if r.err != nil {
		return document.Version{}, fmt.Errorf("decode version %d of document %s: %w", number, id, r.err)
	}
	return v, nil
}

// Version implements document.Store.
func (s *Store) Version(ctx context.Context, workspace, id string, number int) (document.Version, error) {
	it, err := s.get(ctx, dynamoschema.VersionKey(workspace, id, number))
	if err != nil {
		return document.Version{}, fmt.Errorf("read version %d of document %s: %w", number, id, err)
	}
	v, err := versionFrom(workspace, id, number, it)
	if err == nil && v.State == document.Deleted {
		return document.Version{}, fmt.Errorf("read version %d of document %s: it was deleted: %w", number, id, storeerror.ErrNotFound)
	}
	return v, err
}

// Versions implements document.Store. It leaves Parts out, as lists do.
func (s *Store) Versions(ctx context.Context, workspace, id string) ([]document.Version, error) {
	all, err := s.LeftVersions(ctx, workspace, id)
	return slices.DeleteFunc(all, func(v document.Version) bool { return v.State == document.Deleted }), err
}

// LeftVersions implements document.Remains.
func (s *Store) LeftVersions(ctx context.Context, workspace, id string) ([]document.Version, error) {
	var all []document.Version
	var damaged error
	input := partition(dynamoschema.DocumentPK(workspace, id), dynamoschema.VersionPrefix)
	err := s.query(ctx, input, func(it item) bool {
		var v document.Version
		v, damaged = listedVersion(workspace, id, it)
		all = append(all, v)
		return damaged == nil
	})
	if err != nil {
		return nil, fmt.Errorf("list versions of document %s: %w", id, err)
	}
	if damaged != nil {
		return nil, damaged
	}
	return all, nil
}

func listedVersion(workspace, id string, it item) (document.Version, error) {
	number, err := dynamoschema.ParseVersionSK(sortKey(it))
	if err != nil {
		return document.Version{}, fmt.Errorf("decode version of document %s: %w", id, err)
	}
	v, err := versionFrom(workspace, id, number, it)
	v.Parts = 0
	return v, err
}

// Text implements document.Store.
func (s *Store) Text(ctx context.Context, workspace, id string, number int) (document.Version, error) {
	v, err := s.Version(ctx, workspace, id, number)
	if err != nil {
		return document.Version{}, err
	}
	return s.TextOf(ctx, v)
}

// TextOf implements document.Store. Parts are read in order; whatever is missing,
// doubled or damaged shows in the hash.
func (s *Store) TextOf(ctx context.Context, v document.Version) (document.Version, error) {
	var body strings.Builder
	input := partition(dynamoschema.DocumentPK(v.Workspace, v.Document), dynamoschema.PartsOf(v.Number))
	err := s.query(ctx, input, func(it item) bool {
		r := &itemReader{item: it}
		body.WriteString(r.text(dynamoschema.Text))
		return true
	})
	if err != nil {
		return document.Version{}, fmt.Errorf("read text of version %d of document %s: %w", v.Number, v.Document, err)
	}
	v.Text = body.String()
	if sum := sha256.Sum256([]byte(v.Text)); len(v.Text) != v.Bytes || hex.EncodeToString(sum[:]) != v.SHA256 {
		return document.Version{}, fmt.Errorf("read text of version %d of document %s: %w", v.Number, v.Document, storeerror.ErrCorrupt)
	}
	return v, nil
}
