package storetest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/replyonce/replyonce/shared/conversation"
	"github.com/replyonce/replyonce/shared/storeerror"
	"github.com/replyonce/replyonce/shared/worktask"
)

func logCases() []Case {
	return []Case{
		{"Log/pagesHaveEachEntryOnce", logPages},
		{"Log/pageStopsNearItsBytes", logBytes},
		{"Log/newEntriesDoNotMoveOlderPages", logGrows},
		{"Log/cursors", logCursors},
	}
}

// plenty is more bytes than any page of these cases has.
const plenty = 1 << 20

// writeLog stores questions with their tasks and, after every third, one more
// task for the same message. It returns the ids in order.
func (e *Env) writeLog(ctx context.Context, conversationID string, questions int, text string) ([]string, error) {
	var ids []string
	for i := range questions {
		a := e.newAccepted(conversationID, fmt.Sprintf("%s %d", text, i))
		if err := e.AcceptMessage(ctx, e.record(a.message.ID), a.message, a.task); err != nil {
			return nil, fmt.Errorf("accept: %w", err)
		}
		ids = append(ids, a.message.ID, a.task.ID)
		if i%3 == 2 {
			again := task(e.refIn(conversationID))
			if err := e.seed(ctx, again); err != nil {
				return nil, err
			}
			ids = append(ids, again.ID)
		}
	}
	return ids, nil
}

// readLog reads all pages and returns the ids in order, and how many pages.
func (e *Env) readLog(ctx context.Context, conversationID string, limit, maxBytes int) (ids []string, pages int, err error) {
	for cursor, first := "", true; first || cursor != ""; first = false {
		page, err := e.Log(ctx, e.Workspace, conversationID, cursor, limit, maxBytes)
		if err != nil {
			return nil, 0, fmt.Errorf("read log: %w", err)
		}
		of, err := entryIDs(page)
		if err != nil {
			return nil, 0, err
		}
		if len(of) > limit || (page.Before != "" && len(of) == 0) {
			return nil, 0, fmt.Errorf("a page has %d entries, the limit is %d", len(of), limit)
		}
		ids = append(of, ids...)
		cursor = page.Before
		pages++
	}
	return ids, pages, nil
}

// entryIDs are the ids of a page in order; messages and tasks must each be in
// order already.
func entryIDs(page conversation.Page) ([]string, error) {
	var messages, tasks []string
	for _, m := range page.Messages {
		messages = append(messages, m.ID)
	}
	for _, t := range page.Tasks {
		tasks = append(tasks, t.ID)
	}
	if !slices.IsSorted(messages) || !slices.IsSorted(tasks) {
		return nil, fmt.Errorf("a page is not in time order: messages %v, tasks %v", messages, tasks)
	}
	all := slices.Concat(messages, tasks)
	slices.Sort(all)
	return all, nil
}

func logPages(ctx context.Context, e *Env) error {
	conversationID := e.id()
	want, err := e.writeLog(ctx, conversationID, 9, "question")
	if err != nil {
		return err
	}
	if _, err := e.writeLog(ctx, e.id(), 2, "elsewhere"); err != nil {
		return err
	}
	evidence := worktask.Evidence{
		Ref: conversation.TaskRef(e.Workspace, conversationID, want[1]), AssignmentVersion: 1, SHA256: "ab", At: now(),
	}
	if err := e.PutEvidence(ctx, evidence); err != nil {
		return fmt.Errorf("put evidence: %w", err)
	}
	var f faults
	for _, limit := range []int{1, 4, len(want) - 1, len(want), len(want) + 1} {
		got, pages, err := e.readLog(ctx, conversationID, limit, plenty)
		f.add(err)
		f.add(equal(fmt.Sprintf("the log in pages of %d", limit), got, want))
		f.add(equal(fmt.Sprintf("how many pages of %d there are", limit), pages, (len(want)+limit-1)/limit))
	}
	return f.err()
}

// logBytes: a page of long messages must not outgrow a response.
func logBytes(ctx context.Context, e *Env) error {
	conversationID := e.id()
	want, err := e.writeLog(ctx, conversationID, 6, strings.Repeat("x", 40_000))
	if err != nil {
		return err
	}
	got, pages, err := e.readLog(ctx, conversationID, 100, 50_000)
	if err != nil {
		return err
	}
	if pages < 3 || pages > 6 {
		return fmt.Errorf("240 kB of messages came in %d pages of about 50 kB", pages)
	}
	tiny, tinyPages, err := e.readLog(ctx, conversationID, 100, 1)
	return errors.Join(
		equal("the log in pages of 50 kB", got, want),
		err, equal("the log in pages of a byte", tiny, want), equal("how many pages of a byte there are", tinyPages, len(want)),
	)
}

func logGrows(ctx context.Context, e *Env) error {
	conversationID := e.id()
	old, err := e.writeLog(ctx, conversationID, 4, "old")
	if err != nil {
		return err
	}
	newest, err := e.Log(ctx, e.Workspace, conversationID, "", 3, plenty)
	if err != nil {
		return fmt.Errorf("read log: %w", err)
	}
	if _, err := e.writeLog(ctx, conversationID, 3, "new"); err != nil {
		return err
	}
	older, err := e.Log(ctx, e.Workspace, conversationID, newest.Before, 100, plenty)
	if err != nil {
		return fmt.Errorf("read log: %w", err)
	}
	got, err := entryIDs(older)
	return errors.Join(err, equal("the older page", got, old[:len(old)-3]))
}

func logCursors(ctx context.Context, e *Env) error {
	conversationID := e.id()
	var f faults
	for _, cursor := range []string{"!", "x", "bm90IGFuIGlk", "RU5UUlkjMDE", strings.Repeat("A", 500)} {
		_, err := e.Log(ctx, e.Workspace, conversationID, cursor, 10, plenty)
		f.add(wantError("cursor "+cursor, err, storeerror.ErrBadCursor))
	}
	page, err := e.Log(ctx, e.Workspace, conversationID, "", 10, plenty)
	f.add(err)
	f.add(equal("the log of no conversation", len(page.Messages)+len(page.Tasks), 0))
	f.add(equal("its cursor", page.Before, ""))
	return f.err()
}
