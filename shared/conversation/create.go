package conversation

import (
	"context"
	"errors"
	"fmt"

	"github.com/replyonce/replyonce/shared/document"
	"github.com/replyonce/replyonce/shared/idempotency"
	"github.com/replyonce/replyonce/shared/identity"
	"github.com/replyonce/replyonce/shared/inputcheck"
	"github.com/replyonce/replyonce/shared/keyed"
	"github.com/replyonce/replyonce/shared/storeerror"
)

// CreateInput is what a caller sends for a new conversation.
type CreateInput struct {
	Document string
	Title    *string // nil: the document's
}

// Made is a conversation that a creating call made, now or, when it is
// replayed, earlier.
type Made struct {
	Conversation
	Outcome keyed.Outcome
}

// Create makes a conversation about a document, once per key. The errors are
// those of keyed.Creator, *inputcheck.FieldError and *keyed.GoneError.
func (s Service) Create(ctx context.Context, caller identity.Caller, key idempotency.Key, in CreateInput) (Made, error) {
	if err := in.check(); err != nil {
		return Made{}, err
	}
	outcome, err := s.create(ctx, caller, key, in)
	if err != nil {
		return Made{}, fmt.Errorf("create conversation: %w", err)
	}
	c, err := s.own(ctx, caller, conversationOf(outcome.Record.Target))
	if err != nil {
		return Made{Outcome: outcome}, fmt.Errorf("read what the key made: %w", gone(err, outcome.Record))
	}
	return Made{Conversation: c, Outcome: outcome}, nil
}

func (s Service) create(ctx context.Context, caller identity.Caller, key idempotency.Key, in CreateInput) (keyed.Outcome, error) {
	c := Conversation{
		Workspace: caller.Workspace, ID: s.NewID(), Caller: caller.ID, Document: in.Document, CreatedAt: s.now(),
	}
	request := keyed.Request{
		Scope: scope(caller, OperationCreate), Key: key, Target: Path(c.ID), Canonical: in.canonical(),
	}
	d, err := s.Documents.Document(ctx, caller.Workspace, in.Document)
	if errors.Is(err, storeerror.ErrNotFound) {
		return s.refuse(ctx, request, inputcheck.NotFound("document", "document"))
	}
	if err != nil {
		return keyed.Outcome{}, fmt.Errorf("read document: %w", err)
	}
	c.Title = d.Title
	if in.Title != nil {
		c.Title = *in.Title
	}
	return s.Creator.Do(ctx, request, func(ctx context.Context, record idempotency.Record) error {
		return s.Store.CreateConversation(ctx, record, c)
	})
}

func (in CreateInput) check() error {
	if in.Document == "" {
		return inputcheck.Missing("document")
	}
	if err := inputcheck.ID("document", in.Document); err != nil {
		return err
	}
	if in.Title == nil {
		return nil
	}
	return inputcheck.Line("title", *in.Title, document.MaxTitleCharacters)
}

// canonical leaves out a title that the caller left out: the one that is used
// then is the document's, and may change between two sends.
func (in CreateInput) canonical() *idempotency.Canonical {
	c := idempotency.NewCanonical(OperationCreate).String("document", in.Document)
	if in.Title != nil {
		c.String("title", *in.Title)
	}
	return c
}
