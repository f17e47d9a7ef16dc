package indexpipeline_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/replyonce/replyonce/shared/document"
	"github.com/replyonce/replyonce/shared/idempotency"
	"github.com/replyonce/replyonce/shared/indexing"
	"github.com/replyonce/replyonce/shared/indexpipeline"
	"github.com/replyonce/replyonce/shared/indexwork"
	"github.com/replyonce/replyonce/shared/memstore"
	"github.com/replyonce/replyonce/shared/retrieval"
	"github.com/replyonce/replyonce/shared/storeerror"
)

var (
	start  = time.Date(2026, 11, 29, 14, 0, 0, 0, time.UTC)
	target = indexing.Target{Workspace: "acme", Document: "d1", Number: 1, Pipeline: indexpipeline.Name()}
)

// manual is long enough for several parts of each kind.
func manual() string {
	var text strings.Builder
	for chapter := range 40 {
		fmt.Fprintf(&text, "# Chapter %d\n\n", chapter+1)
		for paragraph := range 12 {
			fmt.Fprintf(&text, "Rule %d.%d says that widget number %d is painted in colour %d before it leaves the hall. "+
				"Whoever paints it writes a note, and the foreman keeps it for a year.\n\n", chapter+1, paragraph+1, chapter*12+paragraph, (chapter*7+paragraph)%50)
		}
	}
	return text.String() + "# Keys\n\nThe caretaker has the key of the cellar.\n"
}

func build(t *testing.T, source indexwork.Source) indexwork.Built {
	t.Helper()
	built, err := indexpipeline.Pipeline{}.Run(t.Context(), source)
	if err != nil {
		t.Fatal(err)
	}
	return built
}

// kept is a store with the entries of a version.
func kept(t *testing.T, built indexwork.Built) *memstore.Store {
	t.Helper()
	store := memstore.New(memstore.Options{})
	record, err := idempotency.NewRecord(idempotency.Scope{Workspace: "acme", Caller: "a", Operation: "o"}, "k",
		idempotency.NewCanonical("o").Fingerprint(), "/v1/documents/d1", start, idempotency.Windows{Replay: time.Hour, Purge: 2 * time.Hour})
	d := document.Document{Workspace: "acme", ID: "d1", Title: "Manual", LatestVersion: 1, CreatedAt: start, UpdatedAt: start}
	v := document.Version{
		Workspace: "acme", Document: "d1", Title: "Manual", Number: 1, CreatedAt: start, State: document.Indexing,
		Index: document.Index{Pipeline: target.Pipeline},
	}
	w := indexing.Writer{Target: target, Assignment: 1}
	if err := errors.Join(err, store.CreateDocument(t.Context(), record, d, v), store.TakeVersion(t.Context(), w), store.WriteEntries(t.Context(), w, built.Entries)); err != nil {
		t.Fatal(err)
	}
	return store
}

func TestEntriesAreAFunctionOfTheFile(t *testing.T) {
	t.Parallel()
	source := indexwork.Source{FileName: "manual.md", Body: []byte(manual())}
	first, second := build(t, source), build(t, source)
	if indexing.Manifest(indexing.Describe(first.Entries)) != indexing.Manifest(indexing.Describe(second.Entries)) {
		t.Error("two runs made different entries")
	}
	byStage := map[indexing.Stage]int{}
	seen := map[indexing.Key]bool{}
	last := indexing.Key{}
	for _, e := range first.Entries {
		if seen[e.Key] || len(e.Body) == 0 || len(e.Body) > indexing.MaxEntryBytes {
			t.Errorf("entry %s twice, empty or with %d bytes", e.Key, len(e.Body))
		}
		stages := indexing.Stages()
		if slices.Index(stages, e.Stage) < slices.Index(stages, last.Stage) || e.Stage == last.Stage && e.Part != last.Part+1 {
			t.Errorf("entry %s after %s", e.Key, last)
		}
		seen[e.Key], last = true, e.Key
		byStage[e.Stage]++
	}
	if byStage[indexing.Extract] != 2 || byStage[indexing.Split] < 5 || byStage[indexing.Search] < 5 || first.Passages < 50 {
		t.Errorf("%v entries, %d passages", byStage, first.Passages)
	}
}

func TestTextAndPassagesComeBack(t *testing.T) {
	t.Parallel()
	source := manual()
	store := kept(t, build(t, indexwork.Source{FileName: "manual.md", Body: []byte(source)}))
	text, err := indexpipeline.ReadText(t.Context(), store, target)
	if err != nil || text.Text != source {
		t.Fatalf("text of %d bytes, %v, want %d", len(text.Text), err, len(source))
	}
	hits, err := retrieval.Search(t.Context(), indexpipeline.Reader{Store: store, Target: target}, retrieval.Question{Text: "Who has the key of the cellar?"}, 5)
	if err != nil || len(hits) == 0 {
		t.Fatalf("%d hits, %v", len(hits), err)
	}
	if hit := hits[0]; !strings.Contains(hit.Text, "caretaker") || text.Text[hit.Start:hit.End] != hit.Text {
		t.Errorf("first hit %+v", hit)
	}
}

// lossy leaves out or changes an entry.
type lossy struct {
	indexing.Store
	drop indexing.Key
	body []byte // instead, if any
}

func (l lossy) ReadEntries(ctx context.Context, t indexing.Target, keys []indexing.Key) ([]indexing.Entry, error) {
	entries, err := l.Store.ReadEntries(ctx, t, keys)
	at := slices.IndexFunc(entries, func(e indexing.Entry) bool { return e.Key == l.drop })
	switch {
	case at < 0:
	case l.body == nil:
		entries = slices.Delete(entries, at, at+1)
	default:
		entries[at].Body = l.body
	}
	return entries, err
}

func TestDamageIsNeverHandedOut(t *testing.T) {
	t.Parallel()
	store := kept(t, build(t, indexwork.Source{FileName: "manual.md", Body: []byte(manual())}))
	for name, damaged := range map[string]lossy{
		"no head":       {drop: indexing.Key{Stage: indexing.Extract}},
		"no text":       {drop: indexing.Key{Stage: indexing.Extract, Part: 1}},
		"another text":  {drop: indexing.Key{Stage: indexing.Extract, Part: 1}, body: []byte("something else")},
		"garbled head":  {drop: indexing.Key{Stage: indexing.Extract}, body: []byte("{")},
		"endless parts": {drop: indexing.Key{Stage: indexing.Extract}, body: []byte(`{"format":"text","bytes":1,"sha256":"x","parts":1000000000}`)},
	} {
		damaged.Store = store
		if text, err := indexpipeline.ReadText(t.Context(), damaged, target); !errors.Is(err, storeerror.ErrCorrupt) || text.Text != "" {
			t.Errorf("%s: %d bytes, %v", name, len(text.Text), err)
		}
	}
	missing := lossy{Store: store, drop: indexing.Key{Stage: indexing.Search}}
	_, err := retrieval.Search(t.Context(), indexpipeline.Reader{Store: missing, Target: target}, retrieval.Question{Text: "key of the cellar"}, 5)
	if !errors.Is(err, storeerror.ErrCorrupt) {
		t.Errorf("search without a head: %v", err)
	}
}

func TestUnreadableFiles(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		body   string
		reason string
	}{
		"nothing in it": {"  \n ", "no_text"},
		"a picture":     {"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR", "unsupported_format"},
	} {
		_, err := indexpipeline.Pipeline{}.Run(t.Context(), indexwork.Source{FileName: "report.txt", Body: []byte(c.body)})
		if source, ok := errors.AsType[*indexwork.SourceError](err); !ok || source.Reason != c.reason {
			t.Errorf("%s: %v, want %s", name, err, c.reason)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := indexpipeline.Pipeline{}.Run(ctx, indexwork.Source{FileName: "manual.md", Body: []byte(manual())})
	if _, ok := errors.AsType[*indexwork.SourceError](err); err == nil || ok {
		t.Errorf("a run that was cut off: %v, want an error that blames no file", err)
	}
}
