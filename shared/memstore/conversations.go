package memstore

import (
	"context"
	"fmt"
	"slices"

	"github.com/replyonce/replyonce/shared/conversation"
	"github.com/replyonce/replyonce/shared/idempotency"
	"github.com/replyonce/replyonce/shared/storeerror"
	"github.com/replyonce/replyonce/shared/worktask"
)

// CreateConversation implements conversation.Store.
func (s *Store) CreateConversation(ctx context.Context, record idempotency.Record, c conversation.Conversation) error {
	key := conversationKey{c.Workspace, c.ID}
	c.CreatedAt = millis(c.CreatedAt)
	err := checkItem("conversation", conversationBytes(c))
	if err == nil {
		err = s.create(ctx, record,
			func() bool { _, taken := s.conversations[key]; return taken },
			func() { s.conversations[key] = c })
	}
	if err != nil {
		return fmt.Errorf("create conversation %s: %w", c.ID, err)
	}
	return nil
}

// AcceptMessage implements conversation.Store.
func (s *Store) AcceptMessage(ctx context.Context, record idempotency.Record, m conversation.Message, t worktask.Task) error {
	m = storedMessage(m)
	t = storedTask(t)
	ref := conversation.TaskRef(m.Workspace, m.Conversation, m.ID)
	err := checkItem("message", messageBytes(m))
	if err == nil {
		err = checkItem("task", taskBytes(t))
	}
	if err == nil {
		err = s.create(ctx, record,
			func() bool { return s.entryTaken(ref) || s.entryTaken(t.Ref) || ref == t.Ref },
			func() { s.messages[ref], s.tasks[t.Ref] = m, t })
	}
	if err != nil {
		return fmt.Errorf("accept message %s: %w", m.ID, err)
	}
	return nil
}

// AcceptTask implements conversation.Store.
func (s *Store) AcceptTask(ctx context.Context, record idempotency.Record, t worktask.Task) error {
	t = storedTask(t)
	err := checkItem("task", taskBytes(t))
	if err == nil {
		err = s.create(ctx, record,
			func() bool { return s.entryTaken(t.Ref) },
			func() { s.tasks[t.Ref] = t })
	}
	if err != nil {
		return fmt.Errorf("accept task %s: %w", t.Ref, err)
	}
	return nil
}

// entryTaken reports whether a message or a task has the place in the log.
func (s *Store) entryTaken(ref worktask.Ref) bool {
	_, isTask := s.tasks[ref]
	_, isMessage := s.messages[ref]
	return isTask || isMessage
}

// Conversation implements conversation.Store.
func (s *Store) Conversation(ctx context.Context, workspace, id string) (conversation.Conversation, error) {
	if err := reachable(ctx); err != nil {
		return conversation.Conversation{}, fmt.Errorf("read conversation %s: %w", id, err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	c, found := s.conversations[conversationKey{workspace, id}]
	if !found {
		return conversation.Conversation{}, fmt.Errorf("read conversation %s: %w", id, storeerror.ErrNotFound)
	}
	return c, nil
}

// Message implements conversation.Store.
func (s *Store) Message(ctx context.Context, workspace, conversationID, id string) (conversation.Message, error) {
	found, err := s.Messages(ctx, workspace, conversationID, []string{id})
	if err != nil {
		return conversation.Message{}, err
	}
	if len(found) == 0 {
		return conversation.Message{}, fmt.Errorf("read message %s: %w", id, storeerror.ErrNotFound)
	}
	return found[0], nil
}

// Messages implements conversation.Store.
func (s *Store) Messages(ctx context.Context, workspace, conversationID string, ids []string) ([]conversation.Message, error) {
	if err := reachable(ctx); err != nil {
		return nil, fmt.Errorf("read %d messages of conversation %s: %w", len(ids), conversationID, err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	var found []conversation.Message
	for _, id := range unique(ids) {
		if m, ok := s.messages[conversation.TaskRef(workspace, conversationID, id)]; ok {
			found = append(found, storedMessage(m))
		}
	}
	return found, nil
}

// Earlier implements conversation.Store.
func (s *Store) Earlier(ctx context.Context, workspace, conversationID string, tasks []string) ([]worktask.Task, error) {
	if err := reachable(ctx); err != nil {
		return nil, fmt.Errorf("read %d earlier tasks of conversation %s: %w", len(tasks), conversationID, err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	var found []worktask.Task
	for _, id := range unique(tasks) {
		if t, ok := s.tasks[conversation.TaskRef(workspace, conversationID, id)]; ok && t.Status == worktask.Completed {
			found = append(found, t)
		}
	}
	return found, nil
}

// unique keeps the first of equal ids, in order.
func unique(ids []string) []string {
	var out []string
	for _, id := range ids {
		if !slices.Contains(out, id) {
			out = append(out, id)
		}
	}
	return out
}

// storedMessage is a copy that shares no memory.
func storedMessage(m conversation.Message) conversation.Message {
	m.CreatedAt = millis(m.CreatedAt)
	m.History = slices.Clone(m.History)
	if len(m.History) == 0 {
		m.History = nil // an empty list is not stored
	}
	return m
}
