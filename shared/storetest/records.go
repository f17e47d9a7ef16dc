package storetest

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/replyonce/replyonce/shared/idempotency"
	"github.com/replyonce/replyonce/shared/storeerror"
)

func recordCases() []Case {
	return []Case{
		{"Records/CaseI7PurgeTimeDecidesInTheWrite", purgeTime},
		{"Records/CaseI3ScopesAreApart", scopesAreApart},
		{"Records/absentRecordIsNotFound", absentRecord},
	}
}

func (e *Env) recordOf(ctx context.Context, key idempotency.Key) (idempotency.Record, error) {
	return e.Record(ctx, idempotency.Scope{Workspace: e.Workspace, Caller: caller, Operation: operation}, key) //nolint:wrapcheck // the case wraps it
}

func (e *Env) wantNoRecord(ctx context.Context, key idempotency.Key) error {
	_, err := e.recordOf(ctx, key)
	return wantError("a record that must not be there", err, storeerror.ErrNotFound)
}

// purgeTime: the record stays readable past its purge time, and the write's own
// condition says from when on its key is free: from the purge time itself, to
// the second, and not a moment before. The replay window plays no part.
func purgeTime(ctx context.Context, e *Env) error {
	key := "key-" + e.id()
	first := e.recordAt(key, "first", now())
	if err := e.AcceptTask(ctx, first, task(e.ref())); err != nil {
		return fmt.Errorf("accept: %w", err)
	}
	var f faults
	for _, at := range []time.Time{
		first.CreatedAt.Add(time.Second), first.ReplayUntil.Add(-time.Millisecond), first.ReplayUntil,
		first.ReplayUntil.Add(time.Millisecond), first.PurgeAfter.Add(-time.Second), first.PurgeAfter.Add(-time.Millisecond),
	} {
		t := task(e.ref())
		err := e.AcceptTask(ctx, e.recordAt(key, "again at "+at.String(), at), t)
		f.add(wantError("a write before the purge time, at "+at.String(), err, storeerror.ErrRecordExists))
		f.add(e.wantNoTask(ctx, t.Ref))
		f.add(e.wantRecord(ctx, first))
	}
	second := e.recordAt(key, "second", first.PurgeAfter)
	if err := e.AcceptTask(ctx, second, task(e.ref())); err != nil {
		return errors.Join(f.err(), fmt.Errorf("a write at the purge time: %w", err))
	}
	f.add(e.wantRecord(ctx, second))
	return f.err()
}

func (e *Env) wantRecord(ctx context.Context, want idempotency.Record) error {
	got, err := e.Record(ctx, want.Scope, want.Key)
	if err != nil {
		return fmt.Errorf("read record: %w", err)
	}
	return equal("the record", got, want)
}

func scopesAreApart(ctx context.Context, e *Env) error {
	scopes := []idempotency.Scope{
		{Workspace: e.Workspace, Caller: "a", Operation: "b#c"},
		{Workspace: e.Workspace, Caller: "a#b", Operation: "c"},
		{Workspace: e.Workspace, Caller: "b", Operation: "c"},
		{Workspace: e.Workspace, Caller: "b", Operation: "d"},
		{Workspace: e.Workspace + "x", Caller: "b", Operation: "c"},
	}
	var f faults
	var records []idempotency.Record
	for i, scope := range scopes {
		record := e.recordAt("r-1", fmt.Sprintf("target %d", i), now())
		record.Scope = scope
		records = append(records, record)
		if err := e.AcceptTask(ctx, record, task(e.ref())); err != nil {
			f.add(fmt.Errorf("key r-1 in scope %+v: %w", scope, err))
		}
	}
	for _, record := range records {
		f.add(e.wantRecord(ctx, record))
	}
	return f.err()
}

func absentRecord(ctx context.Context, e *Env) error {
	return e.wantNoRecord(ctx, "never used")
}
