package conversation

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/replyonce/replyonce/shared/identity"
	"github.com/replyonce/replyonce/shared/storeerror"
	"github.com/replyonce/replyonce/shared/telemetry"
	"github.com/replyonce/replyonce/shared/worktask"
)

// LogPage is a stretch of a conversation, oldest first. Tasks stand beside the
// messages in one time order: a regenerated task may be on a newer page than
// its message.
type LogPage struct {
	Conversation Conversation
	// DocumentDeleted: the document can be asked about no more; what was answered stays.
	DocumentDeleted bool
	Messages        []Message
	Tasks           []TaskView
	Before          string // cursor of the page with older entries; empty: none
}

// LogInput asks for the newest entries older than Before.
type LogInput struct {
	Conversation string
	Before       string // cursor; empty: from the newest
	Limit        int    // entries
	MaxBytes     int    // of texts and replies, about
}

// ReadLog reads a page of the caller's conversation; storeerror.ErrNotFound,
// storeerror.ErrBadCursor.
func (s Service) ReadLog(ctx context.Context, caller identity.Caller, in LogInput) (LogPage, error) {
	c, err := s.own(ctx, caller, in.Conversation)
	if err != nil {
		return LogPage{}, err
	}
	page, err := s.within(ctx, in, caller.Workspace)
	if err != nil {
		return LogPage{}, fmt.Errorf("read log of conversation %s: %w", in.Conversation, err)
	}
	views, err := s.views(ctx, page.Tasks)
	if err != nil {
		return LogPage{}, fmt.Errorf("read log of conversation %s: %w", in.Conversation, err)
	}
	_, err = s.Documents.Document(ctx, caller.Workspace, c.Document)
	deleted := errors.Is(err, storeerror.ErrNotFound)
	if err != nil && !deleted {
		return LogPage{}, fmt.Errorf("read document of conversation %s: %w", in.Conversation, err)
	}
	return LogPage{Conversation: c, DocumentDeleted: deleted, Messages: page.Messages, Tasks: views, Before: page.Before}, nil
}

// within reads a page whose large replies fit too. The store counts what it
// keeps; replies in object storage come on top, so a page that they make too
// large is read again with half the entries.
func (s Service) within(ctx context.Context, in LogInput, workspace string) (Page, error) {
	limit := in.Limit
	for {
		page, err := s.Store.Log(ctx, workspace, in.Conversation, in.Before, limit, in.MaxBytes)
		if err != nil {
			return Page{}, fmt.Errorf("read page: %w", err)
		}
		entries := len(page.Messages) + len(page.Tasks)
		if entries <= 1 || pageBytes(page) <= int64(in.MaxBytes) {
			return page, nil
		}
		limit = entries / 2
	}
}

func pageBytes(page Page) int64 {
	var n int64
	for _, m := range page.Messages {
		n += int64(len(m.Text))
	}
	for _, t := range page.Tasks {
		n += int64(len(t.Result.Body))
		if t.Result.ObjectKey != "" {
			n += t.Result.Bytes
		}
	}
	return n
}

// parallelViews bounds how many tasks of a page read at once what hangs on them.
const parallelViews = 8

// views shows the tasks of a page. Most of them are shown from their item alone;
// the others read evidence or a large reply, and wait for each other no longer
// than they must.
func (s Service) views(ctx context.Context, tasks []worktask.Task) ([]TaskView, error) {
	views, errs := make([]TaskView, len(tasks)), make([]error, len(tasks))
	slots := make(chan struct{}, parallelViews)
	var group sync.WaitGroup
	for i, t := range tasks {
		slots <- struct{}{}
		group.Go(func() {
			defer func() { <-slots }()
			views[i], errs[i] = s.viewInPage(ctx, t)
		})
	}
	group.Wait()
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	return views, nil
}

// viewInPage leaves a reply whose object is damaged out and reports it: one bad
// reply must not make the conversation unreadable.
func (s Service) viewInPage(ctx context.Context, t worktask.Task) (TaskView, error) {
	view, err := s.view(ctx, t)
	if !errors.Is(err, storeerror.ErrCorrupt) {
		return view, err
	}
	s.Log.Error("saved reply left out of a page", telemetry.KeyWorkspace, t.Workspace, telemetry.KeyTaskID, t.ID, telemetry.KeyError, err)
	d := details{pricing: s.pricing()}
	if d.evidence, err = s.evidence(ctx, t); err != nil {
		return TaskView{}, err
	}
	if d.attempts, err = s.attempts(ctx, t); err != nil {
		return TaskView{}, err
	}
	return viewOf(t, d)
}
