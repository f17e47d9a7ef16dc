package storetest

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"time"

	"github.com/replyonce/replyonce/shared/conversation"
	"github.com/replyonce/replyonce/shared/document"
	"github.com/replyonce/replyonce/shared/idempotency"
	"github.com/replyonce/replyonce/shared/worktask"
)

const (
	caller    = "user/7#blue" // has what keys must escape
	operation = "send_message"

	replayWindow = 24 * time.Hour
	purgeDelay   = 365 * 24 * time.Hour
)

// ref addresses a new task of a new conversation.
func (e *Env) ref() worktask.Ref { return e.refIn(e.id()) }

// refIn addresses a new task of a conversation.
func (e *Env) refIn(conversationID string) worktask.Ref {
	return conversation.TaskRef(e.Workspace, conversationID, e.id())
}

// task is a task as accept makes it, with every field in use.
func task(ref worktask.Ref) worktask.Task {
	return worktask.NewTask(ref, "reply", caller, `{"document":"d","version":3}`, "gateway-1", worktask.RetryUnknown,
		now(), worktask.DefaultTimers())
}

// record is the record of a request under a new key.
func (e *Env) record(target string) idempotency.Record {
	return e.recordAt("key-"+e.id(), target, now())
}

// recordAt is the record of a request under a key that is sent at an instant.
// Its purge time is a whole second, as records are made.
func (e *Env) recordAt(key, target string, at time.Time) idempotency.Record {
	sum := sha256.Sum256([]byte(target))
	return idempotency.Record{
		Scope:       idempotency.Scope{Workspace: e.Workspace, Caller: caller, Operation: operation},
		Key:         idempotency.Key(key),
		Fingerprint: idempotency.Fingerprint{Schema: idempotency.Schema, Sum: base64.RawURLEncoding.EncodeToString(sum[:])},
		Target:      target,
		CreatedAt:   storedTime(at),
		ReplayUntil: storedTime(at.Add(replayWindow)),
		PurgeAfter:  at.Add(purgeDelay).Truncate(time.Second).Add(time.Second).UTC(),
	}
}

// seed stores a task in any state. Accept writes what it is given.
func (e *Env) seed(ctx context.Context, t worktask.Task) error {
	if err := e.AcceptTask(ctx, e.record(t.String()), t); err != nil {
		return fmt.Errorf("seed task %s: %w", t.Ref, err)
	}
	e.seeded = append(e.seeded, t.Ref)
	return nil
}

// claimed is the right of a claim with the id that made the version, on a task
// that counts no money.
func claimed(ref worktask.Ref, id string, version int64) worktask.Assignment {
	return claimedWith(worktask.Money{}, ref, id, version)
}

func claimedWith(money worktask.Money, ref worktask.Ref, id string, version int64) worktask.Assignment {
	a, _ := worktask.AssignmentOf(worktask.Task{
		Ref: ref, Status: worktask.Running, AssignmentID: id, AssignmentVersion: version, Money: money,
	}, id)
	return a
}

// claimedForLookup is the right of a claim that may only look up.
func claimedForLookup(money worktask.Money, ref worktask.Ref, id string, version int64) worktask.Assignment {
	a, _ := worktask.AssignmentOf(worktask.Task{
		Ref: ref, Status: worktask.Running, AssignmentID: id, AssignmentVersion: version, OperationID: "op-1", Money: money,
	}, id)
	return a
}

func (e *Env) conversation() conversation.Conversation {
	return conversation.Conversation{
		Workspace: e.Workspace, ID: e.id(), Caller: caller, Title: "The report", Document: "d-1", CreatedAt: storedTime(now()),
	}
}

func (e *Env) message(conversationID, text string) conversation.Message {
	return conversation.Message{
		Workspace: e.Workspace, Conversation: conversationID, ID: e.id(), Text: text, Document: "d-1", Version: 3,
		History: []string{"t-1", "t-2"}, CreatedAt: storedTime(now()),
	}
}

func (e *Env) document() document.Document {
	return document.Document{
		Workspace: e.Workspace, ID: e.id(), Title: "Report", LatestVersion: 1, CurrentVersion: 1,
		CreatedAt: storedTime(now()), UpdatedAt: storedTime(now()),
	}
}

func version(d document.Document, number int, text string) document.Version {
	sum := sha256.Sum256([]byte(text))
	return document.Version{
		Workspace: d.Workspace, Document: d.ID, Title: d.Title, Number: number, Bytes: len(text),
		SHA256: hex.EncodeToString(sum[:]), Text: text, State: document.Ready, CreatedAt: storedTime(now().Add(time.Duration(number) * time.Minute)),
	}
}
