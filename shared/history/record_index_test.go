package history_test

import (
	"testing"
	"time"

	"github.com/replyonce/replyonce/shared/document"
	"github.com/replyonce/replyonce/shared/history"
	"github.com/replyonce/replyonce/shared/idempotency"
	"github.com/replyonce/replyonce/shared/indexing"
	"github.com/replyonce/replyonce/shared/memstore"
	"github.com/replyonce/replyonce/shared/worktask"
)

// TestVersionsAreRecorded: both sides of what becomes of a version, and where the
// pointer stands after each write.
func TestVersionsAreRecorded(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 29, 14, 0, 0, 0, time.UTC)
	r := history.NewRecorder(func() time.Time { return now }, history.Header{})
	store := r.StoreVersions(memstore.New(memstore.Options{}))
	api, indexer := r.Actor("api-1").Documents(store), r.Actor("indexer-1").Entries(store)

	ref := worktask.Ref{Workspace: "acme", Scope: document.ScopeOf("d"), ID: "t"}
	task := worktask.NewTask(ref, indexing.Kind, "alice", "{}", "g", worktask.RetryUnknown, now, worktask.DefaultTimers())
	d := document.Document{Workspace: "acme", ID: "d", LatestVersion: 1, CreatedAt: now}
	v := document.Version{
		Workspace: "acme", Document: "d", Number: 1, SHA256: "s", Text: "text", State: document.Indexing, IndexTask: &task,
		Index: document.Index{Pipeline: "p", Task: "t"},
	}
	w := indexing.Writer{Target: indexing.Target{Workspace: "acme", Document: "d", Number: 1, Pipeline: "p"}, Assignment: 1}
	old := w
	old.Assignment = 0
	entries := []indexing.Entry{{Key: indexing.Key{Stage: indexing.Extract}, Body: []byte("body")}}
	for what, err := range map[string]error{
		"create":  api.CreateDocument(t.Context(), idempotency.Record{Key: "k", CreatedAt: now, PurgeAfter: now.Add(time.Hour)}, d, v),
		"take":    indexer.TakeVersion(t.Context(), w),
		"nothing": indexer.WriteEntries(t.Context(), w, nil),
		"write":   indexer.WriteEntries(t.Context(), w, entries),
		"publish": indexer.Publish(t.Context(), w, indexing.Summary{Entries: 1, Manifest: indexing.Manifest(indexing.Describe(entries))}),
	} {
		if err != nil {
			t.Errorf("%s: %v", what, err)
		}
	}
	if err := indexer.WriteEntries(t.Context(), old, entries); err == nil {
		t.Error("an old worker has written")
	}
	h := r.History()
	if err := h.Check(); err != nil {
		t.Fatal(err)
	}
	wantKinds(t, h, "create_sent created create_done index_sent indexed index_done index_sent indexed index_done index_sent indexed index_done index_sent index_done")
	made, published, refused := h.Events[1], h.Events[10], h.Events[13]
	if made.Task != history.RefOf(ref) || made.Creation.Version.State != "indexing" || made.Creation.Item == nil || made.Creation.Version.Current != 0 {
		t.Errorf("made %+v", made)
	}
	if published.Op != h.Events[9].Seq || published.Index.Current != 1 || published.Index.Count != 1 || published.Index.Writer != 1 {
		t.Errorf("published %+v", published.Index)
	}
	if refused.Outcome != history.RefusedBy || refused.Actor != "indexer-1" {
		t.Errorf("refused %+v", refused)
	}
}

func wantKinds(t *testing.T, h history.History, want string) {
	t.Helper()
	got := ""
	for i, e := range h.Events {
		if i > 0 {
			got += " "
		}
		got += string(e.Kind)
	}
	if got != want {
		t.Errorf("events %s\nwant   %s", got, want)
	}
}
