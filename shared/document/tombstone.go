package document

import (
	"context"
	"fmt"
	"time"
)

// Tombstone is what stays of a deleted document: its id is never free again, and
// conversations about it can say what became of it.
type Tombstone struct {
	Workspace string
	Document  string
	DeletedAt time.Time
	EraseTask string // id of the task that removes what is left
}

// Remains is what a deleted document leaves behind, and how a task removes it, in
// this order:
//
//	tombstone:   no version is added, none becomes current
//	fence:       no writer adds to a version any more
//	contents:    parts and entries; nobody can have added one since
//	version:     last, because it says where the uploaded file is
//
// Removing contents before the fence would leave behind whatever a worker writes
// between the two:
//
//	eraser: removes the entries of version 1.
//	worker: is still its writer, writes one more.
//
// Every step may be repeated, by one task or by two at once.
type Remains interface {
	// Tombstone reads strongly consistently; storeerror.ErrNotFound for a document
	// that is not deleted.
	Tombstone(ctx context.Context, workspace, id string) (Tombstone, error)
	// LeftVersions describes every version that is there, whatever its state, strongly
	// consistently.
	LeftVersions(ctx context.Context, workspace, id string) ([]Version, error)
	// FenceVersion makes a version deleted, whatever its state. One that is not there
	// is not made.
	FenceVersion(ctx context.Context, workspace, id string, number int) error
	// EraseContents removes parts and entries of all versions, at most limit in a
	// call, and says how many it found. None are left when it found none.
	EraseContents(ctx context.Context, workspace, id string, limit int) (int, error)
	// EraseVersion removes the description of a version that is deleted; it leaves
	// one that is not, with storeerror.ErrConflict.
	EraseVersion(ctx context.Context, workspace, id string, number int) error
}

// Fence makes every version of a document that has a tombstone deleted, and
// describes them. There are no others: the tombstone refuses new ones, and it was
// there before this read.
func Fence(ctx context.Context, remains Remains, workspace, id string) ([]Version, error) {
	versions, err := remains.LeftVersions(ctx, workspace, id)
	if err != nil {
		return nil, fmt.Errorf("fence versions: %w", err)
	}
	for _, v := range versions {
		if v.State == Deleted {
			continue
		}
		if err := remains.FenceVersion(ctx, workspace, id, v.Number); err != nil {
			return nil, fmt.Errorf("fence versions: %w", err)
		}
	}
	return versions, nil
}
