package world

import (
	"context"
	"fmt"
	"time"

	"github.com/replyonce/replyonce/shared/conversation"
	"github.com/replyonce/replyonce/shared/document"
	"github.com/replyonce/replyonce/shared/idempotency"
	"github.com/replyonce/replyonce/shared/keyed"
	"github.com/replyonce/replyonce/shared/storeerror"
	"github.com/replyonce/replyonce/shared/taskflow"
	"github.com/replyonce/replyonce/shared/worktask"
)

// Backing is everything that the world keeps outside of processes.
type Backing interface {
	taskflow.Tasks
	taskflow.Handoffs
	taskflow.EvidenceStore
	taskflow.Objects
	conversation.Store
	keyed.Records
	Document(ctx context.Context, workspace, id string) (document.Document, error)
	Version(ctx context.Context, workspace, id string, number int) (document.Version, error)
}

// client is the store and the queue as one process reaches them: each call that
// the protocol speaks of stands at the gate. Reads of what never changes have
// no gate; a store that is down shows in the others.
type client struct {
	Backing
	p *process
}

var _ taskflow.Queue = client{}

// Apply implements taskflow.Tasks.
func (s client) Apply(ctx context.Context, ref worktask.Ref, tr worktask.Transition) (worktask.Task, error) {
	v, err := s.p.do(ctx, &call{class: classWrite, name: tr.Name(), ref: ref, tr: tr, exec: func(ctx context.Context) (any, error) {
		return s.Backing.Apply(ctx, ref, tr)
	}})
	t, _ := v.(worktask.Task)
	return t, err
}

// Get implements taskflow.Tasks.
func (s client) Get(ctx context.Context, ref worktask.Ref) (worktask.Task, error) {
	v, err := s.p.do(ctx, &call{class: classRead, name: "get", ref: ref, exec: func(ctx context.Context) (any, error) {
		return s.Backing.Get(ctx, ref)
	}})
	t, _ := v.(worktask.Task)
	return t, err
}

// Record implements keyed.Records.
func (s client) Record(ctx context.Context, scope idempotency.Scope, key idempotency.Key) (idempotency.Record, error) {
	v, err := s.p.do(ctx, &call{class: classRead, name: "record", exec: func(ctx context.Context) (any, error) {
		return s.Backing.Record(ctx, scope, key)
	}})
	r, _ := v.(idempotency.Record)
	return r, err
}

// accepting is what the watch looks at of a creating transaction.
type accepting struct{ record idempotency.Record }

// AcceptMessage implements conversation.Store.
func (s client) AcceptMessage(ctx context.Context, record idempotency.Record, m conversation.Message, t worktask.Task) error {
	_, err := s.p.do(ctx, &call{class: classAccept, name: "accept", ref: t.Ref, about: accepting{record}, exec: func(ctx context.Context) (any, error) {
		return nil, s.Backing.AcceptMessage(ctx, record, m, t)
	}})
	return err
}

// AcceptTask implements conversation.Store.
func (s client) AcceptTask(ctx context.Context, record idempotency.Record, t worktask.Task) error {
	_, err := s.p.do(ctx, &call{class: classAccept, name: "accept", ref: t.Ref, about: accepting{record}, exec: func(ctx context.Context) (any, error) {
		return nil, s.Backing.AcceptTask(ctx, record, t)
	}})
	return err
}

// PutEvidence implements taskflow.EvidenceStore.
func (s client) PutEvidence(ctx context.Context, e worktask.Evidence) error {
	_, err := s.p.do(ctx, &call{class: classPut, name: "evidence", ref: e.Ref, exec: func(ctx context.Context) (any, error) {
		return nil, s.Backing.PutEvidence(ctx, e)
	}})
	return err
}

// PutAttempt implements taskflow.EvidenceStore.
func (s client) PutAttempt(ctx context.Context, r worktask.AttemptRecord) error {
	_, err := s.p.do(ctx, &call{class: classPut, name: "attempt", ref: r.Ref, exec: func(ctx context.Context) (any, error) {
		return nil, s.Backing.PutAttempt(ctx, r)
	}})
	return err
}

// PutObject implements taskflow.Objects.
func (s client) PutObject(ctx context.Context, key string, body []byte) error {
	_, err := s.p.do(ctx, &call{class: classPut, name: "object", exec: func(ctx context.Context) (any, error) {
		return nil, s.Backing.PutObject(ctx, key, body)
	}})
	return err
}

// Publish implements taskflow.Queue.
func (s client) Publish(ctx context.Context, ref worktask.Ref) error {
	_, err := s.p.do(ctx, &call{class: classPublish, name: "publish", ref: ref, exec: func(context.Context) (any, error) {
		return nil, s.p.world.publish(ref)
	}})
	return err
}

// Conversation implements conversation.Store.
func (s client) Conversation(ctx context.Context, workspace, id string) (conversation.Conversation, error) {
	s.p.barrier("conversation")
	return s.Backing.Conversation(ctx, workspace, id)
}

// DueHandoffs implements taskflow.Handoffs. An index that lags still has tasks
// that have ended, and one that is not there.
func (s client) DueHandoffs(ctx context.Context, shard int, now time.Time, limit int, cursor string) (taskflow.DuePage, error) {
	s.p.barrier("handoffs")
	if ctx.Err() != nil {
		return taskflow.DuePage{}, fmt.Errorf("list due handoffs: %w", storeerror.ErrUnavailable)
	}
	page, err := s.Backing.DueHandoffs(ctx, shard, now, limit, cursor)
	if err != nil || !s.p.world.StaleIndex || cursor != "" {
		return page, err
	}
	page.Due = append(page.Due, s.p.world.staleEntries(shard, now)...)
	return page, nil
}
