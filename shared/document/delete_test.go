package document_test

import (
	"context"
	"errors"
	"sync"
	"testing"

	"github.com/replyonce/replyonce/shared/document"
	"github.com/replyonce/replyonce/shared/identity"
	"github.com/replyonce/replyonce/shared/storeerror"
	"github.com/replyonce/replyonce/shared/worktask"
)

func (s *store) eraseTasks() (tasks []worktask.Task) {
	for _, t := range s.Snapshot().Tasks {
		if t.Kind == document.KindErase {
			tasks = append(tasks, t)
		}
	}
	return tasks
}

func made(t *testing.T, service document.Service) string {
	t.Helper()
	d, err := service.Create(t.Context(), alice, "to-delete", document.CreateInput{Title: "T", Text: long})
	if err != nil {
		t.Fatal(err)
	}
	return d.ID
}

func TestDeletedDocumentIsNotFound(t *testing.T) {
	t.Parallel()
	s, service, q := indexed(t)
	id := made(t, service)
	q.err = errors.New("the queue is down") // the dispatcher publishes later
	if err := service.Delete(t.Context(), identity.Caller{ID: "bob", Workspace: "acme"}, id, "g"); err != nil {
		t.Fatal(err)
	}
	_, getErr := service.Get(t.Context(), "acme", id)
	_, readErr := service.ReadVersion(t.Context(), "acme", id, 1)
	_, addErr := add(t, service, "late", id, "late")
	for what, err := range map[string]error{"get": getErr, "read": readErr, "add": addErr} {
		if !errors.Is(err, storeerror.ErrNotFound) {
			t.Errorf("%s: %v", what, err)
		}
	}
	tasks := s.eraseTasks()
	if len(tasks) != 1 || tasks[0].Scope != document.ScopeOf(id) || tasks[0].Budget.UnknownRepeats != tasks[0].Budget.AttemptLimit || q.published[len(q.published)-1] != tasks[0].Ref {
		t.Errorf("tasks %+v, published %v", tasks, q.published)
	}
	for range 2 {
		if err := service.Delete(t.Context(), alice, id, "g"); err != nil {
			t.Errorf("again: %v", err)
		}
	}
	if n := len(s.eraseTasks()); n != 1 {
		t.Errorf("%d tasks", n)
	}
	for name, c := range map[string]struct{ workspace, id string }{"never was": {"acme", "d-9"}, "another workspace's": {"globex", id}} {
		if err := service.Delete(t.Context(), identity.Caller{ID: "alice", Workspace: c.workspace}, c.id, "g"); !errors.Is(err, storeerror.ErrNotFound) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// lossy loses the acknowledgement of the first deletion.
type lossy struct {
	*store
	once sync.Once
}

func (s *lossy) DeleteDocument(ctx context.Context, t document.Tombstone, previous string, task worktask.Task) error {
	err := s.store.DeleteDocument(ctx, t, previous, task)
	s.once.Do(func() { err = errors.Join(err, storeerror.ErrWriteUnknown) })
	return err //nolint:wrapcheck // as the store it stands for
}

func TestLostAcknowledgementOfADeletion(t *testing.T) {
	t.Parallel()
	s, service, q := indexed(t)
	id := made(t, service)
	service.Store = &lossy{store: s}
	if err := service.Delete(t.Context(), alice, id, "g"); err != nil {
		t.Fatal(err)
	}
	if tasks := s.eraseTasks(); len(tasks) != 1 || q.published[len(q.published)-1] != tasks[0].Ref {
		t.Errorf("tasks %+v, published %v", tasks, q.published)
	}
}

func TestDeletedByManyAtOnce(t *testing.T) {
	t.Parallel()
	s, service, _ := indexed(t)
	id := made(t, service)
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			if err := service.Delete(t.Context(), alice, id, "g"); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if n := len(s.eraseTasks()); n != 1 {
		t.Errorf("%d tasks", n)
	}
}

// An erasure that ended without completing has left something; deleting again
// begins it anew, once.
func TestFailedErasureIsBegunAnew(t *testing.T) {
	t.Parallel()
	s, service, _ := indexed(t)
	id := made(t, service)
	if err := service.Delete(t.Context(), alice, id, "g"); err != nil {
		t.Fatal(err)
	}
	first := s.eraseTasks()[0]
	if _, err := s.Apply(t.Context(), first.Ref, worktask.Cancel{Now: start}); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := service.Delete(t.Context(), alice, id, "g"); err != nil {
			t.Fatal(err)
		}
	}
	stone, err := s.Tombstone(t.Context(), "acme", id)
	if n := len(s.eraseTasks()); err != nil || n != 2 || stone.EraseTask == first.ID {
		t.Errorf("%d tasks, tombstone %+v, %v", n, stone, err)
	}
}

// cut is a store that fences no version.
type cut struct{ *store }

func (s cut) FenceVersion(context.Context, string, string, int) error {
	return storeerror.ErrUnavailable
}

// Whoever is told that a document is deleted cannot ask about it any more: a
// deletion that has not come so far says so, and goes on when it is repeated.
func TestDeletedMeansFenced(t *testing.T) {
	t.Parallel()
	s, service, _ := indexed(t)
	id := made(t, service)
	service.Store = cut{s}
	if err := service.Delete(t.Context(), alice, id, "g"); !errors.Is(err, storeerror.ErrUnavailable) {
		t.Errorf("cut off: %v", err)
	}
	service.Store = s
	if err := service.Delete(t.Context(), alice, id, "g"); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Version(t.Context(), "acme", id, 1); !errors.Is(err, storeerror.ErrNotFound) {
		t.Errorf("its version: %v", err)
	}
	if n := len(s.eraseTasks()); n != 1 {
		t.Errorf("%d tasks", n)
	}
}
