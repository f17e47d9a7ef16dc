package conversation

import (
	"context"

	"github.com/replyonce/replyonce/shared/idempotency"
	"github.com/replyonce/replyonce/shared/worktask"
)

// Store keeps conversations. The creating writes are one transaction each with
// the idempotency record, so that neither is ever there without the other.
// Their errors are those of package storeerror.
type Store interface {
	// CreateConversation writes record, conversation and its card.
	CreateConversation(ctx context.Context, record idempotency.Record, c Conversation) error
	// AcceptMessage writes record, message and task.
	AcceptMessage(ctx context.Context, record idempotency.Record, m Message, t worktask.Task) error
	// AcceptTask writes record and task: one more task for an older message.
	AcceptTask(ctx context.Context, record idempotency.Record, t worktask.Task) error

	// Conversation reads one strongly consistently, whoever its caller is.
	Conversation(ctx context.Context, workspace, id string) (Conversation, error)
	// Message reads one strongly consistently.
	Message(ctx context.Context, workspace, conversation, id string) (Message, error)
	// Earlier reads completed tasks and their messages by task ids, for the
	// earlier turns of a prompt. Ids that name no task are left out.
	Earlier(ctx context.Context, workspace, conversation string, tasks []string) ([]worktask.Task, error)
	// Messages reads messages by their ids. Ids that name none are left out.
	Messages(ctx context.Context, workspace, conversation string, ids []string) ([]Message, error)
	// Log reads the newest entries older than before (empty: the newest), at
	// most limit entries and about maxBytes bytes, oldest first.
	Log(ctx context.Context, workspace, conversation, before string, limit, maxBytes int) (Page, error)
	// List reads the caller's conversations, newest first.
	List(ctx context.Context, workspace, caller, after string, limit int) (List, error)
}
