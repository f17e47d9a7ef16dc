package storetest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/replyonce/replyonce/shared/document"
	"github.com/replyonce/replyonce/shared/indexing"
	"github.com/replyonce/replyonce/shared/storeerror"
	"github.com/replyonce/replyonce/shared/worktask"
)

func indexingCases() []Case {
	return []Case{
		{"Indexing/fromAcceptToReady", fromAcceptToReady},
		{"Indexing/taskAndVersionInOneWrite", taskAndVersion},
		{"Indexing/replacedWriterIsRefused", replacedWriter},
		{"Indexing/entriesAreNeverOverwritten", entriesAreKept},
		{"Indexing/currentVersionNeverMovesBack", currentNeverBack},
		{"Indexing/publishedOnce", publishedOnce},
		{"Indexing/failedStaysFailed", failedStaysFailed},
		{"Indexing/closedVersionIsNotPublished", closedVersion},
		{"Indexing/twoWritersAtOnce", twoWriters},
	}
}

const pipeline = "0a1b2c3d"

// toIndex is a version that is to be indexed, with its task.
func (e *Env) toIndex(d document.Document, number int) document.Version {
	v := version(d, number, fmt.Sprintf("source of version %d", number))
	ref := worktask.Ref{Workspace: d.Workspace, Scope: document.ScopeOf(d.ID), ID: e.id()}
	t := worktask.NewTask(ref, "index", caller, "{}", "gateway-1", worktask.RetryUnknown, now(), worktask.DefaultTimers())
	v.State, v.IndexTask = document.Indexing, &t
	v.Index = document.Index{Pipeline: pipeline, Task: ref.ID, MediaType: "text/plain", FileName: "report.txt"}
	return v
}

// documentToIndex stores a document whose first version is to be indexed.
func (e *Env) documentToIndex(ctx context.Context) (document.Document, document.Version, error) {
	d := e.document()
	d.CurrentVersion = 0
	v := e.toIndex(d, 1)
	if err := e.CreateDocument(ctx, e.record(d.ID), d, v); err != nil {
		return d, v, fmt.Errorf("create: %w", err)
	}
	e.seeded = append(e.seeded, v.IndexTask.Ref)
	return d, v, nil
}

func writerOf(v document.Version, assignment int64) indexing.Writer {
	return indexing.Writer{
		Target:     indexing.Target{Workspace: v.Workspace, Document: v.Document, Number: v.Number, Pipeline: pipeline},
		Assignment: assignment,
	}
}

// entriesFor are two entries of each stage, whose order by stage is not that of
// the alphabet.
func entriesFor(v document.Version) []indexing.Entry {
	var all []indexing.Entry
	for _, stage := range indexing.Stages() {
		for part := range 2 {
			body := []byte(fmt.Sprintf("\x00\xff %s %d of version %d", stage, part, v.Number))
			all = append(all, indexing.Entry{Key: indexing.Key{Stage: stage, Part: part}, Body: body})
		}
	}
	return all
}

func summaryOf(entries []indexing.Entry) indexing.Summary {
	return indexing.Summary{Entries: len(entries), Passages: 7, Pages: 3, Manifest: indexing.Manifest(indexing.Describe(entries))}
}

// wantVersion compares a stored version with what it was made as, in a state.
func (e *Env) wantVersion(ctx context.Context, made document.Version, change func(*document.Version)) error {
	want := withoutText(made, 1)
	want.IndexTask = nil
	change(&want)
	got, err := e.Version(ctx, made.Workspace, made.Document, made.Number)
	return errors.Join(err, equal("the version", got, want))
}

func (e *Env) wantCurrent(ctx context.Context, d document.Document, current int) error {
	got, err := e.Document(ctx, d.Workspace, d.ID)
	list, listErr := e.Documents(ctx, d.Workspace, "", 10)
	card := slices.IndexFunc(list.Documents, func(c document.Document) bool { return c.ID == d.ID })
	if listErr == nil && card >= 0 {
		listErr = equal("the current version on the card", list.Documents[card].CurrentVersion, current)
	}
	return errors.Join(err, equal("the current version", got.CurrentVersion, current), listErr)
}

func fromAcceptToReady(ctx context.Context, e *Env) error {
	d, v, err := e.documentToIndex(ctx)
	if err != nil {
		return err
	}
	w, entries := writerOf(v, 1), entriesFor(v)
	f := faults{}
	f.add(e.wantCurrent(ctx, d, 0))
	f.add(e.wantVersion(ctx, v, func(*document.Version) {}))
	f.add(e.TakeVersion(ctx, w))
	f.add(e.WriteEntries(ctx, w, entries[2:]))
	f.add(e.WriteEntries(ctx, w, entries[:2]))
	f.add(e.WriteEntries(ctx, w, nil))
	f.add(e.wantCurrent(ctx, d, 0))
	stored, err := e.ListEntries(ctx, w.Target)
	f.add(err)
	f.add(equal("the entries", stored, indexing.Describe(entries)))
	f.add(e.wantEntries(ctx, w.Target, entries))
	f.add(e.Publish(ctx, w, summaryOf(entries)))
	f.add(e.wantCurrent(ctx, d, 1))
	f.add(e.wantVersion(ctx, v, func(want *document.Version) {
		want.State, want.Index.Writer = document.Ready, 1
		want.Index.Entries, want.Index.Passages, want.Index.Pages = len(entries), 7, 3
		want.Index.Manifest = indexing.Manifest(stored)
	}))
	foreign := w.Target
	foreign.Workspace += "x"
	none, err := e.ListEntries(ctx, foreign)
	f.add(err)
	f.add(equal("another workspace's entries", len(none), 0))
	return f.err()
}

// wantEntries reads entries by their keys, with one that is not there.
func (e *Env) wantEntries(ctx context.Context, t indexing.Target, want []indexing.Entry) error {
	keys := []indexing.Key{{Stage: indexing.Search, Part: 99}}
	for _, entry := range want {
		keys = append(keys, entry.Key)
	}
	got, err := e.ReadEntries(ctx, t, keys)
	if err != nil {
		return err
	}
	if len(got) != len(want) {
		return fmt.Errorf("%d entries were read, want %d", len(got), len(want))
	}
	for _, entry := range want {
		at := slices.IndexFunc(got, func(g indexing.Entry) bool { return g.Key == entry.Key })
		if at < 0 || !bytes.Equal(got[at].Body, entry.Body) {
			return fmt.Errorf("entry %s is not as it was written", entry.Key)
		}
	}
	return nil
}

// taskAndVersion: the task that indexes a version is there exactly when the
// version is.
func taskAndVersion(ctx context.Context, e *Env) error {
	d, v, err := e.documentToIndex(ctx)
	if err != nil {
		return err
	}
	second := e.toIndex(d, 2)
	record := e.record("second")
	taken := e.toIndex(d, 2) // the number is not free any more
	return errors.Join(
		e.wantTask(ctx, "of the first version", stored(*v.IndexTask)),
		e.AddVersion(ctx, record, d, second),
		e.wantTask(ctx, "of the second version", stored(*second.IndexTask)),
		e.wantCurrent(ctx, d, 0),
		wantError("the same request again", e.AddVersion(ctx, record, d, second), storeerror.ErrRecordExists),
		wantError("a version whose number is not free", e.AddVersion(ctx, e.record("third"), d, taken), storeerror.ErrExists),
		e.wantNoTask(ctx, taken.IndexTask.Ref),
	)
}

// replacedWriter: of two assignments the later one writes, whatever the earlier
// one tries and whenever it wakes up.
func replacedWriter(ctx context.Context, e *Env) error {
	d, v, err := e.documentToIndex(ctx)
	if err != nil {
		return err
	}
	entries := entriesFor(v)
	first, second := writerOf(v, 1), writerOf(v, 2)
	other := second
	other.Pipeline = "ffffffff"
	return errors.Join(
		wantError("entries of one that has not taken the version", e.WriteEntries(ctx, first, entries), indexing.ErrReplaced),
		e.TakeVersion(ctx, first),
		e.TakeVersion(ctx, first), // its acknowledgement may have been lost
		e.WriteEntries(ctx, first, entries[:1]),
		e.TakeVersion(ctx, second),
		wantError("taking it back", e.TakeVersion(ctx, first), indexing.ErrReplaced),
		wantError("entries of the first", e.WriteEntries(ctx, first, entries[1:2]), indexing.ErrReplaced),
		wantError("publication by the first", e.Publish(ctx, first, summaryOf(entries)), indexing.ErrReplaced),
		wantError("failure by the first", e.FailVersion(ctx, first, "broken"), indexing.ErrReplaced),
		wantError("another pipeline's writer", e.TakeVersion(ctx, other), indexing.ErrReplaced),
		wantError("another pipeline's entries", e.WriteEntries(ctx, other, entries), indexing.ErrReplaced),
		e.wantStored(ctx, first.Target, entries[:1]),
		e.wantVersion(ctx, v, func(want *document.Version) { want.Index.Writer = 2 }),
		e.wantCurrent(ctx, d, 0),
	)
}

func (e *Env) wantStored(ctx context.Context, t indexing.Target, want []indexing.Entry) error {
	got, err := e.ListEntries(ctx, t)
	return errors.Join(err, equal("the entries", got, indexing.Describe(want)))
}

// entriesAreKept: the same again is success, another body under a key is refused
// with everything that came with it.
func entriesAreKept(ctx context.Context, e *Env) error {
	_, v, err := e.documentToIndex(ctx)
	if err != nil {
		return err
	}
	w, entries := writerOf(v, 1), entriesFor(v)
	if err := errors.Join(e.TakeVersion(ctx, w), e.WriteEntries(ctx, w, entries[:3])); err != nil {
		return err
	}
	changed := slices.Clone(entries[2:])
	changed[0].Body = []byte("something else")
	return errors.Join(
		e.WriteEntries(ctx, w, entries[:4]),
		wantError("another body", e.WriteEntries(ctx, w, changed), indexing.ErrDiffers),
		e.wantStored(ctx, w.Target, entries[:4]),
		e.wantEntries(ctx, w.Target, entries[:4]),
	)
}

// publish takes, writes and publishes a version as its only writer.
func (e *Env) publish(ctx context.Context, v document.Version) error {
	w, entries := writerOf(v, 1), entriesFor(v)
	return errors.Join(e.TakeVersion(ctx, w), e.WriteEntries(ctx, w, entries), e.Publish(ctx, w, summaryOf(entries)))
}

func currentNeverBack(ctx context.Context, e *Env) error {
	d, first, err := e.documentToIndex(ctx)
	if err != nil {
		return err
	}
	versions := []document.Version{first}
	for n := 2; n <= 4; n++ {
		v := e.toIndex(d, n)
		if err := e.AddVersion(ctx, e.record(fmt.Sprintf("v%d", n)), d, v); err != nil {
			return fmt.Errorf("add version %d: %w", n, err)
		}
		d.LatestVersion = n
		versions = append(versions, v)
	}
	var f faults
	for _, step := range []struct{ publish, current int }{{2, 2}, {1, 2}, {4, 4}, {3, 4}} {
		f.add(e.publish(ctx, versions[step.publish-1]))
		f.add(e.wantCurrent(ctx, d, step.current))
		v, err := e.Version(ctx, d.Workspace, d.ID, step.publish)
		f.add(err)
		f.add(equal("the state of the version", v.State, document.Ready))
	}
	whole := version(d, 5, "read whole")
	f.add(e.AddVersion(ctx, e.record("v5"), d, whole))
	f.add(e.wantCurrent(ctx, d, 5))
	d.LatestVersion = 5
	d.CurrentVersion = 4 // as somebody read it who was late
	f.add(e.AddVersion(ctx, e.record("v6"), d, e.toIndex(d, 6)))
	f.add(e.wantCurrent(ctx, d, 5))
	return f.err()
}

// publishedOnce: publishing again, by the same writer or by a later one that has
// made the same entries, is success; anything else is refused.
func publishedOnce(ctx context.Context, e *Env) error {
	d, v, err := e.documentToIndex(ctx)
	if err != nil {
		return err
	}
	if err := e.publish(ctx, v); err != nil {
		return err
	}
	entries := entriesFor(v)
	otherSummary := summaryOf(entries[:1])
	return errors.Join(
		e.Publish(ctx, writerOf(v, 1), summaryOf(entries)),
		e.Publish(ctx, writerOf(v, 2), summaryOf(entries)),
		wantError("publishing something else", e.Publish(ctx, writerOf(v, 1), otherSummary), indexing.ErrReplaced),
		wantError("taking it again", e.TakeVersion(ctx, writerOf(v, 3)), indexing.ErrReplaced),
		wantError("failing it", e.FailVersion(ctx, writerOf(v, 1), "broken"), indexing.ErrReplaced),
		wantError("more entries", e.WriteEntries(ctx, writerOf(v, 1), entries[:1]), indexing.ErrReplaced),
		e.wantStored(ctx, writerOf(v, 1).Target, entries),
		e.wantCurrent(ctx, d, 1),
	)
}

func failedStaysFailed(ctx context.Context, e *Env) error {
	d, v, err := e.documentToIndex(ctx)
	if err != nil {
		return err
	}
	w, entries := writerOf(v, 1), entriesFor(v)
	return errors.Join(
		e.TakeVersion(ctx, w),
		e.WriteEntries(ctx, w, entries[:1]),
		e.FailVersion(ctx, w, "no_text"),
		e.FailVersion(ctx, w, "no_text"), // its acknowledgement may have been lost
		wantError("publishing it", e.Publish(ctx, w, summaryOf(entries)), indexing.ErrReplaced),
		wantError("taking it", e.TakeVersion(ctx, writerOf(v, 2)), indexing.ErrReplaced),
		e.wantVersion(ctx, v, func(want *document.Version) {
			want.State, want.Index.Writer, want.Index.Failure = document.Failed, 1, "no_text"
		}),
		e.wantCurrent(ctx, d, 0),
	)
}

// closedVersion: a version whose task has ended is closed by whoever finds it, and
// what its last writer sent before the end is refused after it.
func closedVersion(ctx context.Context, e *Env) error {
	d, v, err := e.documentToIndex(ctx)
	if err != nil {
		return err
	}
	w, entries := writerOf(v, 1), entriesFor(v)
	failed := func(want *document.Version) {
		want.State, want.Index.Writer, want.Index.Failure = document.Failed, 1, "deadline"
	}
	if err := errors.Join(
		e.TakeVersion(ctx, w),
		e.WriteEntries(ctx, w, entries),
		e.CloseVersion(ctx, v.Workspace, v.Document, v.Number, "deadline"),
		e.CloseVersion(ctx, v.Workspace, v.Document, v.Number, "cancelled"), // the first one decides
		e.CloseVersion(ctx, v.Workspace, v.Document, v.Number+1, "deadline"),
		wantError("publishing it", e.Publish(ctx, w, summaryOf(entries)), indexing.ErrReplaced),
		e.wantVersion(ctx, v, failed),
		e.wantCurrent(ctx, d, 0),
	); err != nil {
		return err
	}
	second := e.toIndex(d, 2)
	if err := errors.Join(e.AddVersion(ctx, e.record("second"), d, second), e.publish(ctx, second)); err != nil {
		return err
	}
	return errors.Join(
		e.CloseVersion(ctx, second.Workspace, second.Document, second.Number, "deadline"),
		e.wantCurrent(ctx, d, 2),
		func() error {
			got, err := e.Version(ctx, second.Workspace, second.Document, second.Number)
			return errors.Join(err, equal("the state of a published version", got.State, document.Ready))
		}(),
	)
}

// twoWriters: a worker that does not know that it was replaced writes at the same
// time as its successor. Whatever comes first, the version ends with one entry of
// each key and is published by the successor.
func twoWriters(ctx context.Context, e *Env) error {
	d, v, err := e.documentToIndex(ctx)
	if err != nil {
		return err
	}
	entries := entriesFor(v)
	old, successor := writerOf(v, 1), writerOf(v, 2)
	if err := e.TakeVersion(ctx, old); err != nil {
		return err
	}
	var both sync.WaitGroup
	errs := make([]error, 2)
	both.Go(func() {
		for i := range entries {
			if err := e.untilDecided(func() error { return e.WriteEntries(ctx, old, entries[i:i+1]) }); err != nil && !errors.Is(err, indexing.ErrReplaced) {
				errs[0] = errors.Join(errs[0], err)
			}
		}
	})
	both.Go(func() {
		errs[1] = errors.Join(
			e.untilDecided(func() error { return e.TakeVersion(ctx, successor) }),
			e.untilDecided(func() error { return e.WriteEntries(ctx, successor, entries) }),
			e.untilDecided(func() error { return e.Publish(ctx, successor, summaryOf(entries)) }),
		)
	})
	both.Wait()
	return errors.Join(append(errs,
		e.wantStored(ctx, old.Target, entries),
		e.wantVersion(ctx, v, func(want *document.Version) {
			want.State, want.Index.Writer = document.Ready, 2
			want.Index.Entries, want.Index.Passages, want.Index.Pages, want.Index.Manifest =
				len(entries), 7, 3, indexing.Manifest(indexing.Describe(entries))
		}),
		e.wantCurrent(ctx, d, 1))...)
}

// untilDecided repeats what the engine has only put off.
func (e *Env) untilDecided(write func() error) error {
	for range 50 {
		err := write()
		if err == nil || !errors.Is(err, storeerror.ErrConflict) && !errors.Is(err, storeerror.ErrUnavailable) {
			return err
		}
	}
	return storeerror.ErrConflict
}
