package conversation

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/replyonce/replyonce/shared/document"
	"github.com/replyonce/replyonce/shared/idempotency"
	"github.com/replyonce/replyonce/shared/identity"
	"github.com/replyonce/replyonce/shared/inputcheck"
	"github.com/replyonce/replyonce/shared/keyed"
	"github.com/replyonce/replyonce/shared/reply"
	"github.com/replyonce/replyonce/shared/storeerror"
	"github.com/replyonce/replyonce/shared/worktask"
)

// Limits of a message.
const (
	MaxTextBytes = 64 << 10 // UTF-8
	MaxHistory   = 8        // earlier replies that a prompt may contain
)

// SubmitInput is one press of Send.
type SubmitInput struct {
	Conversation string
	Text         string
	Document     string
	Version      int      // of the document, as the page shows it
	History      []string // completed tasks whose turns belong into the prompt, oldest first
	OnUnknown    *string  // policy after a call whose end nobody saw; nil: as the deployment says

	GatewayRequestID string // for support, no part of the request's inputs
}

// Submit accepts a message and its reply task, once per key: message, task and
// idempotency record are one write. The errors are those of keyed.Creator,
// *inputcheck.FieldError, *keyed.GoneError, and storeerror.ErrNotFound for a
// conversation that is not the caller's.
func (s Service) Submit(ctx context.Context, caller identity.Caller, key idempotency.Key, in SubmitInput) (Accepted, error) {
	if err := in.check(); err != nil {
		return Accepted{}, err
	}
	m := s.message(caller, in)
	t := s.task(caller, m, s.policy(in.OnUnknown), in.GatewayRequestID)
	request := keyed.Request{
		Scope: scope(caller, OperationSubmit), Key: key, Target: TaskPath(in.Conversation, t.ID), Canonical: in.canonical(),
	}
	version, refusal := s.checkReferences(ctx, caller, in)
	if refusal != nil {
		return s.refused(ctx, caller, request, refusal)
	}
	t.WaitsFor = waitsFor(version)
	outcome, err := s.Creator.Do(ctx, request, func(ctx context.Context, record idempotency.Record) error {
		return s.Store.AcceptMessage(ctx, record, m, t)
	})
	if err != nil {
		return Accepted{}, fmt.Errorf("accept message in conversation %s: %w", in.Conversation, err)
	}
	return s.accepted(ctx, caller, outcome, t)
}

// message mints the message's id before the task's, so that the log shows the
// question before its reply.
func (s Service) message(caller identity.Caller, in SubmitInput) Message {
	return Message{
		Workspace: caller.Workspace, Conversation: in.Conversation, ID: s.NewID(), Text: in.Text,
		Document: in.Document, Version: in.Version, History: slices.Clone(in.History), CreatedAt: s.now(),
	}
}

func (s Service) task(caller identity.Caller, m Message, policy worktask.UnknownPolicy, gatewayRequestID string) worktask.Task {
	input := reply.Input{Message: m.ID, PromptVersion: reply.PromptVersion, Model: s.Model}
	ref := TaskRef(m.Workspace, m.Conversation, s.NewID())
	t := worktask.NewTask(ref, reply.Kind, caller.ID, input.Encode(), gatewayRequestID, policy, s.now(), s.Timers)
	t.Money = s.Money
	return t
}

// canonical has only what the caller sent. A version that the server looked up
// would make a conflict of the second send of one press, if a new version
// appeared in between.
func (in SubmitInput) canonical() *idempotency.Canonical {
	return idempotency.NewCanonical(OperationSubmit).Path("conversation", in.Conversation).
		String("text", in.Text).String("document", in.Document).
		Integer("version", int64(in.Version)).List("history", in.History).Optional(fieldOnUnknown, in.OnUnknown)
}

func (in SubmitInput) check() error {
	if err := inputcheck.Text("text", in.Text, MaxTextBytes, inputcheck.CodeMessageTooLarge); err != nil {
		return err
	}
	if in.Document == "" {
		return inputcheck.Missing("document")
	}
	if err := inputcheck.ID("document", in.Document); err != nil {
		return err
	}
	if in.Version < 1 {
		return inputcheck.Invalid("version", `The field "version" must be the number of a version, from 1.`)
	}
	return in.checkHistory()
}

func (in SubmitInput) checkHistory() error {
	if len(in.History) > MaxHistory {
		return inputcheck.Invalid("history", `The field "history" has %d ids; at most %d are allowed. Leave the oldest out.`, len(in.History), MaxHistory)
	}
	for i, id := range in.History {
		if err := inputcheck.ID("history", id); err != nil {
			return err
		}
		if slices.Contains(in.History[:i], id) {
			return inputcheck.Invalid("history", `The field "history" names one task twice.`)
		}
	}
	return nil
}

// checkReferences checks what may be refused today and was right yesterday. It
// reads what the message names: the conversation and the version once each,
// earlier tasks only when some are named.
func (s Service) checkReferences(ctx context.Context, caller identity.Caller, in SubmitInput) (document.Version, error) {
	if err := s.checkPolicy(in.OnUnknown); err != nil {
		return document.Version{}, err
	}
	if _, err := s.own(ctx, caller, in.Conversation); err != nil {
		return document.Version{}, err
	}
	v, err := s.Documents.Version(ctx, caller.Workspace, in.Document, in.Version)
	if errors.Is(err, storeerror.ErrNotFound) {
		return document.Version{}, inputcheck.NotFound("document", fmt.Sprintf("document that has a version %d", in.Version))
	}
	if err == nil {
		err = askable(v)
	}
	if err != nil {
		return document.Version{}, fmt.Errorf("read document version: %w", err)
	}
	return v, s.checkEarlier(ctx, caller, in)
}

// askable refuses a version that will never be ready. One that is not ready yet is
// waited for.
func askable(v document.Version) error {
	if v.State == document.Failed {
		return &document.NotReadableError{State: v.State, Failure: v.Index.Failure}
	}
	return nil
}

// waitsFor is what a task about the version waits for.
func waitsFor(v document.Version) string {
	if v.State != document.Indexing {
		return ""
	}
	return document.AwaitName(v.Document, v.Number)
}

func (s Service) checkEarlier(ctx context.Context, caller identity.Caller, in SubmitInput) error {
	if len(in.History) == 0 {
		return nil
	}
	found, err := s.Store.Earlier(ctx, caller.Workspace, in.Conversation, in.History)
	if err != nil {
		return fmt.Errorf("read earlier tasks: %w", err)
	}
	completed := map[string]bool{}
	for _, t := range found {
		completed[t.ID] = t.Status == worktask.Completed
	}
	for _, id := range in.History {
		if !completed[id] {
			return inputcheck.Invalid("history", `The field "history" may name completed tasks of this conversation only. Load the conversation again and choose from what it shows.`)
		}
	}
	return nil
}
