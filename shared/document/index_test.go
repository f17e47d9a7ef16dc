package document_test

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"testing"

	"github.com/replyonce/replyonce/shared/document"
	"github.com/replyonce/replyonce/shared/indexing"
	"github.com/replyonce/replyonce/shared/telemetry"
	"github.com/replyonce/replyonce/shared/worktask"
)

// queue keeps what is published, or is down.
type queue struct {
	mu        sync.Mutex
	published []worktask.Ref
	err       error
}

func (q *queue) Publish(_ context.Context, ref worktask.Ref) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.published = append(q.published, ref)
	return q.err
}

// long is the shortest text that is indexed.
var long = strings.Repeat("x", document.WholeBytes+1)

func indexed(t *testing.T) (*store, document.Service, *queue) {
	t.Helper()
	s, service, _ := setup(t)
	q := &queue{}
	service.Index = &document.IndexTasks{
		Pipeline: "0a1b2c3d", Timers: worktask.DefaultTimers(), Tasks: s, Queue: q,
		Log: slog.New(slog.DiscardHandler), Metrics: telemetry.NoMetrics{},
	}
	return s, service, q
}

// A long text is accepted with the task that makes it ready; the same request
// again makes neither another version nor another task.
func TestLongTextsAreIndexed(t *testing.T) {
	t.Parallel()
	s, service, q := indexed(t)
	in := document.CreateInput{Title: "Policy", Text: long, GatewayRequestID: "g-1"}
	var made [2]document.Made
	for i := range made {
		var err error
		if made[i], err = service.Create(t.Context(), alice, "d-2", in); err != nil || made[i].Outcome.Replayed != (i == 1) {
			t.Fatalf("create %d: %+v, %v", i, made[i].Outcome, err)
		}
	}
	id := made[0].ID
	if made[1].ID != id || made[0].CurrentVersion != 0 || made[0].Versions[0].State != document.Indexing {
		t.Errorf("made %+v, then %+v", made[0].Described, made[1].Described)
	}
	if len(q.published) != 1 {
		t.Fatalf("published %v, want one task", q.published)
	}
	task, err := s.Get(t.Context(), q.published[0])
	if err != nil || task.Kind != indexing.Kind || task.Scope != document.ScopeOf(id) || task.Caller != "alice" || task.GatewayRequestID != "g-1" {
		t.Errorf("task %+v, %v", task, err)
	}
	input, err := indexing.DecodeInput(task.Input)
	want := indexing.Input{Version: 1, Pipeline: "0a1b2c3d", Bytes: int64(len(long)), SHA256: made[0].Versions[0].SHA256}
	if err != nil || input != want {
		t.Errorf("input %+v, %v, want %+v", input, err, want)
	}
}

func TestShortTextsAreReadWhole(t *testing.T) {
	t.Parallel()
	_, service, q := indexed(t)
	made, err := service.Create(t.Context(), alice, "d-2", document.CreateInput{Title: "Rules", Text: long[1:]})
	if err != nil || made.CurrentVersion != 1 || made.Versions[0].State != document.Ready || len(q.published) != 0 {
		t.Errorf("made %+v, %v, published %v", made.Described, err, q.published)
	}
}

// A long version on top of a short one: the short one stays current until the
// long one is ready. The queue is down, and the version is accepted all the same.
func TestCurrentVersionWhileTheNextIsIndexed(t *testing.T) {
	t.Parallel()
	s, service, q := indexed(t)
	q.err = errors.New("down")
	first, err := service.Create(t.Context(), alice, "d-2", document.CreateInput{Title: "Rules", Text: "short"})
	if err != nil {
		t.Fatal(err)
	}
	second, err := add(t, service, "v-2", first.ID, long)
	if err != nil || second.LatestVersion != 2 || second.CurrentVersion != 1 || second.Versions[1].State != document.Indexing {
		t.Fatalf("second %+v, %v", second.Described, err)
	}
	w := indexing.Writer{
		Target:     indexing.Target{Workspace: "acme", Document: first.ID, Number: 2, Pipeline: "0a1b2c3d"},
		Assignment: 1,
	}
	if err := errors.Join(s.TakeVersion(t.Context(), w), s.Publish(t.Context(), w, indexing.Summary{Manifest: "m"})); err != nil {
		t.Fatal(err)
	}
	got, err := service.Get(t.Context(), "acme", first.ID)
	if err != nil || got.CurrentVersion != 2 || got.Versions[1].State != document.Ready {
		t.Errorf("document %+v, %v", got, err)
	}
}

// A task that ended without making its version ready has failed it, though nobody
// wrote so.
func TestVersionsWhoseTaskHasEnded(t *testing.T) {
	t.Parallel()
	late := start.Add(7 * worktask.DefaultTimers().TaskDeadline)
	for name, c := range map[string]struct {
		end  worktask.Transition
		want string
	}{
		"deadline":  {worktask.End{Reason: worktask.DeadlineOver, By: worktask.EndedByDispatcher, Now: late}, "deadline"},
		"cancelled": {worktask.Cancel{Now: start}, "cancelled"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, service, q := indexed(t)
			made, err := service.Create(t.Context(), alice, "d-2", document.CreateInput{Title: "Policy", Text: long})
			if err == nil {
				_, err = s.Apply(t.Context(), q.published[0], c.end)
			}
			if err != nil {
				t.Fatal(err)
			}
			got, err := service.Get(t.Context(), "acme", made.ID)
			if err != nil || got.Versions[0].State != document.Failed || got.Versions[0].Index.Failure != c.want || got.CurrentVersion != 0 {
				t.Errorf("document %+v, %v", got, err)
			}
		})
	}
}
