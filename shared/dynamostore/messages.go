package dynamostore

import (
	"context"
	"fmt"
	"slices"

	"github.com/replyonce/replyonce/shared/conversation"
	"github.com/replyonce/replyonce/shared/dynamoschema"
	"github.com/replyonce/replyonce/shared/storeerror"
	"github.com/replyonce/replyonce/shared/worktask"
)

func messageItem(m conversation.Message) item {
	w := newItem(dynamoschema.EntryKey(m.Workspace, conversation.Scope(m.Conversation), m.ID))
	w.text(dynamoschema.Entry, dynamoschema.EntryMessage)
	w.text(dynamoschema.Text, m.Text)
	w.text(dynamoschema.Document, m.Document)
	w.number(dynamoschema.DocumentVersion, int64(m.Version))
	w.texts(dynamoschema.History, m.History)
	w.millis(dynamoschema.CreatedAt, m.CreatedAt)
	return w.item
}

func messageFrom(conversationID string, it item) (conversation.Message, error) {
	r := &itemReader{item: it}
	ref, err := refFrom(r)
	if err != nil {
		return conversation.Message{}, err
	}
	m := conversation.Message{
		Workspace:    ref.Workspace,
		Conversation: conversationID,
		ID:           ref.ID,
		Text:         r.text(dynamoschema.Text),
		Document:     r.text(dynamoschema.Document),
		Version:      r.count(dynamoschema.DocumentVersion),
		History:      r.texts(dynamoschema.History),
		CreatedAt:    r.millis(dynamoschema.CreatedAt),
	}
	if r.err != nil {
		return conversation.Message{}, fmt.Errorf("decode message %s: %w", ref, r.err)
	}
	return m, nil
}

// Message implements conversation.Store.
func (s *Store) Message(ctx context.Context, workspace, conversationID, id string) (conversation.Message, error) {
	it, err := s.get(ctx, dynamoschema.EntryKey(workspace, conversation.Scope(conversationID), id))
	if err != nil {
		return conversation.Message{}, fmt.Errorf("read message %s: %w", id, err)
	}
	if !isEntry(it, dynamoschema.EntryMessage) {
		return conversation.Message{}, fmt.Errorf("read message %s: %w", id, storeerror.ErrNotFound)
	}
	return messageFrom(conversationID, it)
}

// Messages implements conversation.Store. The order is that of the ids.
func (s *Store) Messages(ctx context.Context, workspace, conversationID string, ids []string) ([]conversation.Message, error) {
	entries, err := s.entries(ctx, workspace, conversationID, ids, dynamoschema.EntryMessage)
	if err != nil {
		return nil, fmt.Errorf("read %d messages of conversation %s: %w", len(ids), conversationID, err)
	}
	var messages []conversation.Message
	for _, it := range entries {
		m, err := messageFrom(conversationID, it)
		if err != nil {
			return nil, err
		}
		messages = append(messages, m)
	}
	return messages, nil
}

// Earlier implements conversation.Store. The order is that of the ids. The read
// is strongly consistent: two attempts of one task must build one prompt.
func (s *Store) Earlier(ctx context.Context, workspace, conversationID string, tasks []string) ([]worktask.Task, error) {
	entries, err := s.entries(ctx, workspace, conversationID, tasks, dynamoschema.EntryTask)
	if err != nil {
		return nil, fmt.Errorf("read %d earlier tasks of conversation %s: %w", len(tasks), conversationID, err)
	}
	var completed []worktask.Task
	for _, it := range entries {
		t, err := taskFrom(it)
		if err != nil {
			return nil, err
		}
		if t.Status == worktask.Completed {
			completed = append(completed, t)
		}
	}
	return completed, nil
}

// entries reads log entries of one kind by their ids, in the order of the ids.
func (s *Store) entries(ctx context.Context, workspace, conversationID string, ids []string, kind string) ([]item, error) {
	var keys []item
	place := map[string]int{} // by sort key
	for _, id := range ids {
		k := dynamoschema.EntryKey(workspace, conversation.Scope(conversationID), id)
		if _, twice := place[k.SK]; twice || id == "" {
			continue // the engine refuses to read one item twice in one batch
		}
		place[k.SK] = len(keys)
		keys = append(keys, key(k))
	}
	found, err := s.batch(ctx, keys)
	if err != nil {
		return nil, err
	}
	found = slices.DeleteFunc(found, func(it item) bool { return !isEntry(it, kind) })
	slices.SortFunc(found, func(a, b item) int { return place[sortKey(a)] - place[sortKey(b)] })
	return found, nil
}

func sortKey(it item) string {
	r := &itemReader{item: it}
	return r.text(dynamoschema.SK)
}
