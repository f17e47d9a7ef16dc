package conversation

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/replyonce/replyonce/shared/document"
	"github.com/replyonce/replyonce/shared/idempotency"
	"github.com/replyonce/replyonce/shared/identity"
	"github.com/replyonce/replyonce/shared/keyed"
	"github.com/replyonce/replyonce/shared/prices"
	"github.com/replyonce/replyonce/shared/storeerror"
	"github.com/replyonce/replyonce/shared/taskflow"
	"github.com/replyonce/replyonce/shared/telemetry"
	"github.com/replyonce/replyonce/shared/worktask"
)

// Names of the keyed operations. They are part of stored data and never change.
const (
	OperationCreate     = "create_conversation"
	OperationSubmit     = "submit"
	OperationRegenerate = "regenerate"
)

// Documents reads what a question is about.
type Documents interface {
	// Document reads one strongly consistently; storeerror.ErrNotFound.
	Document(ctx context.Context, workspace, id string) (document.Document, error)
	// Version reads a version's description; storeerror.ErrNotFound.
	Version(ctx context.Context, workspace, id string, number int) (document.Version, error)
}

// Service has the use cases.
type Service struct {
	Store     Store
	Documents Documents
	Writer    taskflow.Writer
	Evidence  taskflow.EvidenceStore
	Objects   taskflow.Objects
	Queue     taskflow.Queue
	Creator   keyed.Creator

	NewID     func() string // a ULID, later than every one before
	Now       func() time.Time
	Timers    worktask.Timers
	OnUnknown worktask.UnknownPolicy // of new tasks that name none
	// OnUnknownAllowed is what a request may name; empty: OnUnknown alone.
	OnUnknownAllowed []worktask.UnknownPolicy
	Money            worktask.Money // of new tasks; the zero value counts none
	Model            string         // of new tasks; empty: the provider's own
	Prices           prices.Table   // to show what tasks cost; empty: nothing is priced
	Currency         string         // of the prices

	Log     *slog.Logger
	Metrics telemetry.Metrics
}

// Path is where a conversation is read.
func Path(id string) string { return "/v1/conversations/" + id }

// TaskPath is where a reply task is read.
func TaskPath(conversation, task string) string { return Path(conversation) + "/tasks/" + task }

// conversationOf is the id in the target of a conversation's record.
func conversationOf(target string) string { return strings.TrimPrefix(target, Path("")) }

// taskOf reads the ids in the target of a task's record.
func taskOf(target string) (conversation, task string, err error) {
	conversation, task, found := strings.Cut(strings.TrimPrefix(target, Path("")), "/tasks/")
	if !found {
		return "", "", fmt.Errorf("idempotency record points to %q, which is no task", target)
	}
	return conversation, task, nil
}

func scope(caller identity.Caller, operation string) idempotency.Scope {
	return idempotency.Scope{Workspace: caller.Workspace, Caller: caller.ID, Operation: operation}
}

// own reads a conversation and hides those of other callers.
func (s Service) own(ctx context.Context, caller identity.Caller, id string) (Conversation, error) {
	c, err := s.Store.Conversation(ctx, caller.Workspace, id)
	if err != nil {
		return Conversation{}, fmt.Errorf("read conversation: %w", err)
	}
	if c.Caller != caller.ID {
		return Conversation{}, fmt.Errorf("conversation %s of another caller: %w", id, storeerror.ErrNotFound)
	}
	return c, nil
}

// ownTask reads a task and hides those of other callers.
func (s Service) ownTask(ctx context.Context, caller identity.Caller, conversation, id string) (worktask.Task, error) {
	t, err := s.Writer.Tasks.Get(ctx, TaskRef(caller.Workspace, conversation, id))
	if err != nil {
		return worktask.Task{}, fmt.Errorf("read task: %w", err)
	}
	if t.Caller != caller.ID {
		return worktask.Task{}, fmt.Errorf("task %s of another caller: %w", t.Ref, storeerror.ErrNotFound)
	}
	return t, nil
}

// refuse answers a keyed call whose inputs were refused by something that may
// have changed since the first send. A repeat of an accepted call is no new
// request: it gets what the first one made.
//
//	1st send: accepted, answer lost.    operator: deletes the document.
//	2nd send: must name the task, not say "no such document".
func (s Service) refuse(ctx context.Context, request keyed.Request, refusal error) (keyed.Outcome, error) {
	outcome, found, err := s.Creator.Find(ctx, request)
	if err != nil || found {
		return outcome, err
	}
	return keyed.Outcome{}, refusal
}

// gone turns "not found" behind a record into the answer that something was
// made and is no longer there.
func gone(err error, made idempotency.Record) error {
	if errors.Is(err, storeerror.ErrNotFound) {
		return &keyed.GoneError{Location: made.Target, ReplayUntil: made.ReplayUntil}
	}
	return err
}

// now is the clock in the precision that stores keep, so that the first answer
// and a later read show the same.
func (s Service) now() time.Time { return s.Now().UTC().Truncate(time.Millisecond) }
