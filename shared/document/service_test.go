package document_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand"
	"sync"
	"testing"
	"time"

	"github.com/replyonce/replyonce/shared/document"
	"github.com/replyonce/replyonce/shared/idempotency"
	"github.com/replyonce/replyonce/shared/identity"
	"github.com/replyonce/replyonce/shared/keyed"
	"github.com/replyonce/replyonce/shared/memstore"
	"github.com/replyonce/replyonce/shared/newid"
	"github.com/replyonce/replyonce/shared/storeerror"
)

var (
	alice = identity.Caller{ID: "alice", Workspace: "acme"}
	start = time.Date(2026, 11, 29, 14, 0, 0, 0, time.UTC)
)

// store can lose acknowledgements and take numbers away.
type store struct {
	*memstore.Store
	addVersion func(next func() error) error
}

func (s *store) AddVersion(ctx context.Context, record idempotency.Record, d document.Document, v document.Version) error {
	next := func() error { return s.Store.AddVersion(ctx, record, d, v) }
	if s.addVersion == nil {
		return next()
	}
	return s.addVersion(next)
}

func newService(s *store) document.Service {
	now := func() time.Time { return start }
	return document.Service{
		Store: s, NewID: newid.NewSource(now, rand.New(rand.NewSource(1))).Next, Now: now,
		Creator: keyed.Creator{
			Records: s, Now: now, Windows: idempotency.Windows{Replay: time.Hour, Purge: 2 * time.Hour},
			Pause: func(ctx context.Context, _ int) error { return ctx.Err() },
		},
	}
}

func setup(t *testing.T) (*store, document.Service, string) {
	t.Helper()
	s := &store{Store: memstore.New(memstore.Options{})}
	service := newService(s)
	made, err := service.Create(t.Context(), alice, "d-1", document.CreateInput{Title: "Rules", Text: "one"})
	if err != nil {
		t.Fatal(err)
	}
	return s, service, made.ID
}

func add(t *testing.T, s document.Service, key idempotency.Key, id, text string) (document.Made, error) {
	t.Helper()
	return s.AddVersion(t.Context(), alice, key, document.AddVersionInput{Document: id, Text: text})
}

// Many callers add versions at once: numbers have no gap, and each key has made
// one version with its own text.
func TestVersionsAddedAtOnce(t *testing.T) {
	t.Parallel()
	_, service, id := setup(t)
	var group sync.WaitGroup
	for i := range 20 {
		group.Go(func() {
			key, text := idempotency.Key(fmt.Sprint("v-", i)), fmt.Sprint("text ", i)
			for {
				made, err := add(t, service, key, id, text)
				if errors.Is(err, storeerror.ErrUnavailable) {
					continue // every number tried went to another; nothing was saved
				}
				if err != nil {
					t.Error(err)
					return
				}
				repeat, err := add(t, service, key, id, text)
				if err != nil || repeat.Location != made.Location || !repeat.Outcome.Replayed {
					t.Errorf("repeat of %s at %s: %s, %v", key, made.Location, repeat.Location, err)
				}
				return
			}
		})
	}
	group.Wait()
	got, err := service.Get(t.Context(), "acme", id)
	if err != nil || got.LatestVersion != 21 || len(got.Versions) != 21 {
		t.Fatalf("%d versions, latest %d, %v", len(got.Versions), got.LatestVersion, err)
	}
	texts := map[string]bool{}
	for i, v := range got.Versions {
		read, err := service.ReadVersion(t.Context(), "acme", id, v.Number)
		if err != nil || v.Number != i+1 || texts[read.Text] {
			t.Errorf("version %d at %d: %q, %v", v.Number, i, read.Text, err)
		}
		texts[read.Text] = true
	}
}

// One key with two texts at the same number at once: one version is made, and
// the other request does not take it for its own.
//
//	A: reads version 1, wants 2.    B: reads version 1, wants 2, same key.
//	A: writes version 2.            B: finds a record for version 2, not by B.
func TestOneKeyWithTwoTextsAtOnce(t *testing.T) {
	t.Parallel()
	s, service, id := setup(t)
	overtaken := false
	s.addVersion = func(next func() error) error {
		if !overtaken {
			overtaken = true
			if _, err := add(t, service, "v-1", id, "theirs"); err != nil {
				t.Error(err)
			}
		}
		return next()
	}
	_, err := add(t, service, "v-1", id, "mine")
	if _, mismatch := errors.AsType[*idempotency.MismatchError](err); !mismatch {
		t.Errorf("error %v, want a mismatch", err)
	}
	if v, err := service.ReadVersion(t.Context(), "acme", id, 2); err != nil || v.Text != "theirs" {
		t.Errorf("version 2 %q, %v", v.Text, err)
	}
	if _, err := service.ReadVersion(t.Context(), "acme", id, 3); !errors.Is(err, storeerror.ErrNotFound) {
		t.Errorf("version 3: %v", err)
	}
}

func TestLostAcknowledgementOfAVersion(t *testing.T) {
	t.Parallel()
	s, service, id := setup(t)
	s.addVersion = func(next func() error) error {
		_ = next()
		return storeerror.ErrWriteUnknown
	}
	made, err := add(t, service, "v-1", id, "two")
	if err != nil || made.Outcome.Replayed || made.LatestVersion != 2 || made.Location != document.VersionPath(id, 2) {
		t.Errorf("made %+v, %v", made, err)
	}
}

func TestNumberAlwaysTaken(t *testing.T) {
	t.Parallel()
	s, service, id := setup(t)
	tries := 0
	s.addVersion = func(func() error) error {
		tries++
		return storeerror.ErrExists
	}
	if _, err := add(t, service, "v-1", id, "two"); !errors.Is(err, storeerror.ErrUnavailable) || tries != 5 {
		t.Errorf("%d tries, %v", tries, err)
	}
}

// deleted hides the document, as a deletion by an operator does.
type deleted struct{ *store }

func (deleted) Document(context.Context, string, string) (document.Document, error) {
	return document.Document{}, storeerror.ErrNotFound
}

func TestRepeatAfterDeletion(t *testing.T) {
	t.Parallel()
	s, service, id := setup(t)
	if _, err := add(t, service, "v-1", id, "two"); err != nil {
		t.Fatal(err)
	}
	service.Store = deleted{s}
	_, err := add(t, service, "v-1", id, "two")
	if gone, ok := errors.AsType[*keyed.GoneError](err); !ok || gone.Location != document.VersionPath(id, 2) || gone.ReplayUntil.IsZero() {
		t.Errorf("repeat: %v", err)
	}
	if _, err := add(t, service, "v-2", id, "three"); !errors.Is(err, storeerror.ErrNotFound) {
		t.Errorf("new request: %v", err)
	}
	_, err = service.Create(t.Context(), alice, "d-1", document.CreateInput{Title: "Rules", Text: "one"})
	if gone, ok := errors.AsType[*keyed.GoneError](err); !ok || gone.Location != document.Path(id) {
		t.Errorf("repeat of the creation: %v", err)
	}
}

func TestTextsComeBackAsTheyWere(t *testing.T) {
	t.Parallel()
	_, service, _ := setup(t)
	text := "\ufeffcafe\u0301\r\n\f👨‍👩‍👧\t"
	made, err := service.Create(t.Context(), alice, "d-2", document.CreateInput{Title: " Rules ", Text: text})
	if err != nil {
		t.Fatal(err)
	}
	v, err := service.ReadVersion(t.Context(), "acme", made.ID, 1)
	if err != nil || v.Text != text || v.Title != " Rules " || v.Bytes != len(text) {
		t.Errorf("read %+v, %v", v, err)
	}
}
