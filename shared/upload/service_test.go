package upload_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/replyonce/replyonce/shared/document"
	"github.com/replyonce/replyonce/shared/idempotency"
	"github.com/replyonce/replyonce/shared/identity"
	"github.com/replyonce/replyonce/shared/indexing"
	"github.com/replyonce/replyonce/shared/inputcheck"
	"github.com/replyonce/replyonce/shared/keyed"
	"github.com/replyonce/replyonce/shared/memstore"
	"github.com/replyonce/replyonce/shared/newid"
	"github.com/replyonce/replyonce/shared/storeerror"
	"github.com/replyonce/replyonce/shared/telemetry"
	"github.com/replyonce/replyonce/shared/upload"
	"github.com/replyonce/replyonce/shared/worktask"
)

var (
	alice = identity.Caller{ID: "alice", Workspace: "acme"}
	bob   = identity.Caller{ID: "bob", Workspace: "acme"}
	start = time.Date(2026, 11, 29, 14, 0, 0, 0, time.UTC)
	sum   = strings.Repeat("ab", 32)
)

const purge = 365 * 24 * time.Hour

// bucket says what lies under a key.
type bucket struct {
	mu      sync.Mutex
	objects map[string]upload.Object
	signed  []upload.Put
	down    error
}

func (b *bucket) SignPut(_ context.Context, put upload.Put) (upload.SignedPut, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.signed = append(b.signed, put)
	return upload.SignedPut{URL: fmt.Sprint("https://bucket/", put.Key, "?n=", len(b.signed))}, b.down
}

func (b *bucket) StatObject(_ context.Context, key string) (upload.Object, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	object, found := b.objects[key]
	if !found {
		return upload.Object{}, errors.Join(storeerror.ErrNotFound, b.down)
	}
	return object, b.down
}

// store can lose the acknowledgement of a creating write.
type store struct {
	*memstore.Store
	lose bool
}

func (s *store) CreateDocument(ctx context.Context, record idempotency.Record, d document.Document, v document.Version) error {
	return s.lost(s.Store.CreateDocument(ctx, record, d, v))
}

func (s *store) lost(err error) error {
	if err == nil && s.lose {
		s.lose = false
		return storeerror.ErrWriteUnknown
	}
	return err
}

type queue struct {
	mu        sync.Mutex
	published []worktask.Ref
}

func (q *queue) Publish(_ context.Context, ref worktask.Ref) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.published = append(q.published, ref)
	return nil
}

type rig struct {
	store   *store
	bucket  *bucket
	queue   *queue
	service upload.Service
	now     time.Time
}

func setup() *rig {
	r := &rig{store: &store{Store: memstore.New(memstore.Options{})}, bucket: &bucket{objects: map[string]upload.Object{}}, queue: &queue{}, now: start}
	now := func() time.Time { return r.now }
	newID := newid.NewSource(now, rand.New(rand.NewSource(1))).Next
	creator := keyed.Creator{
		Records: r.store, Now: now, Windows: idempotency.Windows{Replay: 24 * time.Hour, Purge: purge},
		Pause: func(ctx context.Context, _ int) error { return ctx.Err() },
	}
	r.service = upload.Service{
		Store: r.store, Objects: r.bucket, Creator: creator, NewID: newID, Now: now,
		Documents: document.Service{Store: r.store, Creator: creator, NewID: newID, Now: now, Index: &document.IndexTasks{
			Pipeline: "0a1b2c3d", Timers: worktask.DefaultTimers(), Tasks: r.store, Queue: r.queue,
			Log: slog.New(slog.DiscardHandler), Metrics: telemetry.NoMetrics{},
		}},
	}
	return r
}

func file() upload.CreateInput {
	return upload.CreateInput{FileName: "policy.pdf", Bytes: 900_000, SHA256: sum, MediaType: new("application/pdf")}
}

func (r *rig) announce(t *testing.T, key idempotency.Key, in upload.CreateInput) upload.Announced {
	t.Helper()
	announced, err := r.service.Create(t.Context(), alice, key, in)
	if err != nil {
		t.Fatal(err)
	}
	return announced
}

// put lays the announced file into the bucket.
func (r *rig) put(u upload.Upload) {
	r.bucket.mu.Lock()
	defer r.bucket.mu.Unlock()
	r.bucket.objects[u.ObjectKey()] = upload.Object{Bytes: u.Bytes}
}

func TestAnnouncedAgainIsSignedAnew(t *testing.T) {
	t.Parallel()
	r := setup()
	first := r.announce(t, "k", file())
	r.now = start.Add(20 * time.Minute)
	again := r.announce(t, "k", file())
	if again.ID != first.ID || !again.Outcome.Replayed || first.Outcome.Replayed || again.Put.URL == first.Put.URL {
		t.Errorf("first %+v, again %+v", first, again)
	}
	if again.ExpiresAt.Sub(first.ExpiresAt) != 20*time.Minute {
		t.Errorf("expires at %s, then at %s", first.ExpiresAt, again.ExpiresAt)
	}
	want := upload.Put{Key: "uploads/acme/" + first.ID, MediaType: "application/pdf", Bytes: 900_000, SHA256: sum, Life: 15 * time.Minute}
	if r.bucket.signed[0] != want || r.bucket.signed[1] != want {
		t.Errorf("signed %+v", r.bucket.signed)
	}
	for name, change := range map[string]func(*upload.CreateInput){
		"name": func(in *upload.CreateInput) { in.FileName = "other.pdf" }, "size": func(in *upload.CreateInput) { in.Bytes++ },
		"hash": func(in *upload.CreateInput) { in.SHA256 = strings.Repeat("cd", 32) },
		"type": func(in *upload.CreateInput) { in.MediaType = nil }, "title": func(in *upload.CreateInput) { in.Title = new("policy.pdf") },
	} {
		in := file()
		change(&in)
		if _, err := r.service.Create(t.Context(), alice, "k", in); !isMismatch(err) {
			t.Errorf("another %s under the key: %v", name, err)
		}
	}
}

func isMismatch(err error) bool {
	_, ok := errors.AsType[*idempotency.MismatchError](err)
	return ok
}

func TestWhatIsAnnouncedIsChecked(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change      func(*upload.CreateInput)
		field, code string
	}{
		"no name":       {func(in *upload.CreateInput) { in.FileName = "" }, "file_name", inputcheck.CodeMissing},
		"name of lines": {func(in *upload.CreateInput) { in.FileName = "a\nb" }, "file_name", inputcheck.CodeInvalid},
		"empty":         {func(in *upload.CreateInput) { in.Bytes = 0 }, "bytes", inputcheck.CodeInvalid},
		"too large":     {func(in *upload.CreateInput) { in.Bytes = 50<<20 + 1 }, "bytes", inputcheck.CodeFileTooLarge},
		"short hash":    {func(in *upload.CreateInput) { in.SHA256 = "ab" }, "sha256", inputcheck.CodeInvalid},
		"upper hash":    {func(in *upload.CreateInput) { in.SHA256 = strings.Repeat("AB", 32) }, "sha256", inputcheck.CodeInvalid},
		"type of none":  {func(in *upload.CreateInput) { in.MediaType = new("pdf") }, "media_type", inputcheck.CodeInvalid},
		"type of lines": {func(in *upload.CreateInput) { in.MediaType = new("a/b\r\nX: y") }, "media_type", inputcheck.CodeInvalid},
		"parameters":    {func(in *upload.CreateInput) { in.MediaType = new("text/plain; charset=utf-8") }, "media_type", inputcheck.CodeInvalid},
		"no document":   {func(in *upload.CreateInput) { in.Document = new("01KB7PZ8Q0D0CVMENT00000001") }, "document", inputcheck.CodeNotFound},
		"bad document":  {func(in *upload.CreateInput) { in.Document = new("d") }, "document", inputcheck.CodeInvalid},
		"both places":   {func(in *upload.CreateInput) { in.Document, in.Title = new("01KB7PZ8Q0D0CVMENT00000001"), new("T") }, "title", inputcheck.CodeInvalid},
		"empty title":   {func(in *upload.CreateInput) { in.Title = new("") }, "title", inputcheck.CodeMissing},
	} {
		in := file()
		c.change(&in)
		_, err := setup().service.Create(t.Context(), alice, "k", in)
		if refused, ok := errors.AsType[*inputcheck.FieldError](err); !ok || refused.Field != c.field || refused.Code != c.code {
			t.Errorf("%s: %v, want %s of %s", name, err, c.code, c.field)
		}
	}
	largest := file()
	largest.Bytes, largest.MediaType, largest.FileName = 50<<20, nil, strings.Repeat("é", 255)
	u := setup().announce(t, "k", largest)
	if u.MediaType != upload.UnknownMediaType || u.Title != strings.Repeat("é", 200) {
		t.Errorf("upload %+v", u.Upload)
	}
}

// One upload makes one version and one task, completed once, twice, by many at
// once, after a lost acknowledgement, or when its file is gone again.
func TestCompletedOnce(t *testing.T) {
	t.Parallel()
	for name, again := range map[string]func(t *testing.T, r *rig, id string) (document.Made, error){
		"twice": func(t *testing.T, r *rig, id string) (document.Made, error) {
			t.Helper()
			return r.service.Complete(t.Context(), alice, id, "g-2")
		},
		"days later, its file gone": func(t *testing.T, r *rig, id string) (document.Made, error) {
			t.Helper()
			r.now = start.Add(30 * 24 * time.Hour)
			clear(r.bucket.objects)
			return r.service.Complete(t.Context(), alice, id, "g-2")
		},
		"at once": func(t *testing.T, r *rig, id string) (document.Made, error) {
			t.Helper()
			var made document.Made
			var err error
			var all sync.WaitGroup
			for i := range 8 {
				all.Go(func() {
					if m, e := r.service.Complete(t.Context(), alice, id, "g-2"); i == 0 {
						made, err = m, e
					}
				})
			}
			all.Wait()
			return made, err
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := setup()
			u := r.announce(t, "k", file())
			r.put(u.Upload)
			r.store.lose = true // the first one is told that its write may not have landed
			first, err := r.service.Complete(t.Context(), alice, u.ID, "g-1")
			if err != nil || first.Outcome.Replayed {
				t.Fatalf("first: %+v, %v", first.Outcome, err)
			}
			repeat, err := again(t, r, u.ID)
			if err != nil || !repeat.Outcome.Replayed || repeat.ID != first.ID || repeat.Location != first.Location || len(repeat.Versions) != 1 {
				t.Errorf("made %+v, then %+v, %v", first, repeat, err)
			}
			r.wantOne(t, u.Upload, first)
		})
	}
}

func (r *rig) wantOne(t *testing.T, u upload.Upload, made document.Made) {
	t.Helper()
	tasks := r.store.Snapshot().Tasks
	if len(tasks) != 1 || len(r.queue.published) != 1 {
		t.Fatalf("%d tasks, %d published", len(tasks), len(r.queue.published))
	}
	v := made.Versions[0]
	if v.State != document.Indexing || v.SHA256 != u.SHA256 || int64(v.Bytes) != u.Bytes || v.Index.FileName != u.FileName || v.Index.Object != u.ObjectKey() {
		t.Errorf("version %+v", v)
	}
	in, err := indexing.DecodeInput(tasks[r.queue.published[0]].Input)
	want := indexing.Input{
		Version: 1, Pipeline: "0a1b2c3d", Source: u.ObjectKey(), FileName: u.FileName, MediaType: u.MediaType, Bytes: u.Bytes, SHA256: u.SHA256,
	}
	if err != nil || in != want {
		t.Errorf("input %+v, %v, want %+v", in, err, want)
	}
}

// N1: of two uploads for one document the later is current; the notification of the
// earlier one that comes a second time moves nothing.
func TestCaseN1LateDuplicateMovesNothing(t *testing.T) {
	t.Parallel()
	r := setup()
	u := r.announce(t, "k1", file())
	r.put(u.Upload)
	made, err := r.service.Complete(t.Context(), alice, u.ID, "g")
	if err != nil {
		t.Fatal(err)
	}
	next := file()
	next.Document = &made.ID
	second := r.announce(t, "k2", next)
	r.put(second.Upload)
	if made, err = r.service.Complete(t.Context(), alice, second.ID, "g"); err != nil || made.LatestVersion != 2 || made.Location != document.VersionPath(made.ID, 2) {
		t.Fatalf("second: %+v, %v", made, err)
	}
	if err := r.ready(t, made.Versions[1]); err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{second.ID, u.ID, second.ID} {
		got, err := r.service.Complete(t.Context(), alice, id, "late")
		if err != nil || !got.Outcome.Replayed || got.LatestVersion != 2 || got.CurrentVersion != 2 || got.Versions[1].State != document.Ready {
			t.Errorf("late duplicate: %+v, %v", got, err)
		}
	}
	if n := len(r.store.Snapshot().Tasks); n != 2 {
		t.Errorf("%d tasks", n)
	}
}

// ready publishes a version as a worker would.
func (r *rig) ready(t *testing.T, v document.Version) error {
	t.Helper()
	w := indexing.Writer{Target: indexing.Target{Workspace: v.Workspace, Document: v.Document, Number: v.Number, Pipeline: v.Index.Pipeline}, Assignment: 1}
	return errors.Join(r.store.TakeVersion(t.Context(), w), r.store.Publish(t.Context(), w, indexing.Summary{Manifest: "m"}))
}

func TestWhatIsNotThereCannotBeCompleted(t *testing.T) {
	t.Parallel()
	r := setup()
	u := r.announce(t, "k", file())
	complete := func(c identity.Caller, id string) error {
		_, err := r.service.Complete(t.Context(), c, id, "g")
		return err
	}
	want := func(what string, got, want error) {
		t.Helper()
		if !errors.Is(got, want) {
			t.Errorf("%s: %v, want %v", what, got, want)
		}
	}
	want("no file", complete(alice, u.ID), upload.ErrIncomplete)
	r.bucket.objects[u.ObjectKey()] = upload.Object{Bytes: u.Bytes - 1}
	want("a shorter file", complete(alice, u.ID), upload.ErrMismatch)
	r.bucket.objects[u.ObjectKey()] = upload.Object{Bytes: u.Bytes, SHA256: strings.Repeat("cd", 32)}
	want("another file", complete(alice, u.ID), upload.ErrMismatch)
	want("no upload", complete(alice, "01KB7PZ8Q0D0CVMENT00000001"), storeerror.ErrNotFound)
	r.put(u.Upload)
	want("another caller", complete(bob, u.ID), storeerror.ErrNotFound)
	r.bucket.down = storeerror.ErrUnavailable
	want("storage that is down", complete(alice, u.ID), storeerror.ErrUnavailable)
	if n := len(r.store.Snapshot().Tasks); n != 0 {
		t.Errorf("%d tasks", n)
	}
	r.bucket.down = nil
	r.now = start.Add(3 * time.Hour) // long after the signed request has expired
	if err := complete(alice, u.ID); err != nil {
		t.Errorf("an old upload whose file is there: %v", err)
	}
	r.now = start.Add(purge)
	want("an upload whose time is over", complete(alice, u.ID), storeerror.ErrNotFound)
}
