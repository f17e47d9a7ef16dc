package keyed_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/replyonce/replyonce/shared/idempotency"
	"github.com/replyonce/replyonce/shared/keyed"
	"github.com/replyonce/replyonce/shared/storeerror"
)

var start = time.Date(2026, 11, 29, 14, 0, 0, 0, time.UTC)

// shelf keeps one record, as a store would.
type shelf struct {
	record  *idempotency.Record
	readErr error
}

func (s *shelf) Record(context.Context, idempotency.Scope, idempotency.Key) (idempotency.Record, error) {
	switch {
	case s.readErr != nil:
		return idempotency.Record{}, s.readErr
	case s.record == nil:
		return idempotency.Record{}, storeerror.ErrNotFound
	}
	return *s.record, nil
}

// put writes under the condition of the accept transaction.
func (s *shelf) put(record idempotency.Record) error {
	if s.record != nil && record.CreatedAt.Before(s.record.PurgeAfter) {
		return storeerror.ErrRecordExists
	}
	s.record = &record
	return nil
}

type bundle struct {
	shelf   *shelf
	creator keyed.Creator
	now     time.Time
	pauses  int
}

func setup() *bundle {
	b := &bundle{shelf: &shelf{}, now: start}
	b.creator = keyed.Creator{
		Records: b.shelf, Windows: idempotency.Windows{Replay: time.Hour, Purge: 2 * time.Hour},
		Now:   func() time.Time { return b.now },
		Pause: func(ctx context.Context, _ int) error { b.pauses++; return ctx.Err() },
	}
	return b
}

func request(target, text string) keyed.Request {
	return keyed.Request{
		Scope: idempotency.Scope{Workspace: "acme", Caller: "alice", Operation: "submit"}, Key: "r-1", Target: target,
		Canonical: idempotency.NewCanonical("submit").String("text", text),
	}
}

// do runs a request whose writes meet faults in order; after them they land.
func (b *bundle) do(t *testing.T, target, text string, faults ...func(put func() error) error) (keyed.Outcome, error) {
	t.Helper()
	var first *idempotency.Record
	return b.creator.Do(t.Context(), request(target, text), func(_ context.Context, record idempotency.Record) error {
		if first != nil && *first != record && b.now.Equal(start) {
			t.Errorf("a retry has another record: %+v, first %+v", record, *first)
		}
		first = &record
		put := func() error { return b.shelf.put(record) }
		if len(faults) == 0 {
			return put()
		}
		fault := faults[0]
		faults = faults[1:]
		return fault(put)
	})
}

func refuse(err error) func(func() error) error { return func(func() error) error { return err } }

func lose(err error) func(func() error) error {
	return func(put func() error) error {
		_ = put()
		return err
	}
}

func TestFirstAndRepeat(t *testing.T) {
	t.Parallel()
	b := setup()
	first, err := b.do(t, "/t/1", "hi")
	if err != nil || first.Replayed || first.Record.Target != "/t/1" {
		t.Fatalf("first: %+v, %v", first, err)
	}
	repeat, err := b.do(t, "/t/2", "hi")
	if err != nil || !repeat.Replayed || repeat.Record.Target != "/t/1" {
		t.Errorf("repeat: %+v, %v", repeat, err)
	}
	_, err = b.do(t, "/t/3", "ho")
	if mismatch, ok := errors.AsType[*idempotency.MismatchError](err); !ok || !mismatch.ReplayUntil.Equal(start.Add(time.Hour)) {
		t.Errorf("other inputs: %v", err)
	}
}

func TestWritesWithFaults(t *testing.T) {
	t.Parallel()
	unknown, conflict := storeerror.ErrWriteUnknown, storeerror.ErrConflict
	tests := map[string]struct {
		faults []func(func() error) error
		want   error // nil: created
		pauses int
	}{
		"landed, acknowledgement lost":  {[]func(func() error) error{lose(unknown)}, nil, 0},
		"landed, retry met own record":  {[]func(func() error) error{lose(storeerror.ErrRecordExists)}, nil, 0},
		"landed in spite of a conflict": {[]func(func() error) error{lose(conflict)}, nil, 0},
		"never arrived":                 {[]func(func() error) error{refuse(unknown)}, nil, 1},
		"conflict twice":                {[]func(func() error) error{refuse(conflict), refuse(conflict)}, nil, 2},
		"conflict without end":          {[]func(func() error) error{refuse(conflict), refuse(conflict), refuse(conflict), refuse(conflict)}, keyed.ErrUnresolved, 3},
		"unavailable":                   {[]func(func() error) error{refuse(storeerror.ErrUnavailable)}, storeerror.ErrUnavailable, 0},
		"another item exists":           {[]func(func() error) error{refuse(storeerror.ErrExists)}, storeerror.ErrExists, 0},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup()
			outcome, err := b.do(t, "/t/1", "hi", tt.faults...)
			if !errors.Is(err, tt.want) || (tt.want == nil && (err != nil || outcome.Replayed || outcome.Record.Target != "/t/1")) {
				t.Errorf("outcome %+v, %v, want %v", outcome, err, tt.want)
			}
			if b.pauses != tt.pauses {
				t.Errorf("%d pauses, want %d", b.pauses, tt.pauses)
			}
		})
	}
}

// The write's end is unknown and the record cannot be read: nobody may say that
// nothing was saved.
func TestUnreadableRecordIsUnresolved(t *testing.T) {
	t.Parallel()
	b := setup()
	b.shelf.readErr = storeerror.ErrUnavailable
	if _, err := b.do(t, "/t/1", "hi", lose(storeerror.ErrWriteUnknown)); !errors.Is(err, keyed.ErrUnresolved) {
		t.Errorf("error %v", err)
	}
}

func TestNoTimeForAnotherTry(t *testing.T) {
	t.Parallel()
	b := setup()
	ctx, cancel := context.WithCancel(t.Context())
	_, err := b.creator.Do(ctx, request("/t/1", "hi"), func(context.Context, idempotency.Record) error {
		cancel()
		return storeerror.ErrConflict
	})
	if !errors.Is(err, keyed.ErrUnresolved) {
		t.Errorf("error %v", err)
	}
}

func TestLimitsOfTheRecord(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		after time.Duration
		over  bool
		free  bool
	}{
		"inside":         {time.Hour - time.Millisecond, false, false},
		"window's end":   {time.Hour, true, false},
		"before purge":   {2*time.Hour - time.Millisecond, true, false},
		"purge exactly":  {2 * time.Hour, false, true},
		"long after":     {9 * time.Hour, false, true},
		"at the instant": {0, false, false},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup()
			if _, err := b.do(t, "/t/1", "hi"); err != nil {
				t.Fatal(err)
			}
			b.now = start.Add(tt.after)
			outcome, found, findErr := b.creator.Find(t.Context(), request("/t/2", "hi"))
			if found == tt.free || (findErr == nil) == tt.over || (found && findErr == nil && !outcome.Replayed) {
				t.Errorf("found %t, %+v, %v", found, outcome, findErr)
			}
			outcome, err := b.do(t, "/t/2", "hi")
			over, isOver := errors.AsType[*idempotency.WindowOverError](err)
			switch {
			case tt.free && (err != nil || outcome.Replayed || outcome.Record.Target != "/t/2"):
				t.Errorf("new request: %+v, %v", outcome, err)
			case tt.over && (!isOver || over.Location != "/t/1"):
				t.Errorf("late repeat: %+v, %v", outcome, err)
			case !tt.free && !tt.over && (err != nil || !outcome.Replayed):
				t.Errorf("repeat: %+v, %v", outcome, err)
			}
		})
	}
}

// A purgeable record stood in the way at the read and was past its purge time at
// the next write: the key is free.
func TestPurgeTimeReachedBetweenWriteAndRead(t *testing.T) {
	t.Parallel()
	b := setup()
	if _, err := b.do(t, "/t/1", "hi"); err != nil {
		t.Fatal(err)
	}
	b.now = start.Add(2*time.Hour - time.Millisecond)
	outcome, err := b.do(t, "/t/2", "ho", func(func() error) error {
		b.now = start.Add(2 * time.Hour)
		return storeerror.ErrRecordExists
	})
	if err != nil || outcome.Replayed || outcome.Record.Target != "/t/2" || !outcome.Record.CreatedAt.Equal(b.now) {
		t.Errorf("outcome %+v, %v", outcome, err)
	}
}

// A record that an earlier release has written, with its fingerprint as it
// stands in tables: the rule of its number decides, not today's.
func TestRecordOfAnOlderSchema(t *testing.T) {
	t.Parallel()
	fingerprint, err := idempotency.ParseFingerprint("1:X-1hR_ayiceQLKSyhcIHhWZ7iksKwQIRUKaw7ksevxU")
	if err != nil {
		t.Fatal(err)
	}
	stop := "stop"
	tests := map[string]struct {
		text     string
		policy   *string
		replayed bool
	}{
		"the same request": {"Who decides?", nil, true},
		"another text":     {"Who pays?", nil, false},
		"a field that the older release did not know": {"Who decides?", &stop, false},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup()
			b.shelf.record = &idempotency.Record{
				Scope: request("", "").Scope, Key: "r-1", Fingerprint: fingerprint, Target: "/t/1",
				CreatedAt: start.Add(-time.Minute), ReplayUntil: start.Add(time.Hour), PurgeAfter: start.Add(2 * time.Hour),
			}
			r := request("/t/2", "")
			r.Canonical = idempotency.NewCanonical("submit").Path("conversation", "01KB7Q0000000000000000000C").
				String("text", tt.text).String("document", "01KB7Q0000000000000000000D").Integer("version", 3).
				List("history", []string{"01KB7Q0000000000000000000T"}).Optional("on_unknown", tt.policy)
			outcome, err := b.creator.Do(t.Context(), r, func(_ context.Context, record idempotency.Record) error { return b.shelf.put(record) })
			_, mismatch := errors.AsType[*idempotency.MismatchError](err)
			if tt.replayed && (err != nil || !outcome.Replayed || outcome.Record.Target != "/t/1") || !tt.replayed && !mismatch {
				t.Errorf("outcome %+v, %v", outcome, err)
			}
		})
	}
}

func TestFindNothing(t *testing.T) {
	t.Parallel()
	b := setup()
	if _, found, err := b.creator.Find(t.Context(), request("/t/1", "hi")); found || err != nil {
		t.Errorf("found %t, %v", found, err)
	}
	b.shelf.readErr = storeerror.ErrUnavailable
	if _, _, err := b.creator.Find(t.Context(), request("/t/1", "hi")); err == nil {
		t.Error("an unreadable record was taken for none")
	}
}
