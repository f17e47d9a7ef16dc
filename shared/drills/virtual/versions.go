package virtual

import (
	"context"

	"github.com/replyonce/replyonce/shared/document"
	"github.com/replyonce/replyonce/shared/drills"
	"github.com/replyonce/replyonce/shared/idempotency"
	"github.com/replyonce/replyonce/shared/indexing"
)

// The writes of documents and their versions, once behind the recorder and once as
// a process reaches them.

// CreateDocument implements document.Store.
func (r recorded) CreateDocument(ctx context.Context, record idempotency.Record, d document.Document, v document.Version) error {
	return r.versions.CreateDocument(ctx, record, d, v) //nolint:wrapcheck // a recorder changes nothing
}

// AddVersion implements document.Store.
func (r recorded) AddVersion(ctx context.Context, record idempotency.Record, d document.Document, v document.Version) error {
	return r.versions.AddVersion(ctx, record, d, v) //nolint:wrapcheck // a recorder changes nothing
}

// TakeVersion implements indexing.Store.
func (r recorded) TakeVersion(ctx context.Context, w indexing.Writer) error {
	return r.versions.TakeVersion(ctx, w) //nolint:wrapcheck // a recorder changes nothing
}

// WriteEntries implements indexing.Store.
func (r recorded) WriteEntries(ctx context.Context, w indexing.Writer, entries []indexing.Entry) error {
	return r.versions.WriteEntries(ctx, w, entries) //nolint:wrapcheck // a recorder changes nothing
}

// Publish implements indexing.Store.
func (r recorded) Publish(ctx context.Context, w indexing.Writer, s indexing.Summary) error {
	return r.versions.Publish(ctx, w, s) //nolint:wrapcheck // a recorder changes nothing
}

// FailVersion implements indexing.Store.
func (r recorded) FailVersion(ctx context.Context, w indexing.Writer, reason string) error {
	return r.versions.FailVersion(ctx, w, reason) //nolint:wrapcheck // a recorder changes nothing
}

// CloseVersion implements document.Store.
func (r recorded) CloseVersion(ctx context.Context, workspace, id string, number int, reason string) error {
	return r.versions.CloseVersion(ctx, workspace, id, number, reason) //nolint:wrapcheck // a recorder changes nothing
}

// ofDocument sends a write about a document.
func (n network) ofDocument(ctx context.Context, op drills.Op, id string, write func(context.Context) error) error {
	return n.p.send(ctx, op, document.ScopeOf(id), func(ctx context.Context) (any, error) { return nil, write(ctx) }).err
}

// CreateDocument implements document.Store.
func (n network) CreateDocument(ctx context.Context, record idempotency.Record, d document.Document, v document.Version) error {
	return n.ofDocument(ctx, drills.Accept, d.ID, func(ctx context.Context) error { return n.Store.CreateDocument(ctx, record, d, v) })
}

// AddVersion implements document.Store.
func (n network) AddVersion(ctx context.Context, record idempotency.Record, d document.Document, v document.Version) error {
	return n.ofDocument(ctx, drills.Accept, d.ID, func(ctx context.Context) error { return n.Store.AddVersion(ctx, record, d, v) })
}

// TakeVersion implements indexing.Store.
func (n network) TakeVersion(ctx context.Context, w indexing.Writer) error {
	return n.ofDocument(ctx, drills.TakeVersion, w.Document, func(ctx context.Context) error { return n.Store.TakeVersion(ctx, w) })
}

// WriteEntries implements indexing.Store. Nothing is sent for no entries.
func (n network) WriteEntries(ctx context.Context, w indexing.Writer, entries []indexing.Entry) error {
	if len(entries) == 0 {
		return nil
	}
	return n.ofDocument(ctx, drills.WriteEntries, w.Document, func(ctx context.Context) error { return n.Store.WriteEntries(ctx, w, entries) })
}

// Publish implements indexing.Store.
func (n network) Publish(ctx context.Context, w indexing.Writer, s indexing.Summary) error {
	return n.ofDocument(ctx, drills.PublishVersion, w.Document, func(ctx context.Context) error { return n.Store.Publish(ctx, w, s) })
}

// FailVersion implements indexing.Store.
func (n network) FailVersion(ctx context.Context, w indexing.Writer, reason string) error {
	return n.ofDocument(ctx, drills.FailVersion, w.Document, func(ctx context.Context) error { return n.Store.FailVersion(ctx, w, reason) })
}

// Version implements document.Store.
func (n network) Version(ctx context.Context, workspace, id string, number int) (document.Version, error) {
	n.p.barrier()
	return n.Store.Version(ctx, workspace, id, number) //nolint:wrapcheck // a network changes nothing
}

// Text implements document.Store.
func (n network) Text(ctx context.Context, workspace, id string, number int) (document.Version, error) {
	n.p.barrier()
	return n.Store.Text(ctx, workspace, id, number) //nolint:wrapcheck // a network changes nothing
}

// ListEntries implements indexing.Store.
func (n network) ListEntries(ctx context.Context, t indexing.Target) ([]indexing.Stored, error) {
	n.p.barrier()
	return n.Store.ListEntries(ctx, t) //nolint:wrapcheck // a network changes nothing
}
