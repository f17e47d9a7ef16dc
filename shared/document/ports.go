package document

import (
	"context"

	"github.com/replyonce/replyonce/shared/idempotency"
	"github.com/replyonce/replyonce/shared/worktask"
)

// Store keeps documents. The creating writes are one transaction each with the
// idempotency record. Their errors are those of package storeerror.
type Store interface {
	Remains
	// CloseVersion is that of Versions.
	CloseVersion(ctx context.Context, workspace, id string, number int, reason string) error
	// CreateDocument writes record, document, card, first version and its parts.
	CreateDocument(ctx context.Context, record idempotency.Record, d Document, v Version) error
	// AddVersion writes record, version v and its parts and moves the counter
	// of d from v.Number-1 to v.Number; storeerror.ErrExists when the counter
	// stands elsewhere.
	AddVersion(ctx context.Context, record idempotency.Record, d Document, v Version) error

	// DeleteDocument puts t on the document, removes its card and accepts the task
	// that t names, in one write. previous is the task of the tombstone that is there,
	// empty for a document that is not deleted; storeerror.ErrExists when it is
	// otherwise. From then on the document cannot be read, and gets no version.
	DeleteDocument(ctx context.Context, t Tombstone, previous string, task worktask.Task) error

	// Document reads one strongly consistently; one that is deleted is not found.
	Document(ctx context.Context, workspace, id string) (Document, error)
	// Version reads the description of a version, without its text, strongly
	// consistently.
	Version(ctx context.Context, workspace, id string, number int) (Version, error)
	// Versions reads the descriptions of all versions, oldest first.
	Versions(ctx context.Context, workspace, id string) ([]Version, error)
	// TextOf adds its text to a version that was read without, and checks it against
	// the stored hash.
	TextOf(ctx context.Context, v Version) (Version, error)
	// Text reads a version with its text, as Version and TextOf do together.
	Text(ctx context.Context, workspace, id string, number int) (Version, error)
	// Documents reads the workspace's documents, newest first.
	Documents(ctx context.Context, workspace, after string, limit int) (List, error)
}
