package erasework

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"

	"github.com/replyonce/replyonce/shared/document"
	"github.com/replyonce/replyonce/shared/storeerror"
	"github.com/replyonce/replyonce/shared/taskflow"
	"github.com/replyonce/replyonce/shared/worktask"
)

// Objects removes uploaded files.
type Objects interface {
	// DeleteObject removes an object; one that is not there is success.
	DeleteObject(ctx context.Context, key string) error
}

// Kind is the erase kind for the task flow.
type Kind struct {
	Remains document.Remains
	Objects Objects
}

var _ taskflow.Kind = Kind{}

// Prepare reads the tombstone. A document without one is not touched.
func (k Kind) Prepare(ctx context.Context, t worktask.Task) (taskflow.Work, error) {
	id, ok := strings.CutPrefix(t.Scope, document.ScopeOf(""))
	if !ok || id == "" {
		return nil, &taskflow.PermanentError{Reason: worktask.DocumentUnreadable, Err: fmt.Errorf("scope %q of an erase task names no document", t.Scope)}
	}
	_, err := k.Remains.Tombstone(ctx, t.Workspace, id)
	if errors.Is(err, storeerror.ErrNotFound) {
		return nil, &taskflow.PermanentError{Reason: worktask.DocumentUnreadable, Err: fmt.Errorf("erase: %w", err)}
	}
	if err != nil {
		return nil, fmt.Errorf("erase: %w", err)
	}
	return work{kind: k, workspace: t.Workspace, document: id}, nil
}

// Result says what an attempt has removed; earlier attempts may have removed more.
type Result struct {
	Versions int `json:"versions"`
	Contents int `json:"contents"` // parts of texts and entries of indexes
	Objects  int `json:"objects"`
}

// Encode gives the task's result body.
func (r Result) Encode() string {
	b, err := json.Marshal(r)
	if err != nil {
		panic(fmt.Sprintf("encode %T: %v", r, err)) // three numbers
	}
	return string(b)
}
