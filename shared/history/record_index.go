package history

import (
	"context"
	"errors"

	"github.com/replyonce/replyonce/shared/document"
	"github.com/replyonce/replyonce/shared/idempotency"
	"github.com/replyonce/replyonce/shared/indexing"
)

// Entries records the writes of entries and versions that the actor makes through
// inner. Reads pass unrecorded.
func (a *Actor) Entries(inner indexing.Store) indexing.Store { return recordedEntries{inner, a} }

type recordedEntries struct {
	indexing.Store
	actor *Actor
}

func (s recordedEntries) TakeVersion(ctx context.Context, w indexing.Writer) error {
	return s.actor.index(ctx, takes(w), func(ctx context.Context) error { return s.Store.TakeVersion(ctx, w) })
}

func (s recordedEntries) WriteEntries(ctx context.Context, w indexing.Writer, entries []indexing.Entry) error {
	if len(entries) == 0 {
		return s.Store.WriteEntries(ctx, w, entries) //nolint:wrapcheck // a recorder changes nothing
	}
	return s.actor.index(ctx, writes(w, entries), func(ctx context.Context) error { return s.Store.WriteEntries(ctx, w, entries) })
}

func (s recordedEntries) Publish(ctx context.Context, w indexing.Writer, summary indexing.Summary) error {
	return s.actor.index(ctx, publishes(w, summary), func(ctx context.Context) error { return s.Store.Publish(ctx, w, summary) })
}

func (s recordedEntries) FailVersion(ctx context.Context, w indexing.Writer, reason string) error {
	return s.actor.index(ctx, fails(w, reason), func(ctx context.Context) error { return s.Store.FailVersion(ctx, w, reason) })
}

func (a *Actor) index(ctx context.Context, index Index, write func(context.Context) error) error {
	sent := a.Record(Event{Kind: IndexSent, Index: &index})
	err := write(withOperation(ctx, sent))
	done := Event{Kind: IndexDone, Op: sent}
	done.Outcome, done.Detail = outcomeOf(err)
	a.Record(done)
	return err //nolint:wrapcheck // a recorder changes nothing
}

func takes(w indexing.Writer) Index { return indexOf(IndexTake, w) }

func writes(w indexing.Writer, entries []indexing.Entry) Index {
	index := indexOf(IndexEntries, w)
	index.Entries = entriesOf(entries)
	return index
}

func publishes(w indexing.Writer, s indexing.Summary) Index {
	index := indexOf(IndexPublish, w)
	index.Count, index.Manifest = s.Entries, s.Manifest
	return index
}

func fails(w indexing.Writer, reason string) Index {
	index := indexOf(IndexFail, w)
	index.Reason = reason
	return index
}

func closes(workspace, id string, number int, reason string) Index {
	return Index{What: IndexClose, Workspace: workspace, Document: id, Version: number, Reason: reason}
}

// Documents records the creating transactions of documents and versions that the
// actor makes through inner, and how it closes versions. What else is asked of it
// passes unrecorded.
func (a *Actor) Documents(inner document.Store) document.Store { return recordedDocuments{inner, a} }

type recordedDocuments struct {
	document.Store
	actor *Actor
}

func (s recordedDocuments) CreateDocument(ctx context.Context, record idempotency.Record, d document.Document, v document.Version) error {
	return s.actor.create(ctx, versionCreation(record, v), taskOf(v), func(ctx context.Context) error {
		return s.Store.CreateDocument(ctx, record, d, v) //nolint:wrapcheck // a recorder changes nothing
	})
}

// CloseVersion implements document.Store.
func (s recordedDocuments) CloseVersion(ctx context.Context, workspace, id string, number int, reason string) error {
	return s.actor.index(ctx, closes(workspace, id, number, reason), func(ctx context.Context) error {
		return s.Store.CloseVersion(ctx, workspace, id, number, reason)
	})
}

func (s recordedDocuments) AddVersion(ctx context.Context, record idempotency.Record, d document.Document, v document.Version) error {
	return s.actor.create(ctx, versionCreation(record, v), taskOf(v), func(ctx context.Context) error {
		return s.Store.AddVersion(ctx, record, d, v) //nolint:wrapcheck // a recorder changes nothing
	})
}

func versionCreation(record idempotency.Record, v document.Version) Creation {
	described := VersionOf(v)
	c := Creation{What: CreatesVersion, Record: RecordOf(record), Version: &described}
	if v.IndexTask != nil {
		c.Item = itemPointer(*v.IndexTask)
	}
	return c
}

func taskOf(v document.Version) Ref {
	if v.IndexTask == nil {
		return ""
	}
	return RefOf(v.IndexTask.Ref)
}

// VersionStore is what the store's side of versions stands in front of.
type VersionStore interface {
	document.Store
	indexing.Store
}

// StoreVersions is StoreTasks for versions and their entries. After each write it
// reads where the current version stands.
func (r *Recorder) StoreVersions(inner VersionStore) VersionStore { return storeVersions{inner, r} }

type storeVersions struct {
	VersionStore
	recorder *Recorder
}

func (s storeVersions) TakeVersion(ctx context.Context, w indexing.Writer) error {
	return s.write(ctx, takes(w), func() error { return s.VersionStore.TakeVersion(ctx, w) })
}

func (s storeVersions) WriteEntries(ctx context.Context, w indexing.Writer, entries []indexing.Entry) error {
	if len(entries) == 0 {
		return s.VersionStore.WriteEntries(ctx, w, entries) //nolint:wrapcheck // a recorder changes nothing
	}
	return s.write(ctx, writes(w, entries), func() error { return s.VersionStore.WriteEntries(ctx, w, entries) })
}

func (s storeVersions) Publish(ctx context.Context, w indexing.Writer, summary indexing.Summary) error {
	return s.write(ctx, publishes(w, summary), func() error { return s.VersionStore.Publish(ctx, w, summary) })
}

func (s storeVersions) FailVersion(ctx context.Context, w indexing.Writer, reason string) error {
	return s.write(ctx, fails(w, reason), func() error { return s.VersionStore.FailVersion(ctx, w, reason) })
}

// CloseVersion implements document.Store.
func (s storeVersions) CloseVersion(ctx context.Context, workspace, id string, number int, reason string) error {
	return s.write(ctx, closes(workspace, id, number, reason), func() error {
		return s.VersionStore.CloseVersion(ctx, workspace, id, number, reason)
	})
}

func (s storeVersions) write(ctx context.Context, index Index, write func() error) error {
	s.recorder.store.Lock()
	defer s.recorder.store.Unlock()
	if err := write(); err != nil {
		return err
	}
	index.Current = s.current(ctx, index.Workspace, index.Document)
	s.recorder.Record(Event{Actor: storeName, Kind: Indexed, Op: operationOf(ctx), Index: &index})
	return nil
}

// current is where the pointer stands; 0 where that cannot be read.
func (s storeVersions) current(ctx context.Context, workspace, id string) int {
	d, err := s.Document(context.WithoutCancel(ctx), workspace, id)
	if err != nil {
		return 0
	}
	return d.CurrentVersion
}

func (s storeVersions) CreateDocument(ctx context.Context, record idempotency.Record, d document.Document, v document.Version) error {
	return s.create(ctx, versionCreation(record, v), v, func() error { return s.VersionStore.CreateDocument(ctx, record, d, v) })
}

func (s storeVersions) AddVersion(ctx context.Context, record idempotency.Record, d document.Document, v document.Version) error {
	return s.create(ctx, versionCreation(record, v), v, func() error { return s.VersionStore.AddVersion(ctx, record, d, v) })
}

func (s storeVersions) create(ctx context.Context, c Creation, v document.Version, write func() error) error {
	s.recorder.store.Lock()
	defer s.recorder.store.Unlock()
	if err := write(); err != nil {
		return err
	}
	c.Version.Current = s.current(ctx, v.Workspace, v.Document)
	s.recorder.Record(Event{Actor: storeName, Kind: Created, Op: operationOf(ctx), Task: taskOf(v), Creation: &c})
	return nil
}

// refusedIndex reports whether a condition of a write of a version did not hold.
func refusedIndex(err error) bool {
	return errors.Is(err, indexing.ErrReplaced) || errors.Is(err, indexing.ErrDiffers) || errors.Is(err, indexing.ErrDeleted)
}
