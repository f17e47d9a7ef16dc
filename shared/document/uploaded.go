package document

import (
	"context"
	"fmt"

	"github.com/replyonce/replyonce/shared/idempotency"
	"github.com/replyonce/replyonce/shared/identity"
	"github.com/replyonce/replyonce/shared/keyed"
)

// UploadedInput is a file that lies in object storage and becomes a version.
type UploadedInput struct {
	Upload    string // id of the upload, which is the key of what it makes
	Document  string // empty: a new one
	Title     string // of a new document
	Object    string // key of the file
	FileName  string
	MediaType string // as announced
	Bytes     int64
	SHA256    string // hex, as announced; the worker that reads the file checks it

	GatewayRequestID string // for support
}

// Uploaded makes a version of an uploaded file, with the task that indexes it,
// once per upload. Unlike a caller's keys, uploads are answered with what they made
// for as long as they are known: whoever completes an upload again days later has
// one version all the same. The errors are those of AddVersion.
func (s Service) Uploaded(ctx context.Context, caller identity.Caller, in UploadedInput) (Made, error) {
	creator, request := s.uploadedOnce(caller, in.Upload)
	var outcome keyed.Outcome
	var err error
	if in.Document == "" {
		outcome, err = s.createUploaded(ctx, caller, creator, request, in)
	} else {
		outcome, err = s.addNext(ctx, caller, creator, request, in.Document, func(d Document) Version {
			return s.uploadedVersion(d, d.LatestVersion+1, caller, in)
		})
	}
	if err != nil {
		return Made{}, fmt.Errorf("make version of upload %s: %w", in.Upload, err)
	}
	return s.made(ctx, caller.Workspace, outcome)
}

// MadeOf finds what an upload has made; found is false while it has made nothing.
func (s Service) MadeOf(ctx context.Context, caller identity.Caller, upload string) (made Made, found bool, err error) {
	creator, request := s.uploadedOnce(caller, upload)
	outcome, found, err := creator.Find(ctx, request)
	if err != nil || !found {
		return Made{}, false, err //nolint:wrapcheck // of package keyed, as Uploaded's
	}
	made, err = s.made(ctx, caller.Workspace, outcome)
	return made, true, err
}

// uploadedOnce is the request that an upload makes its version under.
func (s Service) uploadedOnce(caller identity.Caller, upload string) (keyed.Creator, keyed.Request) {
	creator := s.Creator
	creator.Windows.Replay = creator.Windows.Purge
	return creator, keyed.Request{
		Scope: scope(caller, OperationUploaded), Key: idempotency.Key(upload),
		Canonical: idempotency.NewCanonical(OperationUploaded).Path("upload", upload),
	}
}

func (s Service) createUploaded(
	ctx context.Context, caller identity.Caller, creator keyed.Creator, request keyed.Request, in UploadedInput,
) (keyed.Outcome, error) {
	d := Document{
		Workspace: caller.Workspace, ID: s.NewID(), Title: in.Title, LatestVersion: 1, CreatedAt: s.now(), UpdatedAt: s.now(),
	}
	v := s.uploadedVersion(d, 1, caller, in)
	request.Target = Path(d.ID)
	outcome, err := creator.Do(ctx, request, func(ctx context.Context, record idempotency.Record) error {
		return s.Store.CreateDocument(ctx, record, d, v)
	})
	if err == nil && !outcome.Replayed {
		s.publish(ctx, v)
	}
	return outcome, err //nolint:wrapcheck // wrapped by the caller
}

func (s Service) uploadedVersion(d Document, number int, caller identity.Caller, in UploadedInput) Version {
	v := Version{
		Workspace: d.Workspace, Document: d.ID, Title: d.Title, Number: number,
		Bytes: int(in.Bytes), SHA256: in.SHA256, CreatedAt: s.now(),
	}
	return s.toIndex(v, origin{
		caller: caller, gatewayRequestID: in.GatewayRequestID, object: in.Object, fileName: in.FileName, mediaType: in.MediaType,
	})
}
