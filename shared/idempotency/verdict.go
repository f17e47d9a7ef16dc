package idempotency

import (
	"fmt"
	"time"
)

// Verdict says what a request is, given the record found under its key.
type Verdict int

// The verdicts, in the order in which [Decide] looks for them.
const (
	// Purgeable: the record is past its purge time and only not deleted yet.
	// The key is free; write again under the condition that lets a purgeable
	// record be replaced.
	Purgeable Verdict = iota + 1
	// Created: the record is this very request's own, written by a try whose
	// acknowledgement was lost. The thing was made now, not replayed.
	Created
	// WindowOver: an earlier request used the key and its replay window is
	// over, see [WindowOverError].
	WindowOver
	// Mismatch: an earlier request with other inputs used the key, see
	// [MismatchError].
	Mismatch
	// Replayed: an earlier request with the same inputs used the key; answer
	// with the thing it made.
	Replayed
)

// String returns the verdict's name in snake case, as it appears in logs.
func (v Verdict) String() string {
	switch v {
	case Purgeable:
		return "purgeable"
	case Created:
		return "created"
	case WindowOver:
		return "window_over"
	case Mismatch:
		return "mismatch"
	case Replayed:
		return "replayed"
	}
	return fmt.Sprintf("verdict(%d)", int(v))
}

// Decide judges a request that found a record under its key. Mine is the
// target that this request tried to make, fp its fingerprint by the schema of
// the record (see [For]; a fingerprint of another schema never matches, so
// callers who hold the [Canonical] use [Judge]).
//
// The order matters. A purgeable record counts as absent, even one's own. One's
// own record is success, whatever the clock says. Behind the window the
// fingerprint is no longer looked at: both a repeat and a reused key get the
// same answer, and neither starts work.
func Decide(record Record, mine string, fp Fingerprint, now time.Time) Verdict {
	switch {
	case !now.Before(record.PurgeAfter):
		return Purgeable
	case mine != "" && record.Target == mine:
		return Created
	case !now.Before(record.ReplayUntil):
		return WindowOver
	case fp != record.Fingerprint:
		return Mismatch
	default:
		return Replayed
	}
}

// Judge is [Decide] for a request given by its description: it computes the
// fingerprint by the rule under which the record was written, so that an
// upgrade between two sends turns no repeat into a mismatch. A record of an
// unknown schema gives a [*SchemaError], unless the verdict does not depend on
// the fingerprint.
func Judge(record Record, mine string, request *Canonical, now time.Time) (Verdict, error) {
	fp, err := For(record.Fingerprint.Schema, request)
	verdict := Decide(record, mine, fp, now)
	if err != nil && verdict == Mismatch {
		return 0, fmt.Errorf("compare with the idempotency record of %s: %w", record.Target, err)
	}
	return verdict, nil
}
