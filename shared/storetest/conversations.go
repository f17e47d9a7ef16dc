package storetest

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/replyonce/replyonce/shared/conversation"
	"github.com/replyonce/replyonce/shared/storeerror"
	"github.com/replyonce/replyonce/shared/worktask"
)

func conversationCases() []Case {
	return []Case{
		{"Conversations/createAndRead", createAndReadConversation},
		{"Conversations/takenIDWritesNothing", takenConversation},
		{"Conversations/listNewestFirst", listConversations},
		{"Conversations/messagesByID", messagesByID},
		{"Conversations/earlierIsCompletedOnly", earlierIsCompletedOnly},
	}
}

func createAndReadConversation(ctx context.Context, e *Env) error {
	c := e.conversation()
	if err := e.CreateConversation(ctx, e.record(c.ID), c); err != nil {
		return fmt.Errorf("create: %w", err)
	}
	got, err := e.Conversation(ctx, e.Workspace, c.ID)
	if err != nil {
		return fmt.Errorf("read: %w", err)
	}
	_, foreign := e.Conversation(ctx, e.Workspace+"x", c.ID)
	_, absent := e.Conversation(ctx, e.Workspace, e.id())
	return errors.Join(
		equal("the conversation", got, c),
		wantError("another workspace's conversation", foreign, storeerror.ErrNotFound),
		wantError("no conversation", absent, storeerror.ErrNotFound),
	)
}

func takenConversation(ctx context.Context, e *Env) error {
	c := e.conversation()
	if err := e.CreateConversation(ctx, e.record(c.ID), c); err != nil {
		return fmt.Errorf("create: %w", err)
	}
	other := c
	other.Title = "Another title"
	record := e.record("other")
	err := e.CreateConversation(ctx, record, other)
	got, readErr := e.Conversation(ctx, e.Workspace, c.ID)
	return errors.Join(
		wantError("a taken conversation id", err, storeerror.ErrExists),
		e.wantNoRecord(ctx, record.Key),
		readErr, equal("the conversation", got, c),
	)
}

func listConversations(ctx context.Context, e *Env) error {
	var want []conversation.Conversation
	for i := range 7 {
		c := e.conversation()
		c.Title = fmt.Sprintf("Number %d", i)
		if err := e.CreateConversation(ctx, e.record(c.ID), c); err != nil {
			return fmt.Errorf("create: %w", err)
		}
		want = append(want, c)
	}
	slices.Reverse(want)
	stranger := e.conversation()
	stranger.Caller = "stranger"
	if err := e.CreateConversation(ctx, e.record(stranger.ID), stranger); err != nil {
		return fmt.Errorf("create: %w", err)
	}
	var f faults
	for _, limit := range []int{1, 3, 7, 8} {
		got, err := e.allConversations(ctx, limit)
		f.add(err)
		f.add(equal(fmt.Sprintf("the list in pages of %d", limit), got, want))
	}
	_, err := e.List(ctx, e.Workspace, caller, "no cursor!", 3)
	f.add(wantError("a bad cursor", err, storeerror.ErrBadCursor))
	return f.err()
}

func (e *Env) allConversations(ctx context.Context, limit int) ([]conversation.Conversation, error) {
	var all []conversation.Conversation
	for cursor, first := "", true; first || cursor != ""; first = false {
		page, err := e.List(ctx, e.Workspace, caller, cursor, limit)
		if err != nil {
			return nil, fmt.Errorf("list: %w", err)
		}
		if len(page.Conversations) > limit || (page.After != "" && len(page.Conversations) == 0) {
			return nil, fmt.Errorf("a page has %d conversations, the limit is %d", len(page.Conversations), limit)
		}
		all = append(all, page.Conversations...)
		cursor = page.After
	}
	return all, nil
}

func messagesByID(ctx context.Context, e *Env) error {
	conversationID := e.id()
	var ids []string
	var want []conversation.Message
	for i := range 4 {
		a := e.newAccepted(conversationID, fmt.Sprintf("question %d", i))
		if i == 2 {
			a.message.History = nil
		}
		if err := e.AcceptMessage(ctx, e.record(a.message.ID), a.message, a.task); err != nil {
			return fmt.Errorf("accept: %w", err)
		}
		ids = append(ids, a.message.ID, a.task.ID)
		want = append(want, a.message)
	}
	slices.Reverse(ids)
	slices.Reverse(want)
	ids = append(ids, e.id(), ids[0])
	got, err := e.Messages(ctx, e.Workspace, conversationID, ids)
	none, noneErr := e.Messages(ctx, e.Workspace, conversationID, nil)
	return errors.Join(
		err, equal("messages in the order of their ids, each once", got, want),
		noneErr, equal("messages by no ids", len(none), 0),
	)
}

func earlierIsCompletedOnly(ctx context.Context, e *Env) error {
	conversationID := e.id()
	var ids []string
	var want []worktask.Task
	for _, s := range endedStates() {
		t := s.make(e.refIn(conversationID))
		if err := e.seed(ctx, t); err != nil {
			return err
		}
		ids = append(ids, t.ID)
		if t.Status == worktask.Completed {
			want = append(want, stored(t))
		}
	}
	running := task(e.refIn(conversationID))
	if err := e.seed(ctx, running); err != nil {
		return err
	}
	elsewhere := endedStates()[0].make(e.ref())
	if err := e.seed(ctx, elsewhere); err != nil {
		return err
	}
	got, err := e.Earlier(ctx, e.Workspace, conversationID, append(ids, running.ID, elsewhere.ID, e.id()))
	return errors.Join(err, equal("the completed tasks of the conversation", got, want))
}
