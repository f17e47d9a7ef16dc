package history

import (
	"context"

	"github.com/replyonce/replyonce/shared/conversation"
	"github.com/replyonce/replyonce/shared/idempotency"
	"github.com/replyonce/replyonce/shared/keyed"
	"github.com/replyonce/replyonce/shared/worktask"
)

// Conversations records the creating transactions that the actor makes through
// inner. Reads of conversations pass unrecorded.
func (a *Actor) Conversations(inner conversation.Store) conversation.Store {
	return recordedConversations{inner, a}
}

type recordedConversations struct {
	conversation.Store
	actor *Actor
}

func (s recordedConversations) CreateConversation(ctx context.Context, record idempotency.Record, c conversation.Conversation) error {
	return s.actor.create(ctx, Creation{What: CreatesConversation, Record: RecordOf(record)}, "", func(ctx context.Context) error {
		return s.Store.CreateConversation(ctx, record, c) //nolint:wrapcheck // a recorder changes nothing
	})
}

func (s recordedConversations) AcceptMessage(ctx context.Context, record idempotency.Record, m conversation.Message, t worktask.Task) error {
	creation := Creation{What: CreatesMessage, Record: RecordOf(record), Item: itemPointer(t)}
	return s.actor.create(ctx, creation, RefOf(t.Ref), func(ctx context.Context) error {
		return s.Store.AcceptMessage(ctx, record, m, t) //nolint:wrapcheck // a recorder changes nothing
	})
}

func (s recordedConversations) AcceptTask(ctx context.Context, record idempotency.Record, t worktask.Task) error {
	creation := Creation{What: CreatesTask, Record: RecordOf(record), Item: itemPointer(t)}
	return s.actor.create(ctx, creation, RefOf(t.Ref), func(ctx context.Context) error {
		return s.Store.AcceptTask(ctx, record, t) //nolint:wrapcheck // a recorder changes nothing
	})
}

func (a *Actor) create(ctx context.Context, c Creation, task Ref, write func(context.Context) error) error {
	sent := a.Record(Event{Kind: CreateSent, Task: task, Creation: &c})
	err := write(withOperation(ctx, sent))
	done := Event{Kind: CreateDone, Op: sent, Task: task}
	done.Outcome, done.Detail = outcomeOf(err)
	a.Record(done)
	return err
}

// Records records the reads of idempotency records that the actor makes.
func (a *Actor) Records(inner keyed.Records) keyed.Records { return recordedRecords{a, inner} }

type recordedRecords struct {
	actor *Actor
	inner keyed.Records
}

func (s recordedRecords) Record(ctx context.Context, scope idempotency.Scope, key idempotency.Key) (idempotency.Record, error) {
	sent := s.actor.Record(Event{Kind: RecordSent, Request: &Request{
		Workspace: scope.Workspace, Caller: scope.Caller, Operation: scope.Operation, Key: string(key),
	}})
	found, err := s.inner.Record(withOperation(ctx, sent), scope, key)
	done := Event{Kind: RecordDone, Op: sent}
	done.Outcome, done.Detail = outcomeOf(err)
	if err == nil {
		record := RecordOf(found)
		done.Record = &record
	}
	s.actor.Record(done)
	return found, err //nolint:wrapcheck // a recorder changes nothing
}
