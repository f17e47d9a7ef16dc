package storetest

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/replyonce/replyonce/shared/storeerror"
	"github.com/replyonce/replyonce/shared/worktask"
)

func sizeCases() []Case {
	return []Case{
		{"Sizes/CaseS5MessageInBytesNotCharacters", messageSizes},
		{"Sizes/CaseS5ResultTooLargeLeavesTheTask", resultSizes},
		{"Sizes/titlesAndTransactions", otherSizes},
	}
}

// wantTooLarge asks for a refusal that says how large it was.
func wantTooLarge(what string, err error) error {
	if _, ok := errors.AsType[*storeerror.TooLargeError](err); !ok {
		return fmt.Errorf("%s: the error is %w, want a refused size", what, orNone(err))
	}
	return nil
}

func messageSizes(ctx context.Context, e *Env) error {
	var f faults
	for _, c := range []struct {
		name string
		text string
		fits bool
	}{
		{"140,000 wide characters, 420 kB", strings.Repeat("漢", 140_000), false},
		{"90,000 emoji, 360 kB", strings.Repeat("👍", 90_000), true},
		{"400 KiB of letters", strings.Repeat("x", 400<<10), false},
		{"a message of the product's limit", strings.Repeat("é", 32<<10), true},
	} {
		a := e.newAccepted(e.id(), c.text)
		record := e.record(c.name)
		err := e.AcceptMessage(ctx, record, a.message, a.task)
		if c.fits {
			f.add(err)
			f.add(e.wantAccepted(ctx, a))
			continue
		}
		f.add(wantTooLarge(c.name, err))
		f.add(e.wantNothingOf(ctx, a))
		f.add(e.wantNoRecord(ctx, record.Key))
	}
	return f.err()
}

func resultSizes(ctx context.Context, e *Env) error {
	t := claimedTask(e.ref(), mineID, mine, variations()[0])
	t.Status, t.LeaseExpiresAt = worktask.Running, now().Add(lease)
	if err := e.seed(ctx, t); err != nil {
		return err
	}
	complete := func(body string) worktask.Transition {
		return claimed(t.Ref, mineID, mine).Complete(now(), worktask.Result{Body: body}, report)
	}
	_, err := e.Apply(ctx, t.Ref, complete(strings.Repeat("漢", 140_000)))
	return errors.Join(
		wantTooLarge("a result of 420 kB", err),
		e.wantTask(ctx, "after a result that is too large", stored(t)),
		e.wantLanded(ctx, "with 300 KiB", complete(strings.Repeat("x", 300<<10)), stored(t)),
	)
}

func otherSizes(ctx context.Context, e *Env) error {
	c := e.conversation()
	c.Title = strings.Repeat("x", 400<<10)
	d := e.document()
	long := version(d, 1, strings.Repeat("x", 4<<20))
	conversationErr := e.CreateConversation(ctx, e.record("c"), c)
	documentErr := e.CreateDocument(ctx, e.record("d"), d, long)
	_, absent := e.Document(ctx, e.Workspace, d.ID)
	return errors.Join(
		wantTooLarge("a title of 400 KiB", conversationErr),
		wantTooLarge("a text of 4 MiB", documentErr),
		wantError("a document that must not be there", absent, storeerror.ErrNotFound),
	)
}
