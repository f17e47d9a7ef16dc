package storetest

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/replyonce/replyonce/shared/conversation"
	"github.com/replyonce/replyonce/shared/storeerror"
	"github.com/replyonce/replyonce/shared/worktask"
)

func creationCases() []Case {
	return []Case{
		{"Create/acceptWritesAllThree", acceptWritesAllThree},
		{"Create/acceptOnceUnderConcurrentSubmits", acceptOnce},
		{"Create/takenMessageWritesNothing", takenMessage},
		{"Create/takenTaskWritesNothing", takenTask},
		{"Create/takenRecordComesFirst", takenRecordComesFirst},
		{"Create/CaseL1SameTransactionTwice", sameTransactionTwice},
		{"Create/deadContextWritesNothing", deadContextWritesNothing},
	}
}

// accepted is a message and its task under one record.
type accepted struct {
	message conversation.Message
	task    worktask.Task
}

func (e *Env) newAccepted(conversationID, text string) accepted {
	m := e.message(conversationID, text)
	return accepted{m, task(e.refIn(conversationID))}
}

func (e *Env) wantAccepted(ctx context.Context, a accepted) error {
	m, err := e.Message(ctx, e.Workspace, a.message.Conversation, a.message.ID)
	if err != nil {
		return fmt.Errorf("read accepted message: %w", err)
	}
	if err := equal("the message", m, a.message); err != nil {
		return err
	}
	return e.wantTask(ctx, "accepted", stored(a.task))
}

func (e *Env) wantNothingOf(ctx context.Context, a accepted) error {
	_, err := e.Message(ctx, e.Workspace, a.message.Conversation, a.message.ID)
	if err := wantError("a message that must not be there", err, storeerror.ErrNotFound); err != nil {
		return err
	}
	_, err = e.Get(ctx, a.task.Ref)
	return wantError("a task that must not be there", err, storeerror.ErrNotFound)
}

func acceptWritesAllThree(ctx context.Context, e *Env) error {
	a := e.newAccepted(e.id(), "What does it say?")
	record := e.record(a.task.String())
	if err := e.AcceptMessage(ctx, record, a.message, a.task); err != nil {
		return fmt.Errorf("accept: %w", err)
	}
	if err := e.wantAccepted(ctx, a); err != nil {
		return err
	}
	got, err := e.Record(ctx, record.Scope, record.Key)
	if err != nil {
		return fmt.Errorf("read record: %w", err)
	}
	return equal("the record", got, record)
}

// acceptOnce: every submit has ids of its own and all have one key.
func acceptOnce(ctx context.Context, e *Env) error {
	submits := make([]accepted, 50)
	errs := make([]error, len(submits))
	key, conversationID := "key-"+e.id(), e.id()
	for i := range submits {
		submits[i] = e.newAccepted(conversationID, fmt.Sprintf("submit %d", i))
	}
	var all sync.WaitGroup
	for i, a := range submits {
		all.Go(func() {
			errs[i] = e.AcceptMessage(ctx, e.recordAt(key, a.task.String(), now()), a.message, a.task)
		})
	}
	all.Wait()
	return e.checkOneAccepted(ctx, key, submits, errs)
}

func (e *Env) checkOneAccepted(ctx context.Context, key string, submits []accepted, errs []error) error {
	var f faults
	winner := -1
	for i, err := range errs {
		switch {
		case err == nil && winner < 0:
			winner = i
		case err == nil:
			f.add(fmt.Errorf("submits %d and %d were both accepted", winner, i))
		case errors.Is(err, storeerror.ErrRecordExists), errors.Is(err, storeerror.ErrConflict):
			f.add(e.wantNothingOf(ctx, submits[i])) // a conflict that outlasted the tries is no answer, but no second task either
		default:
			f.add(fmt.Errorf("submit %d: %w", i, err))
		}
	}
	if winner < 0 {
		return errors.Join(f.err(), errors.New("no submit was accepted"))
	}
	f.add(e.wantAccepted(ctx, submits[winner]))
	record := e.recordAt(key, submits[winner].task.String(), now())
	got, err := e.Record(ctx, record.Scope, record.Key)
	f.add(err)
	f.add(equal("the record", got, record))
	return f.err()
}

func takenMessage(ctx context.Context, e *Env) error {
	first := e.newAccepted(e.id(), "first")
	if err := e.AcceptMessage(ctx, e.record("first"), first.message, first.task); err != nil {
		return fmt.Errorf("accept: %w", err)
	}
	second := e.newAccepted(first.message.Conversation, "second")
	second.message.ID = first.message.ID
	record := e.record("second")
	err := e.AcceptMessage(ctx, record, second.message, second.task)
	return errors.Join(
		wantError("a message with a taken id", err, storeerror.ErrExists),
		e.wantNoRecord(ctx, record.Key),
		e.wantAccepted(ctx, first),
		e.wantNoTask(ctx, second.task.Ref),
	)
}

func takenTask(ctx context.Context, e *Env) error {
	first := e.newAccepted(e.id(), "first")
	if err := e.AcceptMessage(ctx, e.record("first"), first.message, first.task); err != nil {
		return fmt.Errorf("accept: %w", err)
	}
	record := e.record("second")
	again := task(first.task.Ref)
	again.Input = "other"
	err := e.AcceptTask(ctx, record, again)
	return errors.Join(
		wantError("a task with a taken id", err, storeerror.ErrExists),
		e.wantNoRecord(ctx, record.Key),
		e.wantAccepted(ctx, first),
	)
}

// takenRecordComesFirst: a repeat meets its record and its own items alike, and
// must learn of the record.
func takenRecordComesFirst(ctx context.Context, e *Env) error {
	a := e.newAccepted(e.id(), "once")
	record := e.record("once")
	if err := e.AcceptMessage(ctx, record, a.message, a.task); err != nil {
		return fmt.Errorf("accept: %w", err)
	}
	later := record
	later.CreatedAt = record.CreatedAt.Add(1) // another token where the engine knows tokens
	later.CreatedAt = later.CreatedAt.Add(1e6)
	err := e.AcceptMessage(ctx, later, a.message, a.task)
	return errors.Join(wantError("a repeat", err, storeerror.ErrRecordExists), e.wantAccepted(ctx, a))
}

// sameTransactionTwice: an engine may honour the token of a transaction, ignore
// it, or call equal bytes different. None of it may show as anything but
// "saved", "the record exists" or "not known".
func sameTransactionTwice(ctx context.Context, e *Env) error {
	var f faults
	for i := range e.pick(200, 30) {
		a := e.newAccepted(e.id(), fmt.Sprintf("send %d", i))
		record := e.record(a.task.String())
		if err := e.AcceptMessage(ctx, record, a.message, a.task); err != nil {
			return fmt.Errorf("accept: %w", err)
		}
		err := e.AcceptMessage(ctx, record, a.message, a.task)
		if err != nil && !errors.Is(err, storeerror.ErrRecordExists) && !errors.Is(err, storeerror.ErrWriteUnknown) {
			f.add(fmt.Errorf("the same transaction again: %w", err))
		}
		f.add(e.wantAccepted(ctx, a))
		got, err := e.Record(ctx, record.Scope, record.Key)
		f.add(err)
		f.add(equal("the record", got, record))
	}
	return f.err()
}

func deadContextWritesNothing(ctx context.Context, e *Env) error {
	a := e.newAccepted(e.id(), "too late")
	record := e.record("too late")
	dead, cancel := context.WithCancel(ctx)
	cancel()
	err := e.AcceptMessage(dead, record, a.message, a.task)
	return errors.Join(
		wantError("a submit whose time is over", err, storeerror.ErrUnavailable),
		e.wantNothingOf(ctx, a),
		e.wantNoRecord(ctx, record.Key),
	)
}

func (e *Env) wantNoTask(ctx context.Context, ref worktask.Ref) error {
	_, err := e.Get(ctx, ref)
	return wantError("a task that must not be there", err, storeerror.ErrNotFound)
}
