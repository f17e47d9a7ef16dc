package lambdahandler_test

import (
	"context"

	"github.com/replyonce/replyonce/shared/conversation"
	"github.com/replyonce/replyonce/shared/document"
	"github.com/replyonce/replyonce/shared/idempotency"
	"github.com/replyonce/replyonce/shared/storeerror"
	"github.com/replyonce/replyonce/shared/worktask"
)

// faulty stands in front of a store and decides, write by write, what becomes
// of it. The write itself is next; not calling it loses the request, ignoring
// its result loses the acknowledgement.
type faulty struct {
	stores
	accept func(ctx context.Context, next func() error) error
	read   func(ctx context.Context) error // before every read of a record
}

func withFaults(f *faulty) func(stores) stores {
	return func(s stores) stores {
		f.stores = s
		return f
	}
}

func (f *faulty) AcceptMessage(ctx context.Context, record idempotency.Record, m conversation.Message, t worktask.Task) error {
	return f.through(ctx, func() error { return f.stores.AcceptMessage(ctx, record, m, t) })
}

func (f *faulty) AcceptTask(ctx context.Context, record idempotency.Record, t worktask.Task) error {
	return f.through(ctx, func() error { return f.stores.AcceptTask(ctx, record, t) })
}

func (f *faulty) CreateDocument(ctx context.Context, record idempotency.Record, d document.Document, v document.Version) error {
	return f.through(ctx, func() error { return f.stores.CreateDocument(ctx, record, d, v) })
}

func (f *faulty) AddVersion(ctx context.Context, record idempotency.Record, d document.Document, v document.Version) error {
	return f.through(ctx, func() error { return f.stores.AddVersion(ctx, record, d, v) })
}

func (f *faulty) Record(ctx context.Context, scope idempotency.Scope, key idempotency.Key) (idempotency.Record, error) {
	if f.read != nil {
		if err := f.read(ctx); err != nil {
			return idempotency.Record{}, err
		}
	}
	return f.stores.Record(ctx, scope, key)
}

func (f *faulty) through(ctx context.Context, next func() error) error {
	if f.accept == nil {
		return next()
	}
	return f.accept(ctx, next)
}

// inOrder answers the n-th write by the n-th fault; the writes after them go
// through.
func inOrder(faults ...func(next func() error) error) func(context.Context, func() error) error {
	n := 0
	return func(_ context.Context, next func() error) error {
		if n == len(faults) {
			return next()
		}
		n++
		return faults[n-1](next)
	}
}

// refusing answers without writing.
func refusing(err error) func(func() error) error {
	return func(func() error) error { return err }
}

// lost writes and answers with err all the same.
func lost(err error) func(func() error) error {
	return func(next func() error) error {
		_ = next() // the fault: nobody learns how it ended
		return err
	}
}

// losingApply makes task writes whose acknowledgement never arrives.
type losingApply struct {
	stores
	writes int
}

func (l *losingApply) Apply(ctx context.Context, ref worktask.Ref, tr worktask.Transition) (worktask.Task, error) {
	l.writes++
	if _, err := l.stores.Apply(ctx, ref, tr); err != nil {
		return worktask.Task{}, err
	}
	return worktask.Task{}, storeerror.ErrWriteUnknown
}
