package memstore

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/replyonce/replyonce/shared/conversation"
	"github.com/replyonce/replyonce/shared/worktask"
)

// Log implements conversation.Store. The page's Conversation is left to the
// caller, who has read it to see whose it is.
func (s *Store) Log(ctx context.Context, workspace, conversationID, before string, limit, maxBytes int) (conversation.Page, error) {
	if err := reachable(ctx); err != nil {
		return conversation.Page{}, fmt.Errorf("read log of conversation %s: %w", conversationID, err)
	}
	end, err := parseCursor(before)
	if err != nil {
		return conversation.Page{}, fmt.Errorf("read log of conversation %s: %w", conversationID, err)
	}
	limit = max(limit, 1)
	s.mu.Lock()
	defer s.mu.Unlock()
	ids := s.entryIDs(workspace, conversationID, end)
	var page conversation.Page
	size, kept := 0, 0
	for i := len(ids) - 1; i >= 0 && kept < limit && (kept == 0 || size < maxBytes); i-- {
		size += s.addEntry(&page, conversation.TaskRef(workspace, conversationID, ids[i]))
		kept++
	}
	slices.Reverse(page.Messages)
	slices.Reverse(page.Tasks)
	if kept > 0 && kept < len(ids) {
		page.Before = cursor(ids[len(ids)-kept])
	}
	return page, nil
}

// entryIDs are the entries before end (empty: all), in time order.
func (s *Store) entryIDs(workspace, conversationID, end string) []string {
	var ids []string
	add := func(ref worktask.Ref) {
		if ref.Workspace == workspace && ref.Scope == conversation.Scope(conversationID) && (end == "" || ref.ID < end) {
			ids = append(ids, ref.ID)
		}
	}
	for ref := range s.messages {
		add(ref)
	}
	for ref := range s.tasks {
		add(ref)
	}
	slices.Sort(ids)
	return ids
}

func (s *Store) addEntry(page *conversation.Page, ref worktask.Ref) int {
	if m, found := s.messages[ref]; found {
		page.Messages = append(page.Messages, storedMessage(m))
		return messageBytes(m)
	}
	t := s.tasks[ref]
	page.Tasks = append(page.Tasks, t)
	return taskBytes(t)
}

// List implements conversation.Store.
func (s *Store) List(ctx context.Context, workspace, caller, after string, limit int) (conversation.List, error) {
	if err := reachable(ctx); err != nil {
		return conversation.List{}, fmt.Errorf("list conversations: %w", err)
	}
	start, err := parseCursor(after)
	if err != nil {
		return conversation.List{}, fmt.Errorf("list conversations: %w", err)
	}
	limit = max(limit, 1)
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []conversation.Conversation
	for key, c := range s.conversations {
		if key.workspace == workspace && c.Caller == caller && (start == "" || c.ID < start) {
			all = append(all, c)
		}
	}
	slices.SortFunc(all, func(a, b conversation.Conversation) int { return cmp.Compare(b.ID, a.ID) })
	if len(all) <= limit {
		return conversation.List{Conversations: all}, nil
	}
	return conversation.List{Conversations: all[:limit], After: cursor(all[limit-1].ID)}, nil
}
