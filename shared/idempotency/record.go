package idempotency

import (
	"fmt"
	"time"
)

// Record remembers the first request under a key and what it made. It is
// written once, together with the thing it points to, and never changed.
type Record struct {
	Scope       Scope
	Key         Key
	Fingerprint Fingerprint
	Target      string    // what the request made, opaque here, for instance the path of a task
	CreatedAt   time.Time // UTC, whole milliseconds
	ReplayUntil time.Time // UTC, whole milliseconds: first instant at which repeats are no longer replayed
	PurgeAfter  time.Time // UTC, whole seconds: first instant at which the key is free again
}

// Windows are the two lifetimes of a record, counted from its creation.
type Windows struct {
	Replay time.Duration // repeats are answered with the thing that was made
	Purge  time.Duration // the key stays taken; longer than Replay
}

// NewRecord makes a record at now. Times are cut to what every store keeps,
// so that a record read back equals the one written: milliseconds, and whole
// seconds (rounded up) for PurgeAfter, which storage engines count in seconds.
func NewRecord(scope Scope, key Key, fp Fingerprint, target string, now time.Time, w Windows) (Record, error) {
	if w.Replay <= 0 || w.Purge < w.Replay {
		return Record{}, fmt.Errorf("new idempotency record: replay window %s and purge time %s do not fit", w.Replay, w.Purge)
	}
	created := now.UTC().Truncate(time.Millisecond)
	return Record{
		Scope:       scope,
		Key:         key,
		Fingerprint: fp,
		Target:      target,
		CreatedAt:   created,
		ReplayUntil: created.Add(w.Replay).Truncate(time.Millisecond),
		PurgeAfter:  ceilSecond(created.Add(w.Purge)),
	}, nil
}

func ceilSecond(t time.Time) time.Time {
	floor := t.Truncate(time.Second)
	if floor.Equal(t) {
		return floor
	}
	return floor.Add(time.Second)
}
