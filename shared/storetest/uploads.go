package storetest

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/replyonce/replyonce/shared/document"
	"github.com/replyonce/replyonce/shared/idempotency"
	"github.com/replyonce/replyonce/shared/storeerror"
	"github.com/replyonce/replyonce/shared/upload"
)

func uploadCases() []Case {
	return []Case{
		{"Uploads/announcedOnce", announcedOnce},
		{"Uploads/everyFieldComesBack", uploadComesBack},
		{"Uploads/completedOnceByMany", completedByMany},
	}
}

func (e *Env) upload(record idempotency.Record) upload.Upload {
	return upload.Upload{
		Workspace: e.Workspace, ID: e.id(), Caller: caller, Title: "Report", FileName: "Bericht 漢字.pdf",
		MediaType: "application/pdf", Bytes: upload.MaxBytes, SHA256: fmt.Sprintf("%064x", 7),
		CreatedAt: storedTime(now()), PurgeAfter: record.PurgeAfter,
	}
}

// announcedOnce: of many announcements under one key one is kept, with its record.
func announcedOnce(ctx context.Context, e *Env) error {
	key := "key-" + e.id()
	uploads, errs := make([]upload.Upload, 8), make([]error, 8)
	var all sync.WaitGroup
	for i := range uploads {
		record := e.recordAt(key, fmt.Sprint(i), now())
		uploads[i] = e.upload(record)
		all.Go(func() {
			errs[i] = e.untilDecided(func() error { return e.CreateUpload(ctx, record, uploads[i]) })
		})
	}
	all.Wait()
	var f faults
	won := 0
	for i, err := range errs {
		_, readErr := e.Upload(ctx, e.Workspace, uploads[i].ID)
		if err == nil {
			won++
			f.add(readErr)
			continue
		}
		f.add(wantError("another announcement", err, storeerror.ErrRecordExists))
		f.add(wantError("an upload that was refused", readErr, storeerror.ErrNotFound))
	}
	f.add(equal("how many were announced", won, 1))
	return f.err()
}

func uploadComesBack(ctx context.Context, e *Env) error {
	record := e.record("upload")
	first := e.upload(record)
	second := first
	second.ID, second.Document, second.Title = e.id(), e.id(), ""
	taken := first
	taken.FileName = "other.pdf"
	other := e.record("taken")
	if err := errors.Join(e.CreateUpload(ctx, record, first), e.CreateUpload(ctx, e.record("second"), second)); err != nil {
		return err
	}
	got, err := e.Upload(ctx, e.Workspace, first.ID)
	gotSecond, secondErr := e.Upload(ctx, e.Workspace, second.ID)
	_, foreign := e.Upload(ctx, e.Workspace+"x", first.ID)
	return errors.Join(
		err, equal("the upload", got, first),
		secondErr, equal("the upload of a version", gotSecond, second),
		wantError("another workspace's upload", foreign, storeerror.ErrNotFound),
		wantError("a taken id", e.CreateUpload(ctx, other, taken), storeerror.ErrExists),
		e.wantNoRecord(ctx, other.Key),
	)
}

// completedByMany: an upload's id is the key of what it makes. Half of those who
// complete it at once make a document of their own, half would add a version to one:
// one write lands, and of the others nothing is there, task included.
func completedByMany(ctx context.Context, e *Env) error {
	d, _, err := e.documentToIndex(ctx)
	if err != nil {
		return err
	}
	key := e.id()
	made, errs := make([]document.Version, 8), make([]error, 8)
	var all sync.WaitGroup
	for i := range made {
		record := e.recordAt(key, fmt.Sprint(i), now())
		target := d
		if i%2 == 0 {
			target = e.document()
			target.CurrentVersion = 0
		}
		made[i] = e.toIndex(target, 1+i%2)
		made[i].Index.Object, made[i].Text, made[i].Parts = "uploads/"+key, "", 0
		all.Go(func() {
			errs[i] = e.untilDecided(func() error {
				if i%2 == 0 {
					return e.CreateDocument(ctx, record, target, made[i])
				}
				return e.AddVersion(ctx, record, target, made[i])
			})
		})
	}
	all.Wait()
	var f faults
	won := 0
	for i, err := range errs {
		if err == nil {
			won++
			f.add(e.wantTask(ctx, "of the upload", stored(*made[i].IndexTask)))
			got, readErr := e.Version(ctx, e.Workspace, made[i].Document, made[i].Number)
			f.add(readErr)
			f.add(equal("the object of the version", got.Index.Object, "uploads/"+key))
			continue
		}
		f.add(wantError("completing again", err, storeerror.ErrRecordExists))
		f.add(e.wantNoTask(ctx, made[i].IndexTask.Ref))
	}
	f.add(equal("how many versions were made", won, 1))
	return f.err()
}
