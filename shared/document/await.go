package document

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/replyonce/replyonce/shared/worktask"
)

// AwaitName is what a task stores that waits for a version to be ready.
func AwaitName(id string, number int) string { return id + "/" + strconv.Itoa(number) }

// ParseAwaitName reads what AwaitName made.
func ParseAwaitName(name string) (id string, number int, err error) {
	id, digits, _ := strings.Cut(name, "/")
	number, err = strconv.Atoi(digits)
	if err != nil || number < 1 || id == "" || name != AwaitName(id, number) {
		return "", 0, fmt.Errorf("%q names no version to wait for", name)
	}
	return id, number, nil
}

// Tasks reads index tasks.
type Tasks interface {
	Get(ctx context.Context, ref worktask.Ref) (worktask.Task, error)
}

// Versions reads descriptions of versions, and closes those that no task makes
// ready any more.
type Versions interface {
	Version(ctx context.Context, workspace, id string, number int) (Version, error)
	// CloseVersion makes a version failed that is still being indexed, for a reason. A
	// version that is so no more is left as it is, which is success.
	CloseVersion(ctx context.Context, workspace, id string, number int, reason string) error
}

// Settle is the version as it is for a reader: one whose task has ended without
// making it ready is failed. Nobody may have been left to write so, hence whoever
// finds it does, and shows what the write came to. Without the write a publication
// that is still on its way would make a version ready that was shown as failed.
//
//	worker: takes the version; its publication is under way.
//	dispatcher: ends the task for its deadline. It knows nothing of versions.
//	reader: closes the version. The publication is refused from here on.
func Settle(ctx context.Context, versions Versions, tasks Tasks, v Version) (Version, error) {
	if v.State != Indexing {
		return v, nil
	}
	ref := worktask.Ref{Workspace: v.Workspace, Scope: ScopeOf(v.Document), ID: v.Index.Task}
	t, err := tasks.Get(ctx, ref)
	if err != nil {
		return Version{}, fmt.Errorf("read index task of version %d of document %s: %w", v.Number, v.Document, err)
	}
	switch t.Status {
	case worktask.Pending, worktask.Running:
		return v, nil
	case worktask.Failed:
		err = versions.CloseVersion(ctx, v.Workspace, v.Document, v.Number, string(t.FailureReason))
	case worktask.Cancelled:
		err = versions.CloseVersion(ctx, v.Workspace, v.Document, v.Number, string(worktask.Cancelled))
	case worktask.Completed: // published since the version was read
	}
	if err != nil {
		return Version{}, fmt.Errorf("close version %d of document %s: %w", v.Number, v.Document, err)
	}
	return versions.Version(ctx, v.Workspace, v.Document, v.Number) //nolint:wrapcheck // as of the first read
}
