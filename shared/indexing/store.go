package indexing

import (
	"context"
	"errors"
)

// Target is a version and the pipeline that its entries are made with.
type Target struct {
	Workspace string
	Document  string
	Number    int
	Pipeline  string
}

// Writer is the right to write entries of a version: that of the assignment
// with the version Assignment, as long as no later one has taken it.
type Writer struct {
	Target
	Assignment int64
}

var (
	// ErrReplaced: a later assignment has taken the right to write, or the version
	// is not being indexed any more. Nothing was written.
	ErrReplaced = errors.New("another writer has the version, or it is indexed no more")
	// ErrDiffers: an entry of that key is there with another body. Entries are never
	// overwritten; two attempts that make different ones are a fault of the pipeline.
	ErrDiffers = errors.New("an entry with another body is there")
	// ErrDeleted: the document was deleted. Nothing was written.
	ErrDeleted = errors.New("the document was deleted")
)

// Store keeps the entries of versions. Besides those above its errors are those
// of package storeerror.
//
// Why a fence of its own, beside the task's: entries are other items than the
// task, and a condition on one item says nothing about another. The version's
// item carries the highest assignment version that has begun to write, and every
// write of entries checks it.
//
//	A: claims (1), takes the version (1), freezes.
//	B: claims (2), takes the version (2), writes some entries.
//	A: wakes up, writes entries: refused, the version is at 2.
type Store interface {
	// TakeVersion makes w the writer if the version is being indexed and nobody with
	// a higher assignment has it. Taking what one has already is success.
	TakeVersion(ctx context.Context, w Writer) error
	// WriteEntries keeps entries, all or none of a call, if w is the writer. An entry
	// that is there with the same body is left as it is. Callers keep to
	// MaxEntries and MaxBytes.
	WriteEntries(ctx context.Context, w Writer, entries []Entry) error
	// ListEntries describes the entries of the target in the order of stages and
	// parts, strongly consistently.
	ListEntries(ctx context.Context, t Target) ([]Stored, error)
	// ReadEntries reads bodies by key, in no order; what is not there is left out, and
	// a body that does not match its hash is storeerror.ErrCorrupt.
	ReadEntries(ctx context.Context, t Target, keys []Key) ([]Entry, error)
	// Publish makes the version ready with the summary, if w is the writer, and
	// in the same write moves the document's current version up to it, if it is
	// above. A version that a newer one has overtaken becomes ready alone.
	Publish(ctx context.Context, w Writer, s Summary) error
	// FailVersion makes the version failed for a reason, if w is the writer.
	FailVersion(ctx context.Context, w Writer, reason string) error
}

// Reader reads entries of versions that are ready: what is read of them is always
// the same.
type Reader interface {
	ReadEntries(ctx context.Context, t Target, keys []Key) ([]Entry, error)
}

// Limits of one WriteEntries, below those of the database's transactions.
const (
	MaxEntries    = 90
	MaxBytes      = 3 << 20
	MaxEntryBytes = 300 << 10
)
