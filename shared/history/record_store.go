package history

import (
	"context"

	"github.com/replyonce/replyonce/shared/conversation"
	"github.com/replyonce/replyonce/shared/idempotency"
	"github.com/replyonce/replyonce/shared/taskflow"
	"github.com/replyonce/replyonce/shared/worktask"
)

// storeName is the actor of events of the store's side.
const storeName = "store"

// StoreTasks stands directly in front of a store and records which writes land,
// in their order, with the item before and after. It lets one write or
// read of a task through at a time and reads the item before a write, so it
// is for stores in memory and for tests; inner must not wait for other calls of
// this recorder. Reads must pass it too.
func (r *Recorder) StoreTasks(inner taskflow.Tasks) taskflow.Tasks { return storeTasks{inner, r} }

type storeTasks struct {
	taskflow.Tasks
	recorder *Recorder
}

func (s storeTasks) Apply(ctx context.Context, ref worktask.Ref, tr worktask.Transition) (worktask.Task, error) {
	s.recorder.store.Lock()
	defer s.recorder.store.Unlock()
	before, beforeErr := s.Tasks.Get(context.WithoutCancel(ctx), ref)
	t, err := s.Tasks.Apply(ctx, ref, tr)
	if err != nil {
		return t, err //nolint:wrapcheck // a recorder changes nothing
	}
	e := writeEvent(Stored, ref, tr)
	e.Actor, e.Op, e.After = storeName, operationOf(ctx), itemPointer(t)
	if beforeErr == nil {
		e.Before = itemPointer(before)
	}
	s.recorder.Record(e)
	return t, nil
}

// Get waits for a write that is landing: nobody may be told of a write that has
// no event yet.
func (s storeTasks) Get(ctx context.Context, ref worktask.Ref) (worktask.Task, error) {
	s.recorder.store.Lock()
	defer s.recorder.store.Unlock()
	return s.Tasks.Get(ctx, ref) //nolint:wrapcheck // a recorder changes nothing
}

// StoreConversations is StoreTasks for creating transactions.
func (r *Recorder) StoreConversations(inner conversation.Store) conversation.Store {
	return storeConversations{inner, r}
}

type storeConversations struct {
	conversation.Store
	recorder *Recorder
}

func (s storeConversations) CreateConversation(ctx context.Context, record idempotency.Record, c conversation.Conversation) error {
	return s.create(ctx, Creation{What: CreatesConversation, Record: RecordOf(record)}, "", func() error {
		return s.Store.CreateConversation(ctx, record, c) //nolint:wrapcheck // a recorder changes nothing
	})
}

func (s storeConversations) AcceptMessage(ctx context.Context, record idempotency.Record, m conversation.Message, t worktask.Task) error {
	creation := Creation{What: CreatesMessage, Record: RecordOf(record), Item: itemPointer(t)}
	return s.create(ctx, creation, RefOf(t.Ref), func() error {
		return s.Store.AcceptMessage(ctx, record, m, t) //nolint:wrapcheck // a recorder changes nothing
	})
}

func (s storeConversations) AcceptTask(ctx context.Context, record idempotency.Record, t worktask.Task) error {
	creation := Creation{What: CreatesTask, Record: RecordOf(record), Item: itemPointer(t)}
	return s.create(ctx, creation, RefOf(t.Ref), func() error {
		return s.Store.AcceptTask(ctx, record, t) //nolint:wrapcheck // a recorder changes nothing
	})
}

func (s storeConversations) create(ctx context.Context, c Creation, task Ref, write func() error) error {
	s.recorder.store.Lock()
	defer s.recorder.store.Unlock()
	if err := write(); err != nil {
		return err
	}
	s.recorder.Record(Event{Actor: storeName, Kind: Created, Op: operationOf(ctx), Task: task, Creation: &c})
	return nil
}
