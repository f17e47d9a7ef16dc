package dynamostore

import (
	"context"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/replyonce/replyonce/shared/conversation"
	"github.com/replyonce/replyonce/shared/dynamoschema"
	"github.com/replyonce/replyonce/shared/idempotency"
	"github.com/replyonce/replyonce/shared/worktask"
)

// CreateConversation implements conversation.Store.
func (s *Store) CreateConversation(ctx context.Context, record idempotency.Record, c conversation.Conversation) error {
	err := s.createAll(ctx, record,
		newPut{"conversation", conversationItem(c)},
		newPut{"conversation card", conversationCard(c)})
	if err != nil {
		return fmt.Errorf("create conversation %s: %w", c.ID, err)
	}
	return nil
}

// AcceptMessage implements conversation.Store.
func (s *Store) AcceptMessage(ctx context.Context, record idempotency.Record, m conversation.Message, t worktask.Task) error {
	err := s.createAll(ctx, record, newPut{"message", messageItem(m)}, newPut{"task", taskItem(t)})
	if err != nil {
		return fmt.Errorf("accept message %s: %w", m.ID, err)
	}
	return nil
}

// AcceptTask implements conversation.Store.
func (s *Store) AcceptTask(ctx context.Context, record idempotency.Record, t worktask.Task) error {
	if err := s.createAll(ctx, record, newPut{"task", taskItem(t)}); err != nil {
		return fmt.Errorf("accept task %s: %w", t.Ref, err)
	}
	return nil
}

// newPut is an item that must not be there yet.
type newPut struct {
	what string
	item item
}

// createAll makes a creating transaction of new items only.
func (s *Store) createAll(ctx context.Context, record idempotency.Record, puts ...newPut) error {
	actions := make([]types.TransactWriteItem, 0, len(puts))
	for _, p := range puts {
		action, err := s.putNew(p.what, p.item)
		if err != nil {
			return err
		}
		actions = append(actions, action)
	}
	return s.create(ctx, record, actions...)
}

// Conversation implements conversation.Store.
func (s *Store) Conversation(ctx context.Context, workspace, id string) (conversation.Conversation, error) {
	it, err := s.get(ctx, dynamoschema.ConversationKey(workspace, conversation.Scope(id)))
	if err != nil {
		return conversation.Conversation{}, fmt.Errorf("read conversation %s: %w", id, err)
	}
	r := &itemReader{item: it}
	c := conversation.Conversation{
		Workspace: workspace,
		ID:        id,
		Caller:    r.required(dynamoschema.Caller),
		Title:     r.text(dynamoschema.Title),
		Document:  r.text(dynamoschema.Document),
		CreatedAt: r.millis(dynamoschema.CreatedAt),
	}
	if r.err != nil {
		return conversation.Conversation{}, fmt.Errorf("decode conversation %s: %w", id, r.err)
	}
	return c, nil
}

func conversationItem(c conversation.Conversation) item {
	w := newItem(dynamoschema.ConversationKey(c.Workspace, conversation.Scope(c.ID)))
	w.text(dynamoschema.Caller, c.Caller)
	writeConversation(w, c)
	return w.item
}

// conversationCard is what the caller's list shows; the key has the caller.
func conversationCard(c conversation.Conversation) item {
	w := newItem(dynamoschema.Key{PK: dynamoschema.ConversationCardPK(c.Workspace, c.Caller), SK: c.ID})
	writeConversation(w, c)
	return w.item
}

func writeConversation(w itemWriter, c conversation.Conversation) {
	w.text(dynamoschema.Title, c.Title)
	w.text(dynamoschema.Document, c.Document)
	w.millis(dynamoschema.CreatedAt, c.CreatedAt)
}

// List implements conversation.Store.
func (s *Store) List(ctx context.Context, workspace, caller, after string, limit int) (conversation.List, error) {
	cards, next, err := s.cards(ctx, dynamoschema.ConversationCardPK(workspace, caller), after, limit)
	if err != nil {
		return conversation.List{}, fmt.Errorf("list conversations: %w", err)
	}
	list := conversation.List{After: next}
	for _, card := range cards {
		r := &itemReader{item: card}
		list.Conversations = append(list.Conversations, conversation.Conversation{
			Workspace: workspace,
			ID:        r.required(dynamoschema.SK),
			Caller:    caller,
			Title:     r.text(dynamoschema.Title),
			Document:  r.text(dynamoschema.Document),
			CreatedAt: r.millis(dynamoschema.CreatedAt),
		})
		if r.err != nil {
			return conversation.List{}, fmt.Errorf("decode conversation card: %w", r.err)
		}
	}
	return list, nil
}
