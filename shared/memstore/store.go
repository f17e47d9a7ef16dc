// Package memstore keeps everything in memory, for tests and for tools that
// need no durability. It is as strict as the database it stands for: every
// change of a task is decided by the transition itself, under one lock; times
// are cut to what a database keeps; sizes are refused in bytes; nothing that it
// hands out shares memory with what it holds. A store that accepts a stale
// version in a test would hide the very fault that the test looks for.
package memstore

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/replyonce/replyonce/shared/conversation"
	"github.com/replyonce/replyonce/shared/document"
	"github.com/replyonce/replyonce/shared/idempotency"
	"github.com/replyonce/replyonce/shared/storeerror"
	"github.com/replyonce/replyonce/shared/upload"
	"github.com/replyonce/replyonce/shared/worktask"
)

// Options are ways in which real engines differ.
type Options struct {
	// HideOldItem leaves the item that was seen out of condition errors, as
	// engines do that cannot return it; callers then have to read.
	HideOldItem bool
}

// Store implements the store interfaces of the use cases. The zero value is not
// usable; make one with New. It is safe for concurrent use.
type Store struct {
	options Options

	mu            sync.Mutex
	tasks         map[worktask.Ref]worktask.Task
	evidence      map[evidenceKey]worktask.Evidence
	attempts      map[evidenceKey]worktask.AttemptRecord
	records       map[string]idempotency.Record // by idempotency address
	conversations map[conversationKey]conversation.Conversation
	messages      map[worktask.Ref]conversation.Message // addressed like tasks: both are log entries
	documents     map[documentKey]document.Document
	tombstones    map[documentKey]document.Tombstone // of what is in documents no more
	versions      map[versionKey]document.Version
	entries       map[entryKey]keptEntry
	uploads       map[uploadKey]upload.Upload
	objects       map[string][]byte
}

// New makes an empty store.
func New(options Options) *Store {
	return &Store{
		options:       options,
		tasks:         map[worktask.Ref]worktask.Task{},
		evidence:      map[evidenceKey]worktask.Evidence{},
		attempts:      map[evidenceKey]worktask.AttemptRecord{},
		records:       map[string]idempotency.Record{},
		conversations: map[conversationKey]conversation.Conversation{},
		messages:      map[worktask.Ref]conversation.Message{},
		documents:     map[documentKey]document.Document{},
		tombstones:    map[documentKey]document.Tombstone{},
		versions:      map[versionKey]document.Version{},
		entries:       map[entryKey]keptEntry{},
		uploads:       map[uploadKey]upload.Upload{},
		objects:       map[string][]byte{},
	}
}

type conversationKey struct{ workspace, id string }

type documentKey struct{ workspace, id string }

type versionKey struct {
	documentKey
	number int
}

type evidenceKey struct {
	ref     worktask.Ref
	version int64
}

// reachable is the check that a network client makes for free: a call whose
// context is over is never sent.
func reachable(ctx context.Context) error {
	if ctx.Err() == nil {
		return nil
	}
	return fmt.Errorf("%w: %w", storeerror.ErrUnavailable, context.Cause(ctx))
}

// millis cuts a time to the precision of the database.
func millis(t time.Time) time.Time {
	if t.IsZero() {
		return time.Time{}
	}
	return time.UnixMilli(t.UnixMilli()).UTC()
}
