package taskflow

import (
	"context"
	"time"

	"github.com/replyonce/replyonce/shared/worktask"
)

// Tasks is the store of tasks: one conditional write at a time, and reads that
// see every write that was acknowledged before.
type Tasks interface {
	// Apply makes the write of tr and returns the task after it. The errors
	// are *ConditionError when the condition did not hold (nothing written),
	// storeerror.ErrWriteUnknown when the acknowledgement was lost, and
	// storeerror.ErrUnavailable when nothing was written.
	Apply(ctx context.Context, ref worktask.Ref, tr worktask.Transition) (worktask.Task, error)
	// Get reads the task strongly consistently; storeerror.ErrNotFound.
	Get(ctx context.Context, ref worktask.Ref) (worktask.Task, error)
}

// ConditionError says that the condition of a write did not hold. Stores report
// the fact and the item they saw, where the engine told it; what it means is
// decided here.
type ConditionError struct {
	Transition string
	// Seen is the item as the failed write found it; nil when the engine does
	// not tell, or when there is no such item.
	Seen *worktask.Task
}

func (e *ConditionError) Error() string { return e.Transition + ": the condition did not hold" }

// Handoffs reads the index of due handoffs.
type Handoffs interface {
	// DueHandoffs lists tasks of one shard whose due time is at or before now,
	// oldest first, from cursor on. The list is a hint: it may lag behind the
	// tasks. An empty page with a cursor is not the last one.
	DueHandoffs(ctx context.Context, shard int, now time.Time, limit int, cursor string) (DuePage, error)
}

// DuePage is a page of the index.
type DuePage struct {
	Due    []DueHandoff
	Cursor string // of the next page; empty: none
}

// DueHandoff is an index entry.
type DueHandoff struct {
	Ref   worktask.Ref
	DueAt time.Time
}

// HandoffShards is how many shards the index of due handoffs has.
const HandoffShards = 8

// EvidenceStore keeps what is known of refused answers, and of attempts whose
// end nobody saw.
type EvidenceStore interface {
	// PutEvidence keeps e unless evidence of that assignment is there already.
	PutEvidence(ctx context.Context, e worktask.Evidence) error
	// ListEvidence reads the evidence of a task, by assignment version.
	ListEvidence(ctx context.Context, ref worktask.Ref) ([]worktask.Evidence, error)
	// PutAttempt keeps r unless a record of that assignment is there already.
	PutAttempt(ctx context.Context, r worktask.AttemptRecord) error
	// ListAttempts reads the records of a task's attempts, by assignment version.
	ListAttempts(ctx context.Context, ref worktask.Ref) ([]worktask.AttemptRecord, error)
}

// Objects keeps bodies that are too large for an item.
type Objects interface {
	// PutObject writes the body unless the key is taken; a key that is taken by
	// the same bytes is success.
	PutObject(ctx context.Context, key string, body []byte) error
	// GetObject reads the body; storeerror.ErrNotFound.
	GetObject(ctx context.Context, key string) ([]byte, error)
}

// Queue publishes handoffs.
type Queue interface {
	Publish(ctx context.Context, ref worktask.Ref) error
}
