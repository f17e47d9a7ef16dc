package storetest

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/replyonce/replyonce/shared/document"
	"github.com/replyonce/replyonce/shared/indexing"
	"github.com/replyonce/replyonce/shared/storeerror"
	"github.com/replyonce/replyonce/shared/worktask"
)

func deletionCases() []Case {
	return []Case{
		{"Deletion/deletedIsGone", deletedIsGone},
		{"Deletion/deletedOnceByMany", deletedOnceByMany},
		{"Deletion/begunAnew", begunAnew},
		{"Deletion/noVersionAfterTheTombstone", noVersionAfterTombstone},
		{"Deletion/noWriterAfterTheFence", noWriterAfterFence},
		{"Deletion/nothingIsLeft", nothingIsLeft},
		{"Deletion/racingWriterLeavesNothing", racingWriter},
	}
}

func (e *Env) eraseTask(d document.Document) (document.Tombstone, worktask.Task) {
	ref := worktask.Ref{Workspace: d.Workspace, Scope: document.ScopeOf(d.ID), ID: e.id()}
	t := worktask.NewTask(ref, document.KindErase, caller, "{}", "gateway-1", worktask.RetryUnknown, now(), worktask.DefaultTimers())
	return document.Tombstone{Workspace: d.Workspace, Document: d.ID, DeletedAt: storedTime(now()), EraseTask: ref.ID}, t
}

// entombed stores a document whose version 1 is ready and 2 is being indexed, and
// deletes it.
func (e *Env) entombed(ctx context.Context) (document.Document, document.Version, error) {
	d, first, err := e.documentToIndex(ctx)
	if err != nil {
		return d, first, err
	}
	second := e.toIndex(d, 2)
	stone, task := e.eraseTask(d)
	err = errors.Join(
		e.publish(ctx, first),
		e.AddVersion(ctx, e.record("second"), d, second),
		e.TakeVersion(ctx, writerOf(second, 1)),
		e.WriteEntries(ctx, writerOf(second, 1), entriesFor(second)[:3]),
		e.DeleteDocument(ctx, stone, "", task),
	)
	return d, second, err
}

func (e *Env) wantGone(ctx context.Context, d document.Document) error {
	_, err := e.Document(ctx, d.Workspace, d.ID)
	list, listErr := e.Documents(ctx, d.Workspace, "", 100)
	for _, card := range list.Documents {
		if card.ID == d.ID {
			listErr = errors.Join(listErr, errors.New("a deleted document is in the list"))
		}
	}
	return errors.Join(wantError("a deleted document", err, storeerror.ErrNotFound), listErr)
}

func deletedIsGone(ctx context.Context, e *Env) error {
	kept, d := e.document(), e.document()
	if err := errors.Join(e.CreateDocument(ctx, e.record("k"), kept, version(kept, 1, "kept")), e.CreateDocument(ctx, e.record("d"), d, version(d, 1, "text"))); err != nil {
		return err
	}
	stone, task := e.eraseTask(d)
	unborn := e.document()
	unbornStone, unbornTask := e.eraseTask(unborn)
	_, before := e.Tombstone(ctx, d.Workspace, d.ID)
	err := e.DeleteDocument(ctx, stone, "", task)
	got, readErr := e.Tombstone(ctx, d.Workspace, d.ID)
	_, foreign := e.Tombstone(ctx, d.Workspace+"x", d.ID)
	still, keptErr := e.Document(ctx, kept.Workspace, kept.ID)
	again := e.record("again")
	return errors.Join(
		wantError("a tombstone before", before, storeerror.ErrNotFound),
		err, readErr, equal("the tombstone", got, stone),
		wantError("another workspace's tombstone", foreign, storeerror.ErrNotFound),
		e.wantTask(ctx, "that erases", stored(task)),
		e.wantGone(ctx, d),
		keptErr, equal("another document", still, kept),
		wantError("deleting what never was", e.DeleteDocument(ctx, unbornStone, "", unbornTask), storeerror.ErrExists),
		e.wantNoTask(ctx, unbornTask.Ref),
		wantError("the id of a deleted document", e.CreateDocument(ctx, again, d, version(d, 7, "again")), storeerror.ErrExists),
		e.wantNoRecord(ctx, again.Key),
	)
}

func deletedOnceByMany(ctx context.Context, e *Env) error {
	d := e.document()
	if err := e.CreateDocument(ctx, e.record("d"), d, version(d, 1, "text")); err != nil {
		return err
	}
	errs, tasks := make([]error, 8), make([]worktask.Task, 8)
	var all sync.WaitGroup
	for i := range errs {
		var stone document.Tombstone
		stone, tasks[i] = e.eraseTask(d)
		all.Go(func() { errs[i] = e.untilDecided(func() error { return e.DeleteDocument(ctx, stone, "", tasks[i]) }) })
	}
	all.Wait()
	stone, err := e.Tombstone(ctx, d.Workspace, d.ID)
	f := faults{}
	f.add(err)
	won := 0
	for i, err := range errs {
		if err == nil {
			won++
			f.add(equal("the task of the tombstone", stone.EraseTask, tasks[i].ID))
			f.add(e.wantTask(ctx, "that erases", stored(tasks[i])))
			continue
		}
		f.add(wantError("deleting what is deleted", err, storeerror.ErrExists))
		f.add(e.wantNoTask(ctx, tasks[i].Ref))
	}
	f.add(equal("how many deleted it", won, 1))
	return f.err()
}

// begunAnew: an erasure that failed is begun again by whoever has seen its task,
// and nobody else.
func begunAnew(ctx context.Context, e *Env) error {
	d := e.document()
	if err := e.CreateDocument(ctx, e.record("d"), d, version(d, 1, "text")); err != nil {
		return err
	}
	first, firstTask := e.eraseTask(d)
	second, secondTask := e.eraseTask(d)
	third, thirdTask := e.eraseTask(d)
	second.DeletedAt = first.DeletedAt.Add(time.Hour)
	err := errors.Join(
		e.DeleteDocument(ctx, first, "", firstTask),
		wantError("beginning anew unseen", e.DeleteDocument(ctx, second, "", secondTask), storeerror.ErrExists),
		e.DeleteDocument(ctx, second, first.EraseTask, secondTask),
		wantError("beginning anew after another", e.DeleteDocument(ctx, third, first.EraseTask, thirdTask), storeerror.ErrExists),
		e.wantNoTask(ctx, thirdTask.Ref),
	)
	got, readErr := e.Tombstone(ctx, d.Workspace, d.ID)
	return errors.Join(err, readErr, equal("the tombstone", got, second), e.wantGone(ctx, d))
}

func noVersionAfterTombstone(ctx context.Context, e *Env) error {
	d, second, err := e.entombed(ctx)
	if err != nil {
		return err
	}
	d.LatestVersion = 2
	whole, indexed := e.record("whole"), e.record("indexed")
	third := e.toIndex(d, 3)
	w := writerOf(second, 1)
	left := entriesFor(second)[3:]
	f := faults{}
	f.add(wantError("a version", e.AddVersion(ctx, whole, d, version(d, 3, "late")), storeerror.ErrExists))
	f.add(wantError("a version to index", e.AddVersion(ctx, indexed, d, third), storeerror.ErrExists))
	f.add(e.wantNoRecord(ctx, whole.Key))
	f.add(e.wantNoTask(ctx, third.IndexTask.Ref))
	// The version is not fenced yet: its worker still writes, and cannot publish.
	f.add(e.WriteEntries(ctx, w, left))
	f.add(wantError("publishing", e.Publish(ctx, w, summaryOf(entriesFor(second))), indexing.ErrDeleted))
	f.add(e.wantGone(ctx, d))
	return f.err()
}

func noWriterAfterFence(ctx context.Context, e *Env) error {
	d, second, err := e.entombed(ctx)
	if err != nil {
		return err
	}
	w := writerOf(second, 1)
	entries := entriesFor(second)
	f := faults{}
	f.add(wantError("removing a version that is not fenced", e.EraseVersion(ctx, d.Workspace, d.ID, 2), storeerror.ErrConflict))
	for _, number := range []int{1, 2, 2, 9} { // again, and one that never was
		f.add(e.FenceVersion(ctx, d.Workspace, d.ID, number))
	}
	refused := func() {
		f.add(wantError("taking it", e.TakeVersion(ctx, writerOf(second, 2)), indexing.ErrReplaced))
		f.add(wantError("writing entries", e.WriteEntries(ctx, w, entries[3:]), indexing.ErrReplaced))
		f.add(wantError("failing it", e.FailVersion(ctx, w, "broken"), indexing.ErrReplaced))
		published := e.Publish(ctx, w, summaryOf(entries))
		if !errors.Is(published, indexing.ErrReplaced) && !errors.Is(published, indexing.ErrDeleted) {
			f.add(fmt.Errorf("publishing: %w", orNone(published)))
		}
	}
	refused()
	f.add(e.wantStored(ctx, w.Target, entries[:3]))
	for number := 1; number <= 2; number++ {
		_, readErr := e.Version(ctx, d.Workspace, d.ID, number)
		_, textErr := e.Text(ctx, d.Workspace, d.ID, number)
		f.add(wantError("a fenced version", readErr, storeerror.ErrNotFound))
		f.add(wantError("the text of a fenced version", textErr, storeerror.ErrNotFound))
	}
	left, err := e.LeftVersions(ctx, d.Workspace, d.ID)
	f.add(err)
	f.add(equal("how many versions are left", len(left), 2))
	listed, err := e.Versions(ctx, d.Workspace, d.ID)
	f.add(err)
	f.add(equal("how many versions are shown", len(listed), 0))
	f.add(e.EraseVersion(ctx, d.Workspace, d.ID, 2))
	f.add(e.EraseVersion(ctx, d.Workspace, d.ID, 2))
	refused() // where nothing is, nothing is made
	return f.err()
}

// erase does what the erase task does.
func (e *Env) erase(ctx context.Context, d document.Document, limit int) error {
	versions, err := e.LeftVersions(ctx, d.Workspace, d.ID)
	if err != nil {
		return err
	}
	for _, v := range versions {
		if err := e.untilDecided(func() error { return e.FenceVersion(ctx, d.Workspace, d.ID, v.Number) }); err != nil {
			return err
		}
	}
	for n := 1; n > 0; {
		if n, err = e.EraseContents(ctx, d.Workspace, d.ID, limit); err != nil {
			return err
		}
		if n > limit {
			return fmt.Errorf("%d removed at once, want %d at most", n, limit)
		}
	}
	for _, v := range versions {
		if err := e.untilDecided(func() error { return e.EraseVersion(ctx, d.Workspace, d.ID, v.Number) }); err != nil {
			return err
		}
	}
	return nil
}

// wantNothingLeft looks at everything but the tombstone and the tasks.
func (e *Env) wantNothingLeft(ctx context.Context, d document.Document) error {
	f := faults{}
	versions, err := e.LeftVersions(ctx, d.Workspace, d.ID)
	f.add(err)
	f.add(equal("how many versions are left", len(versions), 0))
	n, err := e.EraseContents(ctx, d.Workspace, d.ID, 100)
	f.add(err)
	f.add(equal("how many parts and entries are left", n, 0))
	_, err = e.Tombstone(ctx, d.Workspace, d.ID)
	f.add(err)
	return f.err()
}

// nothingIsLeft: in small steps and again, and nothing of the next document goes.
func nothingIsLeft(ctx context.Context, e *Env) error {
	other := e.document()
	text := version(other, 1, "stays")
	if err := e.CreateDocument(ctx, e.record("o"), other, text); err != nil {
		return err
	}
	kept, keptVersion, err := e.documentToIndex(ctx)
	if err != nil {
		return err
	}
	d, _, err := e.entombed(ctx)
	if err != nil {
		return err
	}
	got := document.Version{}
	err = errors.Join(e.publish(ctx, keptVersion), e.erase(ctx, d, 2), e.erase(ctx, d, 2), e.wantNothingLeft(ctx, d))
	if err == nil {
		got, err = e.Text(ctx, other.Workspace, other.ID, 1)
	}
	return errors.Join(err, equal("another document's text", got.Text, text.Text),
		e.wantStored(ctx, writerOf(keptVersion, 1).Target, entriesFor(keptVersion)), e.wantCurrent(ctx, kept, 1))
}

// racingWriter: a worker writes entries one by one while the document is deleted
// and erased, and publishes after it. Whatever comes first, nothing is left.
func racingWriter(ctx context.Context, e *Env) error {
	d, v, err := e.documentToIndex(ctx)
	if err != nil {
		return err
	}
	w := writerOf(v, 1)
	if err := e.TakeVersion(ctx, w); err != nil {
		return err
	}
	begun := make(chan struct{})
	errs := make([]error, 2)
	var both sync.WaitGroup
	both.Go(func() {
		for part := range 40 {
			entry := indexing.Entry{Key: indexing.Key{Stage: indexing.Search, Part: part}, Body: []byte{byte(part)}}
			err := e.untilDecided(func() error { return e.WriteEntries(ctx, w, []indexing.Entry{entry}) })
			if err != nil && !errors.Is(err, indexing.ErrReplaced) {
				errs[0] = errors.Join(errs[0], err)
			}
			if part == 3 {
				close(begun)
			}
		}
	})
	both.Go(func() {
		<-begun
		stone, task := e.eraseTask(d)
		errs[1] = errors.Join(
			e.untilDecided(func() error { return e.DeleteDocument(ctx, stone, "", task) }),
			e.erase(ctx, d, 3),
		)
	})
	both.Wait()
	if e.Publish(ctx, w, indexing.Summary{Entries: 40, Manifest: "m"}) == nil {
		errs[0] = errors.Join(errs[0], errors.New("published into a deleted document"))
	}
	return errors.Join(append(errs, e.wantNothingLeft(ctx, d), e.wantGone(ctx, d))...)
}
