package conversation

import (
	"context"
	"fmt"

	"github.com/replyonce/replyonce/shared/document"
	"github.com/replyonce/replyonce/shared/idempotency"
	"github.com/replyonce/replyonce/shared/identity"
	"github.com/replyonce/replyonce/shared/keyed"
)

// RegenerateInput asks for one more reply to a message.
type RegenerateInput struct {
	Conversation string
	Message      string
	OnUnknown    *string // as in SubmitInput

	GatewayRequestID string
}

// Regenerate accepts another task for a message, once per key. The task answers
// from the version and the history that the message was sent with. The errors
// are those of Submit.
func (s Service) Regenerate(ctx context.Context, caller identity.Caller, key idempotency.Key, in RegenerateInput) (Accepted, error) {
	m := Message{Workspace: caller.Workspace, Conversation: in.Conversation, ID: in.Message}
	t := s.task(caller, m, s.policy(in.OnUnknown), in.GatewayRequestID)
	request := keyed.Request{
		Scope: scope(caller, OperationRegenerate), Key: key, Target: TaskPath(in.Conversation, t.ID),
		Canonical: idempotency.NewCanonical(OperationRegenerate).
			Path("conversation", in.Conversation).Path("message", in.Message).Optional(fieldOnUnknown, in.OnUnknown),
	}
	version, refusal := s.checkMessage(ctx, caller, in)
	if refusal != nil {
		return s.refused(ctx, caller, request, refusal)
	}
	t.WaitsFor = waitsFor(version)
	outcome, err := s.Creator.Do(ctx, request, func(ctx context.Context, record idempotency.Record) error {
		return s.Store.AcceptTask(ctx, record, t)
	})
	if err != nil {
		return Accepted{}, fmt.Errorf("accept another reply to message %s: %w", in.Message, err)
	}
	return s.accepted(ctx, caller, outcome, t)
}

func (s Service) checkMessage(ctx context.Context, caller identity.Caller, in RegenerateInput) (document.Version, error) {
	if err := s.checkPolicy(in.OnUnknown); err != nil {
		return document.Version{}, err
	}
	if _, err := s.own(ctx, caller, in.Conversation); err != nil {
		return document.Version{}, err
	}
	m, err := s.Store.Message(ctx, caller.Workspace, in.Conversation, in.Message)
	if err != nil {
		return document.Version{}, fmt.Errorf("read message: %w", err)
	}
	if _, err := s.Documents.Document(ctx, caller.Workspace, m.Document); err != nil {
		return document.Version{}, fmt.Errorf("read document of the message: %w", err)
	}
	v, err := s.Documents.Version(ctx, caller.Workspace, m.Document, m.Version)
	if err == nil {
		err = askable(v)
	}
	if err != nil {
		return document.Version{}, fmt.Errorf("read version of the message: %w", err)
	}
	return v, nil
}
