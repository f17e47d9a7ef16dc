package dynamostore

import (
	"context"
	"fmt"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"

	"github.com/replyonce/replyonce/shared/conversation"
	"github.com/replyonce/replyonce/shared/dynamoschema"
)

// Log implements conversation.Store. The page's Conversation is left to the
// caller, who has read it to see whose it is. The read is strongly consistent:
// a page that is loaded right after Send must show what was sent.
func (s *Store) Log(ctx context.Context, workspace, conversationID, before string, limit, maxBytes int) (conversation.Page, error) {
	entries, next, err := s.newest(ctx, dynamoschema.ScopePK(workspace, conversation.Scope(conversationID)), before, limit, maxBytes)
	if err != nil {
		return conversation.Page{}, fmt.Errorf("read log of conversation %s: %w", conversationID, err)
	}
	page := conversation.Page{Before: next}
	for _, it := range slices.Backward(entries) {
		if err := addEntry(&page, conversationID, it); err != nil {
			return conversation.Page{}, err
		}
	}
	return page, nil
}

func addEntry(page *conversation.Page, conversationID string, it item) error {
	if isEntry(it, dynamoschema.EntryMessage) {
		m, err := messageFrom(conversationID, it)
		page.Messages = append(page.Messages, m)
		return err
	}
	t, err := taskFrom(it)
	page.Tasks = append(page.Tasks, t)
	return err
}

// newest reads log entries newest first, older than the cursor's, until limit
// entries or maxBytes bytes are together, at least one. It asks for one entry
// more than it returns, so that the last page is known to be the last.
func (s *Store) newest(ctx context.Context, pk, before string, limit, maxBytes int) (entries []item, next string, err error) {
	limit = max(limit, 1)
	input := partition(pk, dynamoschema.EntryPrefix)
	input.ScanIndexForward = aws.Bool(false)
	input.Limit = aws.Int32(int32(limit + 1)) //nolint:gosec // callers bound it to a page of a screen
	if before != "" {
		id, err := parseIDCursor(before)
		if err != nil {
			return nil, "", err
		}
		input.ExclusiveStartKey = after(pk, dynamoschema.EntryPrefix+id)
	}
	size := 0
	err = s.query(ctx, input, func(it item) bool {
		if !isEntry(it, dynamoschema.EntryMessage) && !isEntry(it, dynamoschema.EntryTask) {
			return true // of a kind that a newer version writes
		}
		if len(entries) == limit || (len(entries) > 0 && size >= maxBytes) {
			next = idCursor(sortKey(entries[len(entries)-1])[len(dynamoschema.EntryPrefix):])
			return false
		}
		entries = append(entries, it)
		size += Size(it)
		return true
	})
	return entries, next, err
}

// cards reads a page of a list, newest first.
func (s *Store) cards(ctx context.Context, pk, cursor string, limit int) (cards []item, next string, err error) {
	limit = max(limit, 1)
	input := partition(pk, "")
	input.ScanIndexForward = aws.Bool(false)
	input.Limit = aws.Int32(int32(limit + 1)) //nolint:gosec // callers bound it to a page of a screen
	if cursor != "" {
		id, err := parseIDCursor(cursor)
		if err != nil {
			return nil, "", err
		}
		input.ExclusiveStartKey = after(pk, id)
	}
	err = s.query(ctx, input, func(it item) bool {
		if len(cards) == limit {
			next = idCursor(sortKey(cards[len(cards)-1]))
			return false
		}
		cards = append(cards, it)
		return true
	})
	return cards, next, err
}
