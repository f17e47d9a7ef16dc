package events

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"time"

	"github.com/replyonce/replyonce/shared/conversation"
	"github.com/replyonce/replyonce/shared/document"
	"github.com/replyonce/replyonce/shared/dynamostore"
	"github.com/replyonce/replyonce/shared/idempotency"
	"github.com/replyonce/replyonce/shared/indexing"
	"github.com/replyonce/replyonce/shared/indexpipeline"
	"github.com/replyonce/replyonce/shared/reply"
	"github.com/replyonce/replyonce/shared/worktask"
)

// What the samples name, all of it Alice's, in the workspace acme.
const (
	seedWorkspace    = "acme"
	seedCaller       = "alice"
	seedDocument     = "01KB7PZ8Q0D0CVMENT00000001"
	seedConversation = "01KB7Q0000C0NVERSAT1000001"
	seedMessage      = "01KB7Q1G00MESSAGE000000001"
	seedTask         = "01KB7Q1G01TASK000000000001"
	seedText         = "Everybody decides."

	// A document that is too long for a prompt, and the task that makes it ready.
	seedManual    = "01KB7PZ8Q0D0CVMENT00000002"
	seedIndexTask = "01KB7Q1G01TASK000000000002"
	seedManualKB  = 80
	// seedAge is how long ago it was made: the handoff of the task got lost and
	// is due, and the task's deadline is not over.
	seedAge = time.Minute
)

// Seed stores what the samples name: a document, a conversation about it, a
// question that nobody has taken up, and a long document that is not indexed yet.
func Seed(ctx context.Context, store *dynamostore.Store, now time.Time) error {
	now = now.UTC().Truncate(time.Millisecond).Add(-seedAge)
	timers := worktask.DefaultTimers()
	windows := idempotency.Windows{Replay: timers.ReplayWindow, Purge: timers.PurgeAfter}
	record := func(operation, target string) (idempotency.Record, error) {
		return idempotency.NewRecord( //nolint:wrapcheck // says what it is
			idempotency.Scope{Workspace: seedWorkspace, Caller: seedCaller, Operation: operation}, "seed",
			idempotency.NewCanonical(operation).Fingerprint(), target, now, windows)
	}
	if err := seedTheDocument(ctx, store, record, now); err != nil {
		return fmt.Errorf("store the samples' document: %w", err)
	}
	if err := seedTheManual(ctx, store, record, now.Add(seedAge)); err != nil {
		return fmt.Errorf("store the samples' long document: %w", err)
	}
	c := conversation.Conversation{Workspace: seedWorkspace, ID: seedConversation, Caller: seedCaller, Title: "Rules", Document: seedDocument, CreatedAt: now}
	r, err := record("create_conversation", conversation.Path(c.ID))
	if err == nil {
		err = store.CreateConversation(ctx, r, c)
	}
	if err != nil {
		return fmt.Errorf("store the samples' conversation: %w", err)
	}
	m := conversation.Message{Workspace: seedWorkspace, Conversation: c.ID, ID: seedMessage, Text: "Who decides?", Document: seedDocument, Version: 1, CreatedAt: now}
	task := worktask.NewTask(conversation.TaskRef(seedWorkspace, c.ID, seedTask), reply.Kind, seedCaller,
		reply.Input{Message: m.ID, PromptVersion: reply.PromptVersion}.Encode(), "request-0", worktask.RetryUnknown, now, timers)
	if r, err = record("submit", conversation.TaskPath(c.ID, task.ID)); err == nil {
		err = store.AcceptMessage(ctx, r, m, task)
	}
	if err != nil {
		return fmt.Errorf("store the samples' question: %w", err)
	}
	return nil
}

func seedTheDocument(ctx context.Context, store *dynamostore.Store, record func(string, string) (idempotency.Record, error), now time.Time) error {
	sum := sha256.Sum256([]byte(seedText))
	d := document.Document{Workspace: seedWorkspace, ID: seedDocument, Title: "Rules", LatestVersion: 1, CreatedAt: now, UpdatedAt: now}
	v := document.Version{
		Workspace: seedWorkspace, Document: d.ID, Title: d.Title, Number: 1, Bytes: len(seedText), Text: seedText,
		SHA256: hex.EncodeToString(sum[:]), CreatedAt: now,
	}
	r, err := record("create_document", document.Path(d.ID))
	if err != nil {
		return err
	}
	return store.CreateDocument(ctx, r, d, v) //nolint:wrapcheck // the caller says what it is
}

// seedTheManual stores a document whose version waits to be indexed. Its handoff is
// not due yet: the sample of the dispatcher is about another task.
func seedTheManual(ctx context.Context, store *dynamostore.Store, record func(string, string) (idempotency.Record, error), now time.Time) error {
	text := strings.Repeat("The office keeps the minutes of each meeting for as long as it is of use.\n\n", seedManualKB<<10/75)
	sum := sha256.Sum256([]byte(text))
	d := document.Document{Workspace: seedWorkspace, ID: seedManual, Title: "Manual", LatestVersion: 1, CreatedAt: now, UpdatedAt: now}
	in := indexing.Input{Version: 1, Pipeline: indexpipeline.Name(), Bytes: int64(len(text)), SHA256: hex.EncodeToString(sum[:])}
	ref := worktask.Ref{Workspace: seedWorkspace, Scope: document.ScopeOf(d.ID), ID: seedIndexTask}
	task := worktask.NewTask(ref, indexing.Kind, seedCaller, in.Encode(), "request-1", worktask.RetryUnknown, now, worktask.DefaultTimers())
	v := document.Version{
		Workspace: seedWorkspace, Document: d.ID, Title: d.Title, Number: 1, Bytes: len(text), Text: text, SHA256: in.SHA256, CreatedAt: now,
		State: document.Indexing, Index: document.Index{Pipeline: in.Pipeline, Task: ref.ID}, IndexTask: &task,
	}
	r, err := record("create_document", document.Path(d.ID))
	if err != nil {
		return err
	}
	r.Key = "seed-manual"
	return store.CreateDocument(ctx, r, d, v) //nolint:wrapcheck // the caller says what it is
}
