package indexwork_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/replyonce/replyonce/shared/document"
	"github.com/replyonce/replyonce/shared/idempotency"
	"github.com/replyonce/replyonce/shared/indexing"
	"github.com/replyonce/replyonce/shared/indexwork"
	"github.com/replyonce/replyonce/shared/memstore"
	"github.com/replyonce/replyonce/shared/storeerror"
	"github.com/replyonce/replyonce/shared/taskflow"
	"github.com/replyonce/replyonce/shared/worktask"
)

const pipelineName = "0a1b2c3d"

var start = time.Date(2026, 11, 29, 14, 0, 0, 0, time.UTC)

// errOver: the attempt has no time left for another try.
var errOver = errors.New("the attempt is over")

// lines is a pipeline that makes an entry of each line.
type lines struct{ runs int }

func (*lines) Name() string { return pipelineName }

func (p *lines) Run(_ context.Context, source indexwork.Source) (indexwork.Built, error) {
	p.runs++
	text := string(source.Body)
	if strings.HasPrefix(text, "broken") {
		return indexwork.Built{}, &indexwork.SourceError{Reason: "broken", Err: errors.New("it is broken")}
	}
	var built indexwork.Built
	for i, line := range strings.Split(text, "\n") {
		built.Entries = append(built.Entries, indexing.Entry{Key: indexing.Key{Stage: indexing.Split, Part: i}, Body: []byte(line)})
	}
	built.Passages, built.Pages = len(built.Entries), 2
	return built, nil
}

// entries can lose connections.
type entries struct {
	indexing.Store
	write   func(next func() error) error
	publish func(next func() error) error
	written []int // entries of each write
}

func (e *entries) WriteEntries(ctx context.Context, w indexing.Writer, batch []indexing.Entry) error {
	if len(batch) > 0 {
		e.written = append(e.written, len(batch))
	}
	next := func() error { return e.Store.WriteEntries(ctx, w, batch) }
	if e.write == nil {
		return next()
	}
	return e.write(next)
}

func (e *entries) Publish(ctx context.Context, w indexing.Writer, s indexing.Summary) error {
	next := func() error { return e.Store.Publish(ctx, w, s) }
	if e.publish == nil {
		return next()
	}
	return e.publish(next)
}

type rig struct {
	store    *memstore.Store
	entries  *entries
	pipeline *lines
	kind     indexwork.Kind
	task     worktask.Task
}

func sum(text string) string {
	hash := sha256.Sum256([]byte(text))
	return hex.EncodeToString(hash[:])
}

// setup stores a document whose first version has the text, and its task.
func setup(t *testing.T, text string, change func(*indexing.Input)) *rig {
	t.Helper()
	store := memstore.New(memstore.Options{})
	r := &rig{store: store, entries: &entries{Store: store}, pipeline: &lines{}}
	r.kind = indexwork.Kind{
		Documents: store, Entries: r.entries, Objects: store, Pipeline: r.pipeline,
		Pause: func(context.Context, int) error { return errOver },
	}
	in := indexing.Input{Version: 1, Pipeline: pipelineName, FileName: "report.txt", Bytes: int64(len(text)), SHA256: sum(text)}
	if change != nil {
		change(&in)
	}
	ref := worktask.Ref{Workspace: "acme", Scope: document.ScopeOf("d1"), ID: "t1"}
	r.task = worktask.NewTask(ref, indexing.Kind, "alice", in.Encode(), "g-1", worktask.RetryUnknown, start, worktask.DefaultTimers())
	d := document.Document{Workspace: "acme", ID: "d1", Title: "Report", LatestVersion: 1, CreatedAt: start, UpdatedAt: start}
	v := document.Version{
		Workspace: "acme", Document: "d1", Title: "Report", Number: 1, Bytes: len(text), SHA256: sum(text), CreatedAt: start, Text: text,
		State: document.Indexing, Index: document.Index{Pipeline: in.Pipeline, Task: "t1"}, IndexTask: &r.task,
	}
	record, err := idempotency.NewRecord(idempotency.Scope{Workspace: "acme", Caller: "alice", Operation: "create_document"}, "k-1",
		idempotency.NewCanonical("create_document").String("text", text).Fingerprint(), "/v1/documents/d1", start,
		idempotency.Windows{Replay: time.Hour, Purge: 2 * time.Hour})
	if err == nil {
		err = store.CreateDocument(t.Context(), record, d, v)
	}
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// attempt makes one attempt with an assignment version.
func (r *rig) attempt(t *testing.T, version int64) worktask.Outcome {
	t.Helper()
	task := r.task
	task.AssignmentVersion = version
	work, err := r.kind.Prepare(t.Context(), task)
	if err != nil {
		t.Fatal(err)
	}
	return work.Call(t.Context(), nil)
}

func (r *rig) version(t *testing.T) document.Version {
	t.Helper()
	v, err := r.store.Version(t.Context(), "acme", "d1", 1)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func (r *rig) wantReady(t *testing.T, outcome worktask.Outcome, passages int) {
	t.Helper()
	v := r.version(t)
	result, err := indexing.DecodeResult(outcome.Result.Body)
	if outcome.Kind != worktask.Answered || err != nil {
		t.Fatalf("outcome %+v, %v", outcome, err)
	}
	want := indexing.Result{Entries: passages, Passages: passages, Pages: 2, Manifest: v.Index.Manifest}
	if v.State != document.Ready || result != want || v.Index.Manifest == "" {
		t.Errorf("version %+v, result %+v", v, result)
	}
	d, err := r.store.Document(t.Context(), "acme", "d1")
	if err != nil || d.CurrentVersion != 1 {
		t.Errorf("current version %d, %v", d.CurrentVersion, err)
	}
}

func TestIndex(t *testing.T) {
	t.Parallel()
	r := setup(t, "one\ntwo\nthree", nil)
	r.wantReady(t, r.attempt(t, 1), 3)
}

// The worker dies in the middle: the next attempt adds what is missing.
func TestNextAttemptGoesOn(t *testing.T) {
	t.Parallel()
	text := strings.TrimSuffix(strings.Repeat("line\n", 2*indexing.MaxEntries+5), "\n")
	r := setup(t, text, nil)
	writes := 0
	r.entries.write = func(next func() error) error {
		if writes++; writes == 2 {
			return fmt.Errorf("cut: %w", storeerror.ErrUnavailable)
		}
		return next()
	}
	if outcome := r.attempt(t, 1); outcome.Kind != worktask.Rejected {
		t.Fatalf("outcome %+v, want one that costs no attempt", outcome)
	}
	if v := r.version(t); v.State != document.Indexing {
		t.Errorf("version %s after half an index", v.State)
	}
	r.entries.write = nil
	r.wantReady(t, r.attempt(t, 2), 2*indexing.MaxEntries+5)
	if want := []int{indexing.MaxEntries, indexing.MaxEntries, indexing.MaxEntries, 5}; !slices.Equal(r.entries.written, want) {
		t.Errorf("writes of %v entries, want %v: what was there must not be written again", r.entries.written, want)
	}
}

// The worker dies between publishing and the completion of its task.
func TestPublishedBeforeTheWorkerDied(t *testing.T) {
	t.Parallel()
	r := setup(t, "one\ntwo", nil)
	r.wantReady(t, r.attempt(t, 1), 2)
	r.wantReady(t, r.attempt(t, 2), 2)
	if r.pipeline.runs != 1 {
		t.Errorf("the pipeline ran %d times", r.pipeline.runs)
	}
}

// A worker that was frozen wakes up after its successor has begun.
//
//	1: takes the version, writes nothing yet, freezes.
//	2: takes the version.
//	1: wakes up and writes: refused. Nothing of it is to be seen.
func TestReplacedWorkerWritesNothing(t *testing.T) {
	t.Parallel()
	r := setup(t, "one\ntwo", nil)
	r.entries.write = func(next func() error) error {
		r.entries.write = nil
		successor := indexing.Writer{Target: indexing.Target{Workspace: "acme", Document: "d1", Number: 1, Pipeline: pipelineName}, Assignment: 2}
		if err := r.store.TakeVersion(t.Context(), successor); err != nil {
			t.Error(err)
		}
		return next()
	}
	outcome := r.attempt(t, 1)
	if outcome.Kind != worktask.Rejected || !errors.Is(outcome.Err, indexing.ErrReplaced) {
		t.Errorf("outcome %+v, want a refusal", outcome)
	}
	stored, err := r.store.ListEntries(t.Context(), indexing.Target{Workspace: "acme", Document: "d1", Number: 1, Pipeline: pipelineName})
	if err != nil || len(stored) != 0 {
		t.Errorf("%d entries, %v", len(stored), err)
	}
	r.wantReady(t, r.attempt(t, 3), 2)
}

// A store that is busy, and one whose acknowledgements are lost, cost the attempt
// nothing as long as it has time.
func TestWritesAreMadeAgain(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]error{
		"busy": storeerror.ErrUnavailable, "conflict": storeerror.ErrConflict, "lost": storeerror.ErrWriteUnknown,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := setup(t, "one\ntwo", nil)
			pauses := 0
			r.kind.Pause = func(context.Context, int) error { pauses++; return nil }
			faults := func() func(func() error) error {
				left := 3
				return func(next func() error) error {
					if left--; left < 0 {
						return next()
					}
					if errors.Is(fault, storeerror.ErrWriteUnknown) {
						_ = next()
					}
					return fmt.Errorf("fault: %w", fault)
				}
			}
			r.entries.write, r.entries.publish = faults(), faults()
			r.wantReady(t, r.attempt(t, 1), 2)
			if pauses != 6 || r.pipeline.runs != 1 {
				t.Errorf("%d pauses, %d runs of the pipeline", pauses, r.pipeline.runs)
			}
		})
	}
}

// Its acknowledgement is lost: publishing again is success.
func TestLostAcknowledgementOfPublishing(t *testing.T) {
	t.Parallel()
	r := setup(t, "one\ntwo", nil)
	r.entries.publish = func(next func() error) error {
		_ = next()
		return storeerror.ErrWriteUnknown
	}
	if outcome := r.attempt(t, 1); outcome.Kind != worktask.Rejected {
		t.Errorf("outcome %+v", outcome)
	}
	r.wantReady(t, r.attempt(t, 2), 2)
}

func TestUnreadableSource(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		text   string
		change func(*indexing.Input)
		put    string // object, if any
		reason string // on the version
		kind   worktask.OutcomeKind
	}{
		"broken":      {text: "broken file", reason: "broken", kind: worktask.Permanent},
		"replaced":    {text: "x", change: func(in *indexing.Input) { in.Source = "uploads/u1" }, put: "another file", reason: "changed", kind: worktask.Permanent},
		"not arrived": {text: "x", change: func(in *indexing.Input) { in.Source = "uploads/u2" }, kind: worktask.Permanent},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := setup(t, c.text, c.change)
			if c.put != "" {
				if err := r.store.PutObject(t.Context(), "uploads/u1", []byte(c.put)); err != nil {
					t.Fatal(err)
				}
			}
			for attempt := range int64(2) {
				outcome := r.attempt(t, attempt+1)
				if outcome.Kind != c.kind || outcome.Reason != worktask.DocumentUnreadable {
					t.Errorf("attempt %d: outcome %+v", attempt+1, outcome)
				}
			}
			if v := r.version(t); c.reason != "" && (v.State != document.Failed || v.Index.Failure != c.reason) {
				t.Errorf("version %+v", v)
			}
			if d, err := r.store.Document(t.Context(), "acme", "d1"); err != nil || d.CurrentVersion != 0 {
				t.Errorf("current version %d, %v", d.CurrentVersion, err)
			}
		})
	}
}

func TestUploadedFile(t *testing.T) {
	t.Parallel()
	file := "one\ntwo\nthree\nfour"
	r := setup(t, "not this", func(in *indexing.Input) { in.Source, in.Bytes, in.SHA256 = "uploads/u1", int64(len(file)), sum(file) })
	if err := r.store.PutObject(t.Context(), "uploads/u1", []byte(file)); err != nil {
		t.Fatal(err)
	}
	r.wantReady(t, r.attempt(t, 1), 4)
}

// Two releases whose pipelines have one name and make different entries: nothing
// is mixed, and the task says that nobody can read the document.
func TestOtherEntriesOfTheSamePipeline(t *testing.T) {
	t.Parallel()
	r := setup(t, "one\ntwo", nil)
	w := indexing.Writer{Target: indexing.Target{Workspace: "acme", Document: "d1", Number: 1, Pipeline: pipelineName}, Assignment: 1}
	stray := indexing.Entry{Key: indexing.Key{Stage: indexing.Split, Part: 7}, Body: []byte("left by another release")}
	if err := errors.Join(r.store.TakeVersion(t.Context(), w), r.store.WriteEntries(t.Context(), w, []indexing.Entry{stray})); err != nil {
		t.Fatal(err)
	}
	outcome := r.attempt(t, 2)
	if outcome.Kind != worktask.Permanent || !errors.Is(outcome.Err, indexing.ErrDiffers) {
		t.Errorf("outcome %+v", outcome)
	}
	if v := r.version(t); v.State == document.Ready {
		t.Error("a mixed version is ready")
	}
}

func TestTasksThatThisWorkerCannotTake(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change    func(*worktask.Task)
		permanent bool
	}{
		"another pipeline": {func(task *worktask.Task) {
			task.Input = indexing.Input{Version: 1, Pipeline: "ffffffff", SHA256: "x"}.Encode()
		}, false},
		"no input":    {func(task *worktask.Task) { task.Input = "{}" }, true},
		"no document": {func(task *worktask.Task) { task.Scope = "C#c1" }, true},
		"no such version": {func(task *worktask.Task) {
			task.Input = indexing.Input{Version: 9, Pipeline: pipelineName, SHA256: "x"}.Encode()
		}, true},
		"another document": {func(task *worktask.Task) { task.Scope = document.ScopeOf("d2") }, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := setup(t, "one", nil)
			c.change(&r.task)
			_, err := r.kind.Prepare(t.Context(), r.task)
			_, permanent := errors.AsType[*taskflow.PermanentError](err)
			if err == nil || permanent != c.permanent {
				t.Errorf("error %v, permanent %v, want %v", err, permanent, c.permanent)
			}
		})
	}
}
