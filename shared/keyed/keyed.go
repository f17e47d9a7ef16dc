// Package keyed runs a creating call under its idempotency key: once per key
// something is made, and every repeat learns what it was.
package keyed

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/replyonce/replyonce/shared/idempotency"
	"github.com/replyonce/replyonce/shared/storeerror"
)

// ErrUnresolved: the first write is neither proven to have landed nor proven
// not to. The caller must repeat the call with the same key; it must not take
// this for "not saved".
var ErrUnresolved = errors.New("it is not known yet whether the request was saved")

// Request is a creating call.
type Request struct {
	Scope     idempotency.Scope
	Key       idempotency.Key
	Canonical *idempotency.Canonical
	Target    string // names what this very request is about to make; unique
}

// Outcome is what stands under the key after the call.
type Outcome struct {
	Record   idempotency.Record
	Replayed bool // an earlier request made it
}

// Creator runs creating calls.
type Creator struct {
	Records Records
	Windows idempotency.Windows
	Now     func() time.Time
	// Pause waits before another try, or until ctx is done. It receives the
	// number of the try that follows, from 1.
	Pause func(ctx context.Context, try int) error
}

// tries bounds how often the write is made in one call. The caller's own
// repeats come on top; none of them can make a second thing.
const tries = 4

// Do makes the write under the key, or finds what an earlier call made. write
// makes the thing and the record in one transaction and reports with the errors
// of package storeerror. It is called again only with the same record, hence
// the same bytes, unless the record that stood in the way was past its purge
// time.
//
// The errors are *idempotency.MismatchError, *idempotency.WindowOverError,
// ErrUnresolved, storeerror.ErrUnavailable, or the write's own.
func (c Creator) Do(ctx context.Context, r Request, write func(context.Context, idempotency.Record) error) (Outcome, error) {
	record, err := c.record(r)
	if err != nil {
		return Outcome{}, err
	}
	for try := 1; ; try++ {
		writeErr := write(ctx, record)
		if writeErr == nil {
			return Outcome{Record: record}, nil
		}
		if !unresolved(writeErr) {
			return Outcome{}, writeErr
		}
		found, verdict, err := c.judge(ctx, r)
		if err != nil {
			return Outcome{}, errors.Join(err, writeErr)
		}
		if verdict == idempotency.Purgeable {
			if record, err = c.record(r); err != nil {
				return Outcome{}, err
			}
		} else if verdict != absent {
			return settle(r, found, verdict)
		}
		if try == tries {
			return Outcome{}, fmt.Errorf("%w: %w", ErrUnresolved, writeErr)
		}
		if err := c.Pause(ctx, try); err != nil {
			return Outcome{}, fmt.Errorf("%w: %w", ErrUnresolved, err)
		}
	}
}

func (c Creator) record(r Request) (idempotency.Record, error) {
	record, err := idempotency.NewRecord(r.Scope, r.Key, r.Canonical.Fingerprint(), r.Target, c.Now(), c.Windows)
	if err != nil {
		return idempotency.Record{}, fmt.Errorf("make idempotency record: %w", err)
	}
	return record, nil
}

// unresolved reports whether the record must be read to know what happened. A
// conflict or a lost acknowledgement means "not known", never "not saved" and
// never "duplicate".
func unresolved(err error) bool {
	return errors.Is(err, storeerror.ErrRecordExists) || errors.Is(err, storeerror.ErrWriteUnknown) ||
		errors.Is(err, storeerror.ErrConflict)
}

// absent is the verdict on a record that is not there.
const absent idempotency.Verdict = 0

func (c Creator) judge(ctx context.Context, r Request) (idempotency.Record, idempotency.Verdict, error) {
	found, err := c.Records.Record(ctx, r.Scope, r.Key)
	if errors.Is(err, storeerror.ErrNotFound) {
		return idempotency.Record{}, absent, nil
	}
	if err != nil {
		return idempotency.Record{}, absent, fmt.Errorf("%w: read idempotency record: %w", ErrUnresolved, err)
	}
	verdict, err := idempotency.Judge(found, r.Target, r.Canonical, c.Now())
	if err != nil {
		return idempotency.Record{}, absent, err
	}
	return found, verdict, nil
}

func settle(r Request, found idempotency.Record, verdict idempotency.Verdict) (Outcome, error) {
	switch verdict {
	case idempotency.Created:
		return Outcome{Record: found}, nil
	case idempotency.Replayed:
		return Outcome{Record: found, Replayed: true}, nil
	case idempotency.WindowOver:
		return Outcome{}, &idempotency.WindowOverError{Key: r.Key, Location: found.Target, ReplayUntil: found.ReplayUntil}
	case idempotency.Mismatch:
		return Outcome{}, &idempotency.MismatchError{Key: r.Key, ReplayUntil: found.ReplayUntil}
	case idempotency.Purgeable:
	}
	return Outcome{}, fmt.Errorf("idempotency verdict %s cannot be settled", verdict)
}
