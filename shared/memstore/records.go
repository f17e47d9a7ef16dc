package memstore

import (
	"context"
	"fmt"

	"github.com/replyonce/replyonce/shared/idempotency"
	"github.com/replyonce/replyonce/shared/storeerror"
)

// Record implements keyed.Records.
func (s *Store) Record(ctx context.Context, scope idempotency.Scope, key idempotency.Key) (idempotency.Record, error) {
	if err := reachable(ctx); err != nil {
		return idempotency.Record{}, fmt.Errorf("read idempotency record: %w", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	record, found := s.records[scope.Address(key)]
	if !found {
		return idempotency.Record{}, fmt.Errorf("read idempotency record: %w", storeerror.ErrNotFound)
	}
	return record, nil
}

// create runs one creating transaction: the record may be put when it is absent
// or past its purge time, and taken says whether anything else stands in the
// way. put is called with the lock held when nothing does.
func (s *Store) create(ctx context.Context, record idempotency.Record, taken func() bool, put func()) error {
	if err := reachable(ctx); err != nil {
		return err
	}
	record = storedRecord(record)
	address := record.Scope.Address(record.Key)
	s.mu.Lock()
	defer s.mu.Unlock()
	if old, found := s.records[address]; found && record.CreatedAt.Before(old.PurgeAfter) {
		return storeerror.ErrRecordExists
	}
	if taken() {
		return storeerror.ErrExists
	}
	s.records[address] = record
	put()
	return nil
}

// storedRecord is the record as the database gives it back.
func storedRecord(r idempotency.Record) idempotency.Record {
	r.CreatedAt = millis(r.CreatedAt)
	r.ReplayUntil = millis(r.ReplayUntil)
	r.PurgeAfter = purgeTime(r.PurgeAfter)
	return r
}
