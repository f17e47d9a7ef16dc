package mutants

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/replyonce/replyonce/shared/conversation"
	"github.com/replyonce/replyonce/shared/history"
	"github.com/replyonce/replyonce/shared/history/check"
	"github.com/replyonce/replyonce/shared/idempotency"
	"github.com/replyonce/replyonce/shared/keyed"
	"github.com/replyonce/replyonce/shared/simulation/rules"
	"github.com/replyonce/replyonce/shared/simulation/world"
	"github.com/replyonce/replyonce/shared/worktask"
)

func keys() []Mutant {
	return []Mutant{
		{
			Name: "replay without fingerprint", Breaks: string(check.P4), Within: 600,
			Wrong: "a key that is used again with another question is answered with the reply to the first one",
			Wire:  func() world.Wiring { return world.Wiring{Submit: withoutFingerprint} },
		},
		{
			Name: "idempotency key without caller", Breaks: rules.KeyUsed, Within: 600,
			Wrong: "two people whose pages chose one key share a record",
			Wire: func() world.Wiring {
				return world.Wiring{Memory: rekeyed(func(s *idempotency.Scope) { s.Caller = "" })}
			},
		},
		{
			Name: "caller from the request", Breaks: string(check.P11), Within: 600,
			Wrong: "whoever says that he is alice reads and stops what alice has asked",
			Wire: func() world.Wiring {
				return world.Wiring{Identity: func(c world.Caller) world.Caller {
					c.ID = "alice"
					return c
				}}
			},
		},
		{
			Name: "purged record treated as live", Breaks: string(check.P4), Within: 600,
			Wrong: "the database deletes late, and a key that is free again is refused",
			Wire:  func() world.Wiring { return world.Wiring{Memory: undead(false)} },
		},
		{
			Name: "tombstone treated as live", Breaks: string(check.P4), Within: 600,
			Wrong: "a repeat after the replay window is answered as if it were inside",
			Wire:  func() world.Wiring { return world.Wiring{Memory: undead(true)} },
		},
		{
			Name: "identity by hash of the prompt", Breaks: string(check.P4), Within: 600,
			Wrong: "a question that is asked twice on purpose is taken for a repeat",
			Wire:  func() world.Wiring { return world.Wiring{Submit: byPrompt} },
		},
		{
			Name: "accept without a record", Breaks: string(check.P4), Within: 600,
			Wrong: "a repeat makes a second task and a second bill",
			Wire:  func() world.Wiring { return world.Wiring{Memory: forgetful()} },
		},
		{
			Name: "server's value in the fingerprint", Breaks: string(check.P4), Within: 600,
			Wrong: "what the server looked up differs between two sends of one press, so the repeat is refused",
			Wire:  func() world.Wiring { return world.Wiring{Submit: withMoment} },
		},
		{
			Name: "repeat inside the window makes a new task", Breaks: string(check.P4), Within: 600,
			Wrong: "a task that failed is not replayed but replaced, with a fresh budget",
			Wire:  func() world.Wiring { return world.Wiring{Submit: againAfterFailure} },
		},
	}
}

func scopeOf(p world.SubmitParts) idempotency.Scope {
	return idempotency.Scope{Workspace: p.Caller.Workspace, Caller: p.Caller.ID, Operation: conversation.OperationSubmit}
}

// replay answers with the task of the record.
func replay(p world.SubmitParts, otherwise error) (conversation.Accepted, error) {
	record, err := p.Records.Record(p.Context, scopeOf(p), p.Key)
	if err != nil {
		return conversation.Accepted{}, otherwise
	}
	view, err := p.Service.Task(p.Context, p.Caller, p.Input.Conversation, record.Target[strings.LastIndex(record.Target, "/")+1:])
	if err != nil {
		return conversation.Accepted{}, otherwise
	}
	return conversation.Accepted{Task: view, Outcome: keyed.Outcome{Record: record, Replayed: true}, Location: record.Target}, nil
}

func withoutFingerprint(p world.SubmitParts) (conversation.Accepted, error) {
	accepted, err := p.Service.Submit(p.Context, p.Caller, p.Key, p.Input)
	if _, mismatch := errors.AsType[*idempotency.MismatchError](err); mismatch {
		return replay(p, err)
	}
	return accepted, err
}

func byPrompt(p world.SubmitParts) (conversation.Accepted, error) {
	key := idempotency.Key(history.Hash(p.Input.Text))
	return p.Service.Submit(p.Context, p.Caller, key, p.Input)
}

func withMoment(p world.SubmitParts) (conversation.Accepted, error) {
	p.Input.Version = 1 // the latest one, looked up
	if p.Service.Now().Minute()%2 == 1 {
		p.Input.Text += " " // stands for the value that has changed in the meantime
	}
	return p.Service.Submit(p.Context, p.Caller, p.Key, p.Input)
}

func againAfterFailure(p world.SubmitParts) (conversation.Accepted, error) {
	accepted, err := p.Service.Submit(p.Context, p.Caller, p.Key, p.Input)
	if err == nil && accepted.Outcome.Replayed && accepted.Task.Status == string(worktask.Failed) {
		again := idempotency.Key(fmt.Sprintf("%s-%s", p.Key, accepted.Task.ID))
		return p.Service.Submit(p.Context, p.Caller, again, p.Input)
	}
	return accepted, err
}

// records is a store that keeps idempotency records in another way.
type records struct {
	world.Backing
	write func(idempotency.Record) idempotency.Record
	read  func(ctx context.Context, inner world.Backing, scope idempotency.Scope, key idempotency.Key) (idempotency.Record, error)
}

func (r records) AcceptMessage(ctx context.Context, record idempotency.Record, m conversation.Message, t worktask.Task) error {
	return r.Backing.AcceptMessage(ctx, r.write(record), m, t)
}

func (r records) AcceptTask(ctx context.Context, record idempotency.Record, t worktask.Task) error {
	return r.Backing.AcceptTask(ctx, r.write(record), t)
}

func (r records) Record(ctx context.Context, scope idempotency.Scope, key idempotency.Key) (idempotency.Record, error) {
	return r.read(ctx, r.Backing, scope, key)
}

// rekeyed keeps records under a changed scope.
func rekeyed(change func(*idempotency.Scope)) func(world.Backing) world.Backing {
	return func(inner world.Backing) world.Backing {
		return records{
			inner,
			func(r idempotency.Record) idempotency.Record { change(&r.Scope); return r },
			func(ctx context.Context, inner world.Backing, scope idempotency.Scope, key idempotency.Key) (idempotency.Record, error) {
				change(&scope)
				return inner.Record(ctx, scope, key)
			},
		}
	}
}

// undead keeps records for ever: as tombstones, or as if the replay window had
// no end.
func undead(replays bool) func(world.Backing) world.Backing {
	const ever = 100 * 365 * 24 * time.Hour
	return func(inner world.Backing) world.Backing {
		return records{
			inner,
			func(r idempotency.Record) idempotency.Record {
				r.PurgeAfter = r.PurgeAfter.Add(ever)
				if replays {
					r.ReplayUntil = r.ReplayUntil.Add(ever)
				}
				return r
			},
			func(ctx context.Context, inner world.Backing, scope idempotency.Scope, key idempotency.Key) (idempotency.Record, error) {
				return inner.Record(ctx, scope, key)
			},
		}
	}
}

// forgetful stores each record where nobody finds it.
func forgetful() func(world.Backing) world.Backing {
	n := 0
	return func(inner world.Backing) world.Backing {
		return records{
			inner,
			func(r idempotency.Record) idempotency.Record {
				n++
				r.Key = idempotency.Key(fmt.Sprintf("%s-%d", r.Key, n))
				return r
			},
			func(ctx context.Context, inner world.Backing, scope idempotency.Scope, key idempotency.Key) (idempotency.Record, error) {
				return inner.Record(ctx, scope, key)
			},
		}
	}
}
