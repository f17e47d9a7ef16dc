package storetest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/replyonce/replyonce/shared/document"
	"github.com/replyonce/replyonce/shared/storeerror"
)

func documentCases() []Case {
	return []Case{
		{"Documents/createAndRead", createAndReadDocument},
		{"Documents/versionsInOrder", versionsInOrder},
		{"Documents/textsOfEverySize", textsOfEverySize},
		{"Documents/damagedTextIsNotHandedOut", damagedText},
		{"Documents/oneOfTwoVersionsWins", oneOfTwoVersions},
		{"Documents/takenIDWritesNothing", takenDocument},
		{"Documents/listNewestFirst", listDocuments},
	}
}

// withoutText is the description of a version as the store gives it.
func withoutText(v document.Version, parts int) document.Version {
	v.Text, v.Parts = "", parts
	return v
}

func createAndReadDocument(ctx context.Context, e *Env) error {
	d := e.document()
	v := version(d, 1, "It says so. 漢字")
	if err := e.CreateDocument(ctx, e.record(d.ID), d, v); err != nil {
		return fmt.Errorf("create: %w", err)
	}
	got, err := e.Document(ctx, e.Workspace, d.ID)
	described, describeErr := e.Version(ctx, e.Workspace, d.ID, 1)
	_, foreign := e.Document(ctx, e.Workspace+"x", d.ID)
	_, foreignText := e.Text(ctx, e.Workspace+"x", d.ID, 1)
	_, absent := e.Version(ctx, e.Workspace, d.ID, 2)
	return errors.Join(
		err, equal("the document", got, d),
		describeErr, equal("the version", described, withoutText(v, 1)),
		wantError("another workspace's document", foreign, storeerror.ErrNotFound),
		wantError("another workspace's text", foreignText, storeerror.ErrNotFound),
		wantError("a version that is not there", absent, storeerror.ErrNotFound),
	)
}

func versionsInOrder(ctx context.Context, e *Env) error {
	d := e.document()
	v := version(d, 1, "version 1")
	want := []document.Version{withoutText(v, 0)}
	if err := e.CreateDocument(ctx, e.record(d.ID), d, v); err != nil {
		return fmt.Errorf("create: %w", err)
	}
	for n := 2; n <= 12; n++ { // past the tenth, where text order is not number order
		v := version(d, n, fmt.Sprintf("version %d", n))
		if err := e.AddVersion(ctx, e.record(fmt.Sprintf("%s/%d", d.ID, n)), d, v); err != nil {
			return fmt.Errorf("add version %d: %w", n, err)
		}
		want = append(want, withoutText(v, 0))
		d.LatestVersion, d.CurrentVersion, d.UpdatedAt = n, n, v.CreatedAt
	}
	got, err := e.Versions(ctx, e.Workspace, d.ID)
	read, readErr := e.Document(ctx, e.Workspace, d.ID)
	list, listErr := e.Documents(ctx, e.Workspace, "", 10)
	return errors.Join(
		err, equal("the versions", got, want),
		readErr, equal("the document", read, d),
		listErr, equal("its card", list.Documents, []document.Document{d}),
	)
}

// textsOfEverySize: a text is cut into parts between characters, whatever their
// width, and comes back byte for byte.
func textsOfEverySize(ctx context.Context, e *Env) error {
	var f faults
	for name, c := range map[string]struct {
		text  string
		parts int
	}{
		"one byte":                {"x", 1},
		"one part":                {strings.Repeat("x", 300<<10), 1},
		"one byte more":           {strings.Repeat("x", 300<<10+1), 2},
		"wide characters":         {strings.Repeat("漢", 140_000), 2},
		"emoji, shifted by one":   {"x" + strings.Repeat("👍", 150_000), 2},
		"the longest, with 1 MiB": {strings.Repeat("é", 512<<10), 4},
	} {
		d := e.document()
		v := version(d, 1, c.text)
		if err := e.CreateDocument(ctx, e.record(d.ID), d, v); err != nil {
			f.add(fmt.Errorf("%s: %w", name, err))
			continue
		}
		got, err := e.Text(ctx, e.Workspace, d.ID, 1)
		v.Parts = c.parts
		if err != nil || got != v {
			f.add(fmt.Errorf("%s: %d bytes in %d parts came back, want %d in %d: %w",
				name, len(got.Text), got.Parts, len(v.Text), v.Parts, orNone(err)))
		}
	}
	return f.err()
}

func damagedText(ctx context.Context, e *Env) error {
	d := e.document()
	v := version(d, 1, "the text that was meant")
	v.Text = "the text that is there!" // as long
	if err := e.CreateDocument(ctx, e.record(d.ID), d, v); err != nil {
		return fmt.Errorf("create: %w", err)
	}
	got, err := e.Text(ctx, e.Workspace, d.ID, 1)
	return errors.Join(
		wantError("a text that does not match its hash", err, storeerror.ErrCorrupt),
		equal("what was handed out", got.Text, ""),
	)
}

// oneOfTwoVersions: several people save at once on top of one version.
func oneOfTwoVersions(ctx context.Context, e *Env) error {
	d := e.document()
	if err := e.CreateDocument(ctx, e.record(d.ID), d, version(d, 1, "first")); err != nil {
		return fmt.Errorf("create: %w", err)
	}
	errs := make([]error, 8)
	records := make([]string, len(errs))
	for i := range records {
		records[i] = "key-" + e.id()
	}
	var all sync.WaitGroup
	for i := range errs {
		all.Go(func() {
			v := version(d, 2, fmt.Sprintf("by person %d", i))
			errs[i] = e.AddVersion(ctx, e.recordAt(records[i], v.Text, now()), d, v)
		})
	}
	all.Wait()
	var f faults
	won := 0
	for _, err := range errs {
		switch {
		case err == nil:
			won++
		case !errors.Is(err, storeerror.ErrExists) && !errors.Is(err, storeerror.ErrConflict):
			f.add(err)
		}
	}
	f.add(equal("how many versions 2 were saved", won, 1))
	versions, err := e.Versions(ctx, e.Workspace, d.ID)
	f.add(err)
	f.add(equal("how many versions there are", len(versions), 2))
	skipped := e.AddVersion(ctx, e.record("skip"), d, version(d, 4, "skips number 3"))
	f.add(wantError("a version that skips a number", skipped, storeerror.ErrExists))
	unborn := e.document()
	f.add(wantError("a version of no document", e.AddVersion(ctx, e.record("unborn"), unborn, version(unborn, 2, "x")), storeerror.ErrExists))
	return f.err()
}

func takenDocument(ctx context.Context, e *Env) error {
	d := e.document()
	if err := e.CreateDocument(ctx, e.record(d.ID), d, version(d, 1, "first")); err != nil {
		return fmt.Errorf("create: %w", err)
	}
	other := d
	other.Title = "Other"
	record := e.record("other")
	err := e.CreateDocument(ctx, record, other, version(other, 1, "second"))
	got, readErr := e.Text(ctx, e.Workspace, d.ID, 1)
	return errors.Join(
		wantError("a taken document id", err, storeerror.ErrExists),
		e.wantNoRecord(ctx, record.Key),
		readErr, equal("the text", got.Text, "first"),
	)
}

func listDocuments(ctx context.Context, e *Env) error {
	var want []document.Document
	for i := range 5 {
		d := e.document()
		d.Title = fmt.Sprintf("Document %d", i)
		if err := e.CreateDocument(ctx, e.record(d.ID), d, version(d, 1, "text")); err != nil {
			return fmt.Errorf("create: %w", err)
		}
		want = append(want, d)
	}
	slices.Reverse(want)
	var got []document.Document
	for cursor, first := "", true; first || cursor != ""; first = false {
		page, err := e.Documents(ctx, e.Workspace, cursor, 2)
		if err != nil {
			return fmt.Errorf("list: %w", err)
		}
		got = append(got, page.Documents...)
		cursor = page.After
	}
	_, err := e.Documents(ctx, e.Workspace, "no cursor!", 3)
	return errors.Join(
		equal("the documents", got, want),
		wantError("a bad cursor", err, storeerror.ErrBadCursor),
	)
}
