package document

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/replyonce/replyonce/shared/idempotency"
	"github.com/replyonce/replyonce/shared/identity"
	"github.com/replyonce/replyonce/shared/keyed"
	"github.com/replyonce/replyonce/shared/storeerror"
)

// Names of the keyed operations. They are part of stored data and never change.
const (
	OperationCreate     = "create_document"
	OperationAddVersion = "add_document_version"
	OperationUploaded   = "complete_upload" // its key is the upload's id
)

// Service has the use cases.
type Service struct {
	Store   Store
	Creator keyed.Creator
	Texts   Texts         // of versions that were files
	Index   *IndexTasks   // nil: every version is read whole
	NewID   func() string // a ULID, later than every one before
	Now     func() time.Time
}

// Described is a document with the descriptions of its versions, oldest first.
type Described struct {
	Document
	Versions []Version
}

// Made is what a creating call made, now or, when it is replayed, earlier.
type Made struct {
	Described
	Outcome  keyed.Outcome
	Location string // path of what was made: the document, or the version
}

// Path is where a document is read.
func Path(id string) string { return "/v1/documents/" + id }

// VersionPath is where a version is read.
func VersionPath(id string, number int) string { return Path(id) + "/versions/" + strconv.Itoa(number) }

// Location is the path in a record's target. Behind a "#" the target of a
// version says which request made it: two requests may want one number.
func Location(target string) string {
	path, _, _ := strings.Cut(target, "#")
	return path
}

// documentOf is the id in a target.
func documentOf(target string) string {
	id, _, _ := strings.Cut(strings.TrimPrefix(Location(target), Path("")), "/")
	return id
}

func scope(caller identity.Caller, operation string) idempotency.Scope {
	return idempotency.Scope{Workspace: caller.Workspace, Caller: caller.ID, Operation: operation}
}

// made reads what stands under the key: the latest state, whoever made it.
func (s Service) made(ctx context.Context, workspace string, outcome keyed.Outcome) (Made, error) {
	location := Location(outcome.Record.Target)
	described, err := s.Get(ctx, workspace, documentOf(outcome.Record.Target))
	if errors.Is(err, storeerror.ErrNotFound) {
		return Made{Outcome: outcome}, &keyed.GoneError{Location: location, ReplayUntil: outcome.Record.ReplayUntil}
	}
	if err != nil {
		return Made{Outcome: outcome}, fmt.Errorf("read what the key made: %w", err)
	}
	return Made{Described: described, Outcome: outcome, Location: location}, nil
}
