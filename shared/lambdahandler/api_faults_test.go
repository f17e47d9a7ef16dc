package lambdahandler_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/replyonce/replyonce/shared/conversation"
	"github.com/replyonce/replyonce/shared/document"
	"github.com/replyonce/replyonce/shared/idempotency"
	"github.com/replyonce/replyonce/shared/storeerror"
	"github.com/replyonce/replyonce/shared/telemetry"
	"github.com/replyonce/replyonce/shared/worktask"
)

// The accept transaction lands and its acknowledgement is lost: as an unknown
// result, and as the refusal that a hidden retry meets at its own record.
func TestCaseS1LostAcknowledgementOfAccept(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]func(func() error) error{
		"unknown":       lost(storeerror.ErrWriteUnknown),
		"own record":    lost(storeerror.ErrRecordExists),
		"never arrived": refusing(storeerror.ErrWriteUnknown),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := &faulty{}
			h := newHarness(t, withFaults(f))
			th := h.thread(t)
			f.accept = inOrder(fault)
			id := h.do(t, th.submit("r-1", "Who decides?")).want(202, "").wantReplayed("r-1", "false").text("id")
			if got := h.do(t, th.submit("r-1", "Who decides?")).want(200, "").text("id"); got != id {
				t.Errorf("repeat answered task %s, want %s", got, id)
			}
			h.wantLog(t, th, 1, 1)
			if h.queue.count() != 1 || h.metrics.of(telemetry.Accepted) != 1 {
				t.Errorf("%d published, %d accepted, want 1", h.queue.count(), h.metrics.of(telemetry.Accepted))
			}
		})
	}
}

// Why a transaction was cancelled decides the answer: "duplicate" is said of a
// record that exists and of nothing else.
func TestCaseS3ReasonsOfCancelledTransactions(t *testing.T) {
	t.Parallel()
	busy := refusing(storeerror.ErrConflict)
	tests := map[string]struct {
		faults []func(func() error) error
		status int
		code   string
		tasks  int
	}{
		"conflict, then free":           {[]func(func() error) error{busy, busy}, 202, "", 1},
		"conflict without end":          {[]func(func() error) error{busy, busy, busy, busy}, 409, "in_progress", 0},
		"in progress after a timeout":   {[]func(func() error) error{lost(storeerror.ErrConflict)}, 202, "", 1},
		"throttled":                     {[]func(func() error) error{refusing(storeerror.ErrUnavailable)}, 503, "store_unavailable", 0},
		"another slot's condition":      {[]func(func() error) error{refusing(storeerror.ErrExists)}, 500, "internal", 0},
		"item larger than the engine's": {[]func(func() error) error{refusing(&storeerror.TooLargeError{What: "message", Limit: 1})}, 413, "body_too_large", 0},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := &faulty{}
			h := newHarness(t, withFaults(f))
			th := h.thread(t)
			f.accept = inOrder(tt.faults...)
			res := h.do(t, th.submit("r-1", "Who decides?")).want(tt.status, tt.code).wantReplayed("r-1", "false")
			if (res.status == 409 || res.status == 503) && res.headers["Retry-After"] == "" {
				t.Error("no Retry-After where waiting helps")
			}
			h.wantLog(t, th, tt.tasks, tt.tasks)
		})
	}
}

// Neither the write's end nor the record can be seen: the answer is "not known
// yet", never "not saved".
func TestUnresolvedAcceptIsInProgress(t *testing.T) {
	t.Parallel()
	f := &faulty{}
	h := newHarness(t, withFaults(f))
	th := h.thread(t)
	f.accept = inOrder(lost(storeerror.ErrWriteUnknown))
	f.read = func(context.Context) error { return storeerror.ErrUnavailable }
	h.do(t, th.submit("r-1", "Who decides?")).want(409, "in_progress")
	f.read = nil
	h.do(t, th.submit("r-1", "Who decides?")).want(200, "").wantReplayed("r-1", "true")
	h.wantLog(t, th, 1, 1)
}

// The store commits and answers after 31 s; the function must give up before
// the gateway does. The second send finds the task of the first.
func TestCaseA3StoreAnswersAfterTheGatewayGaveUp(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := &faulty{}
		h := newHarness(t, withFaults(f))
		th := h.thread(t)
		f.accept = func(ctx context.Context, next func() error) error {
			if err := next(); err != nil {
				return err
			}
			select {
			case <-time.After(31 * time.Second):
				return nil
			case <-ctx.Done(): // as a client of the database ends
				return errors.Join(storeerror.ErrWriteUnknown, context.Cause(ctx))
			}
		}
		began := time.Now()
		ctx, cancel := context.WithTimeout(t.Context(), h.timers.APILimit)
		defer cancel()
		h.send(t, ctx, th.submit("r-1", "Who decides?")).want(409, "in_progress")
		if took := time.Since(began); took >= h.timers.APILimit {
			t.Errorf("answered after %s, the function ends at %s", took, h.timers.APILimit)
		}
		f.accept = nil
		h.do(t, th.submit("r-1", "Who decides?")).want(200, "").wantReplayed("r-1", "true")
		h.wantLog(t, th, 1, 1)
		if h.queue.count() != 0 {
			t.Error("a handoff was published by a request that did not know its task")
		}
	})
}

func TestCaseI9WhatIsReplayedAfterwards(t *testing.T) {
	t.Parallel()
	t.Run("throttled, then again", func(t *testing.T) {
		t.Parallel()
		f := &faulty{}
		h := newHarness(t, withFaults(f))
		th := h.thread(t)
		f.accept = inOrder(refusing(storeerror.ErrUnavailable))
		h.do(t, th.submit("r-1", "Who decides?")).want(503, "store_unavailable")
		h.do(t, th.submit("r-1", "Who decides?")).want(202, "").wantReplayed("r-1", "false")
	})
	t.Run("failed for good", func(t *testing.T) {
		t.Parallel()
		h := newHarness(t)
		th := h.thread(t)
		id := h.do(t, th.submit("r-1", "Who decides?")).want(202, "").text("id")
		a := h.claim(t, th.ref(id), "worker-1")
		h.apply(t, th.ref(id), a.Fail(h.clock.Now(), worktask.Declined, true, worktask.Report{}))
		res := h.do(t, th.submit("r-1", "Who decides?")).want(200, "").wantReplayed("r-1", "true")
		failure, _ := res.json()["failure"].(map[string]any)
		if res.text("id") != id || res.text("status") != "failed" || failure["reason"] != "declined" || res.headers["Retry-After"] != "" {
			t.Errorf("replay of a failed task: %v %s", res.headers, res.body)
		}
	})
	t.Run("refused, then corrected", func(t *testing.T) {
		t.Parallel()
		h := newHarness(t)
		th := h.thread(t)
		h.do(t, th.submit("r-1", "")).want(400, "field_missing")
		h.do(t, th.submit("r-1", "Who decides?")).want(202, "")
	})
}

// vanished hides things as a deletion by an operator does.
type vanished struct {
	stores
	conversation, task, version bool
}

func (v *vanished) Conversation(ctx context.Context, workspace, id string) (c conversation.Conversation, err error) {
	if v.conversation {
		return c, storeerror.ErrNotFound
	}
	return v.stores.Conversation(ctx, workspace, id)
}

func (v *vanished) Get(ctx context.Context, ref worktask.Ref) (worktask.Task, error) {
	if v.task {
		return worktask.Task{}, storeerror.ErrNotFound
	}
	return v.stores.Get(ctx, ref)
}

func (v *vanished) Version(ctx context.Context, workspace, id string, number int) (version document.Version, err error) {
	if v.version {
		return version, storeerror.ErrNotFound
	}
	return v.stores.Version(ctx, workspace, id, number)
}

func TestCaseI9RepeatOfSomethingDeleted(t *testing.T) {
	t.Parallel()
	v := &vanished{}
	h := newHarness(t, func(s stores) stores { v.stores = s; return v })
	th := h.thread(t)
	id := h.do(t, th.submit("r-1", "Who decides?")).want(202, "").text("id")

	// The document went: the repeat still learns its task, a new request does not pass.
	v.version = true
	h.do(t, th.submit("r-1", "Who decides?")).want(200, "").wantReplayed("r-1", "true")
	h.do(t, th.submit("r-2", "Who decides?")).want(404, "not_found")

	// The conversation went with its tasks.
	v.conversation, v.task = true, true
	res := h.do(t, th.submit("r-1", "Who decides?")).want(410, "gone").wantReplayed("r-1", "false")
	if want := "/prod" + th.task(id); res.text("location") != want || res.headers["Location"] != want {
		t.Errorf("gone: %v %s, want location %s", res.headers, res.body, want)
	}
	h.do(t, th.submit("r-1", "Who pays?")).want(422, "idempotency_key_reused")
	h.do(t, th.submit("r-3", "Who decides?")).want(404, "not_found")
	if h.metrics.of(telemetry.Accepted) != 1 {
		t.Errorf("%d accepted, want 1", h.metrics.of(telemetry.Accepted))
	}
}

func TestCaseI7WindowAndPurgeTime(t *testing.T) {
	t.Parallel()
	const window, purge = 24 * time.Hour, 365 * 24 * time.Hour
	tests := map[string]struct {
		after  time.Duration
		text   string
		status int
		code   string
	}{
		"last moment of the window":        {window - time.Millisecond, "Who decides?", 200, ""},
		"window over exactly now":          {window, "Who decides?", 410, "idempotency_window_over"},
		"window over, another text":        {window, "Who pays?", 410, "idempotency_window_over"},
		"last moment of the tombstone":     {purge - time.Millisecond, "Who decides?", 410, "idempotency_window_over"},
		"purge time exactly now":           {purge, "Who decides?", 202, ""},
		"purge time over, not deleted yet": {purge + time.Second, "Who decides?", 202, ""},
		"purge time over, another text":    {purge + time.Second, "Who pays?", 202, ""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHarness(t)
			th := h.thread(t)
			first := h.do(t, th.submit("r-1", "Who decides?")).want(202, "")
			h.clock.add(tt.after)
			res := h.do(t, th.submit("r-1", tt.text)).want(tt.status, tt.code)
			tasks := 1
			switch tt.status {
			case 202:
				tasks = 2
			case 410:
				if want := "/prod" + th.task(first.text("id")); res.text("location") != want || res.headers["Location"] != want {
					t.Errorf("location %q, want %q", res.text("location"), want)
				}
				if want := "Mon, 30 Nov 2026 14:00:00 GMT"; res.headers["Idempotency-Expires"] != want {
					t.Errorf("window ended %s, want %s", res.headers["Idempotency-Expires"], want)
				}
			}
			h.wantLog(t, th, tasks, tasks)
		})
	}
}

// A panic answers with a problem, and its text is in neither answer nor log.
func TestPanicIsAProblem(t *testing.T) {
	t.Parallel()
	f := &faulty{}
	h := newHarness(t, withFaults(f))
	th := h.thread(t)
	f.accept = func(context.Context, func() error) error { panic("secret text of a message") }
	h.do(t, th.submit("r-1", "Who decides?")).want(500, "internal").wantReplayed("r-1", "false")
	if h.logs.contains("secret text") || !h.logs.contains("request panicked") {
		t.Errorf("log: %s", h.logs)
	}
}

// The purge time that the database deletes by is in whole seconds, and neither
// in the past nor years away.
func TestCaseI7StoredPurgeTime(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	th := h.thread(t)
	h.clock.add(123 * time.Millisecond)
	h.do(t, th.submit("r-1", "Who decides?")).want(202, "")
	record, err := h.store.Record(t.Context(), idempotency.Scope{Workspace: "acme", Caller: "alice", Operation: "submit"}, "r-1")
	if err != nil {
		t.Fatal(err)
	}
	now := h.clock.Now()
	if p := record.PurgeAfter; p.Nanosecond() != 0 || !p.After(now) || p.After(now.Add(h.timers.PurgeAfter+24*time.Hour)) {
		t.Errorf("purge time %s at %s", p, now)
	}
}
