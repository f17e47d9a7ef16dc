package erasework_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/replyonce/replyonce/shared/document"
	"github.com/replyonce/replyonce/shared/erasework"
	"github.com/replyonce/replyonce/shared/idempotency"
	"github.com/replyonce/replyonce/shared/indexing"
	"github.com/replyonce/replyonce/shared/memstore"
	"github.com/replyonce/replyonce/shared/storeerror"
	"github.com/replyonce/replyonce/shared/taskflow"
	"github.com/replyonce/replyonce/shared/worktask"
)

var start = time.Date(2026, 11, 29, 14, 0, 0, 0, time.UTC)

const (
	id       = "01KB7PZ8Q0D0CVMENT00000001"
	pipeline = "0a1b2c3d"
	versions = 3
)

var errKilled = errors.New("killed")

// steps counts what an attempt does, and kills it before a step.
type steps struct {
	*memstore.Store
	done   int
	killAt int // 0: never
}

func (s *steps) step() error {
	s.done++
	if s.done == s.killAt {
		return errKilled
	}
	return nil
}

func (s *steps) FenceVersion(ctx context.Context, workspace, id string, number int) error {
	if err := s.step(); err != nil {
		return err
	}
	return s.Store.FenceVersion(ctx, workspace, id, number)
}

func (s *steps) EraseContents(ctx context.Context, workspace, id string, limit int) (int, error) {
	if err := s.step(); err != nil {
		return 0, err
	}
	return s.Store.EraseContents(ctx, workspace, id, limit)
}

func (s *steps) EraseVersion(ctx context.Context, workspace, id string, number int) error {
	if err := s.step(); err != nil {
		return err
	}
	return s.Store.EraseVersion(ctx, workspace, id, number)
}

func (s *steps) DeleteObject(ctx context.Context, key string) error {
	if err := s.step(); err != nil {
		return err
	}
	return s.Store.DeleteObject(ctx, key)
}

func object(number int) string { return fmt.Sprint("uploads/acme/", number) }

func target(number int) indexing.Target {
	return indexing.Target{Workspace: "acme", Document: id, Number: number, Pipeline: pipeline}
}

// filled has a document with uploaded versions, each with more entries than go at
// once.
func filled(t *testing.T) *steps {
	t.Helper()
	s := &steps{Store: memstore.New(memstore.Options{})}
	d := document.Document{Workspace: "acme", ID: id, Title: "Policy", LatestVersion: 1, CreatedAt: start, UpdatedAt: start}
	for n := 1; n <= versions; n++ {
		v := document.Version{
			Workspace: "acme", Document: id, Number: n, Bytes: 1, SHA256: "x", CreatedAt: start, State: document.Indexing,
			Index: document.Index{Pipeline: pipeline, Task: fmt.Sprint("t", n), Object: object(n)},
		}
		task := worktask.NewTask(worktask.Ref{Workspace: "acme", Scope: document.ScopeOf(id), ID: v.Index.Task}, indexing.Kind, "alice", "{}", "g", worktask.RetryUnknown, start, worktask.DefaultTimers())
		v.IndexTask = &task
		record := idempotency.Record{Scope: idempotency.Scope{Workspace: "acme"}, Key: idempotency.Key(v.Index.Task), CreatedAt: start, PurgeAfter: start.Add(time.Hour)}
		var err error
		if n == 1 {
			err = s.CreateDocument(t.Context(), record, d, v)
		} else {
			err = s.AddVersion(t.Context(), record, d, v)
		}
		w := indexing.Writer{Target: target(n), Assignment: 1}
		err = errors.Join(err, s.PutObject(t.Context(), object(n), []byte("file")), s.TakeVersion(t.Context(), w))
		for part := range 60 {
			err = errors.Join(err, s.WriteEntries(t.Context(), w, []indexing.Entry{{Key: indexing.Key{Stage: indexing.Split, Part: part}, Body: []byte{1}}}))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return s
}

func eraseTask() worktask.Task {
	ref := worktask.Ref{Workspace: "acme", Scope: document.ScopeOf(id), ID: "e"}
	return worktask.NewTask(ref, document.KindErase, "alice", "{}", "g", worktask.RetryUnknown, start, worktask.DefaultTimers())
}

func deleted(t *testing.T) *steps {
	t.Helper()
	s := filled(t)
	stone := document.Tombstone{Workspace: "acme", Document: id, DeletedAt: start, EraseTask: "e"}
	if err := s.DeleteDocument(t.Context(), stone, "", eraseTask()); err != nil {
		t.Fatal(err)
	}
	return s
}

func attempt(ctx context.Context, t *testing.T, s *steps) worktask.Outcome {
	t.Helper()
	work, err := erasework.Kind{Remains: s, Objects: s}.Prepare(t.Context(), eraseTask())
	if err != nil {
		t.Fatal(err)
	}
	return work.Call(ctx, nil)
}

// wantNothing checks that no version, entry or file is left, and that the tombstone is.
func (s *steps) wantNothing(t *testing.T) {
	t.Helper()
	left, err := s.LeftVersions(t.Context(), "acme", id)
	if err != nil || len(left) != 0 {
		t.Errorf("versions %+v, %v", left, err)
	}
	for n := 1; n <= versions; n++ {
		entries, err := s.ListEntries(t.Context(), target(n))
		if err != nil || len(entries) != 0 {
			t.Errorf("version %d: %d entries, %v", n, len(entries), err)
		}
		if _, err := s.GetObject(t.Context(), object(n)); !errors.Is(err, storeerror.ErrNotFound) {
			t.Errorf("file of version %d: %v", n, err)
		}
	}
	if _, err := s.Tombstone(t.Context(), "acme", id); err != nil {
		t.Error(err)
	}
}

func TestEverythingGoes(t *testing.T) {
	t.Parallel()
	s := deleted(t)
	outcome := attempt(t.Context(), t, s)
	if outcome.Kind != worktask.Answered || outcome.Result.Body != `{"versions":3,"contents":180,"objects":3}` {
		t.Errorf("outcome %+v", outcome)
	}
	s.wantNothing(t)
	if again := attempt(t.Context(), t, s); again.Kind != worktask.Answered || again.Result.Body != `{"versions":0,"contents":0,"objects":0}` {
		t.Errorf("again: %+v", again)
	}
}

// An attempt is killed before each of its steps in turn; the next one goes on, and
// leaves nothing.
func TestKilledAtEveryStep(t *testing.T) {
	t.Parallel()
	whole := deleted(t)
	attempt(t.Context(), t, whole)
	if whole.done < 3*versions {
		t.Fatalf("only %d steps", whole.done)
	}
	for step := 1; step <= whole.done; step++ {
		s := deleted(t)
		s.killAt = step
		if outcome := attempt(t.Context(), t, s); outcome.Kind != worktask.Rejected || !errors.Is(outcome.Err, errKilled) {
			t.Errorf("killed at step %d: %+v", step, outcome)
		}
		if outcome := attempt(t.Context(), t, s); outcome.Kind != worktask.Answered {
			t.Errorf("after step %d: %+v", step, outcome)
		}
		s.wantNothing(t)
	}
}

func TestOutOfTime(t *testing.T) {
	t.Parallel()
	s := deleted(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if outcome := attempt(ctx, t, s); outcome.Kind != worktask.Rejected {
		t.Errorf("outcome %+v", outcome)
	}
}

// A document that is there is not touched, whatever a task says.
func TestNothingGoesWithoutATombstone(t *testing.T) {
	t.Parallel()
	s := filled(t)
	for name, scope := range map[string]string{"a document": document.ScopeOf(id), "none": document.ScopeOf(""), "a conversation": "C#c"} {
		task := eraseTask()
		task.Scope = scope
		_, err := erasework.Kind{Remains: s, Objects: s}.Prepare(t.Context(), task)
		if permanent, ok := errors.AsType[*taskflow.PermanentError](err); !ok || permanent.Reason != worktask.DocumentUnreadable || !strings.Contains(err.Error(), "erase") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if left, err := s.LeftVersions(t.Context(), "acme", id); err != nil || len(left) != versions || left[0].State != document.Indexing {
		t.Errorf("versions %+v, %v", left, err)
	}
}
