package idempotency_test

import (
	"errors"
	"testing"
	"time"

	"github.com/replyonce/replyonce/shared/idempotency"
)

var (
	created = time.Date(2026, 11, 29, 14, 0, 0, 123_000_000, time.UTC)
	windows = idempotency.Windows{Replay: 24 * time.Hour, Purge: 365 * 24 * time.Hour}
	scope   = idempotency.Scope{Workspace: "acme", Caller: "u1", Operation: "submit"}
)

const target = "/v1/conversations/c/tasks/t1"

func newRecord(t *testing.T) idempotency.Record {
	t.Helper()
	record, err := idempotency.NewRecord(scope, "r-1", send("hi").Fingerprint(), target, created, windows)
	if err != nil {
		t.Fatal(err)
	}
	return record
}

// A record that is still stored is judged by its times alone, the limits are
// half open, and the same rule holds for one's own record.
func TestCaseI7EachLimitExactlyNow(t *testing.T) {
	t.Parallel()
	record := newRecord(t)
	same, other := send("hi").Fingerprint(), send("ho").Fingerprint()
	const another = "/v1/conversations/c/tasks/t2"
	const tick = time.Nanosecond
	tests := []struct {
		name string
		mine string
		fp   idempotency.Fingerprint
		now  time.Time
		want idempotency.Verdict
	}{
		{"repeat at once", another, same, created, idempotency.Replayed},
		{"repeat by a slow clock", another, same, created.Add(-time.Hour), idempotency.Replayed},
		{"repeat just inside", another, same, record.ReplayUntil.Add(-tick), idempotency.Replayed},
		{"repeat exactly at the end of the window", another, same, record.ReplayUntil, idempotency.WindowOver},
		{"repeat just before the purge time", another, same, record.PurgeAfter.Add(-tick), idempotency.WindowOver},
		{"repeat exactly at the purge time", another, same, record.PurgeAfter, idempotency.Purgeable},
		{"repeat a second behind the purge time", another, same, record.PurgeAfter.Add(time.Second), idempotency.Purgeable},

		{"other inputs at once", another, other, created, idempotency.Mismatch},
		{"other inputs just inside", another, other, record.ReplayUntil.Add(-tick), idempotency.Mismatch},
		{"other inputs exactly at the end of the window", another, other, record.ReplayUntil, idempotency.WindowOver},
		{"other inputs exactly at the purge time", another, other, record.PurgeAfter, idempotency.Purgeable},

		{"own record", target, same, created, idempotency.Created},
		{"own record, window over by a fast clock", target, same, record.ReplayUntil, idempotency.Created},
		{"own record at the purge time", target, same, record.PurgeAfter, idempotency.Purgeable},
		{"nothing made", "", same, created, idempotency.Replayed},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := idempotency.Decide(record, tt.mine, tt.fp, tt.now); got != tt.want {
				t.Errorf("verdict = %s, want %s", got, tt.want)
			}
		})
	}
}

// A record without a target is nobody's own.
func TestDecideWithoutTargets(t *testing.T) {
	t.Parallel()
	record := newRecord(t)
	record.Target = ""
	if got := idempotency.Decide(record, "", record.Fingerprint, created); got != idempotency.Replayed {
		t.Errorf("verdict = %s, want %s", got, idempotency.Replayed)
	}
}

// Storage engines count the purge time in whole seconds and compare with a
// clock cut to whole seconds; both ways of comparing must agree.
func TestCaseI7PurgeTimeIsWholeSeconds(t *testing.T) {
	t.Parallel()
	record := newRecord(t)
	if record.PurgeAfter.Nanosecond() != 0 {
		t.Fatalf("purge time %s has a fraction", record.PurgeAfter)
	}
	low, high := created.Add(windows.Purge), created.Add(windows.Purge+time.Second)
	if record.PurgeAfter.Before(low) || !record.PurgeAfter.Before(high) {
		t.Errorf("purge time %s, want within a second of %s", record.PurgeAfter, low)
	}
	for _, offset := range []time.Duration{-time.Second, -time.Millisecond, 0, time.Millisecond, time.Second} {
		now := record.PurgeAfter.Add(offset)
		bySeconds := record.PurgeAfter.Unix() <= now.Unix()
		byDecide := idempotency.Decide(record, "", record.Fingerprint, now) == idempotency.Purgeable
		if bySeconds != byDecide {
			t.Errorf("at purge time %+v: by seconds %t, by Decide %t", offset, bySeconds, byDecide)
		}
	}
}

func TestNewRecordCutsTimes(t *testing.T) {
	t.Parallel()
	zone := time.FixedZone("elsewhere", 3600)
	record, err := idempotency.NewRecord(scope, "r-1", send("hi").Fingerprint(), target, created.Add(999*time.Microsecond).In(zone), windows)
	if err != nil {
		t.Fatal(err)
	}
	if record.CreatedAt != created || record.ReplayUntil != created.Add(windows.Replay) {
		t.Errorf("created %s, replay until %s", record.CreatedAt, record.ReplayUntil)
	}
	whole, err := idempotency.NewRecord(scope, "r-1", send("hi").Fingerprint(), target, created.Truncate(time.Second), windows)
	if err != nil {
		t.Fatal(err)
	}
	if want := created.Truncate(time.Second).Add(windows.Purge); whole.PurgeAfter != want {
		t.Errorf("purge after %s, want %s", whole.PurgeAfter, want)
	}
}

func TestNewRecordRefusesWindowsThatDoNotFit(t *testing.T) {
	t.Parallel()
	for _, w := range []idempotency.Windows{{}, {Replay: -1, Purge: 1}, {Replay: 2, Purge: 1}, {Purge: time.Hour}} {
		if _, err := idempotency.NewRecord(scope, "r-1", send("hi").Fingerprint(), target, created, w); err == nil {
			t.Errorf("windows %+v accepted", w)
		}
	}
}

// An upgrade or a downgrade between two sends: the record's own rule counts.
func TestJudgeUsesTheSchemaOfTheRecord(t *testing.T) {
	t.Parallel()
	record := newRecord(t)
	if got, err := idempotency.Judge(record, "", send("hi"), created); err != nil || got != idempotency.Replayed {
		t.Errorf("same inputs: %s, %v", got, err)
	}
	if got, err := idempotency.Judge(record, "", send("ho"), created); err != nil || got != idempotency.Mismatch {
		t.Errorf("other inputs: %s, %v", got, err)
	}

	record.Fingerprint.Schema = idempotency.Schema + 1
	_, err := idempotency.Judge(record, "", send("hi"), created)
	if _, isSchemaError := errors.AsType[*idempotency.SchemaError](err); !isSchemaError {
		t.Errorf("unknown schema inside the window: %v, want a SchemaError", err)
	}
	for now, want := range map[time.Time]idempotency.Verdict{
		record.ReplayUntil: idempotency.WindowOver,
		record.PurgeAfter:  idempotency.Purgeable,
	} {
		if got, err := idempotency.Judge(record, "", send("hi"), now); err != nil || got != want {
			t.Errorf("unknown schema at %s: %s, %v, want %s", now, got, err, want)
		}
	}
	if got, err := idempotency.Judge(record, target, send("hi"), created); err != nil || got != idempotency.Created {
		t.Errorf("unknown schema, own record: %s, %v", got, err)
	}
}
