package upload

import (
	"context"
	"errors"
	"fmt"

	"github.com/replyonce/replyonce/shared/document"
	"github.com/replyonce/replyonce/shared/identity"
	"github.com/replyonce/replyonce/shared/storeerror"
)

var (
	// ErrIncomplete: the file has not arrived. Nothing was written; completing again
	// after it has is the way on.
	ErrIncomplete = errors.New("the file of the upload is not there")
	// ErrMismatch: what arrived is not what was announced. Nothing was written, and
	// only another upload can help.
	ErrMismatch = errors.New("the file is not the one that was announced")
)

// Complete makes the version that a caller's upload is for, once, however often
// and by however many at once it is called. The file must be there; its request may
// have expired since. The errors are ErrIncomplete, ErrMismatch,
// storeerror.ErrNotFound for an upload that is not the caller's or whose document is
// gone, *keyed.GoneError, and those of keyed.Creator.
func (s Service) Complete(ctx context.Context, caller identity.Caller, id, gatewayRequestID string) (document.Made, error) {
	u, err := s.own(ctx, caller, id)
	if err != nil {
		return document.Made{}, err
	}
	// First what was made: the object may be gone by now, the version is there.
	made, found, err := s.Documents.MadeOf(ctx, caller, u.ID)
	if err != nil || found {
		return made, wrapped(err, u)
	}
	if err := s.arrived(ctx, u); err != nil {
		return document.Made{}, wrapped(err, u)
	}
	made, err = s.Documents.Uploaded(ctx, caller, document.UploadedInput{
		Upload: u.ID, Document: u.Document, Title: u.Title, Object: u.ObjectKey(), FileName: u.FileName, MediaType: u.MediaType,
		Bytes: u.Bytes, SHA256: u.SHA256, GatewayRequestID: gatewayRequestID,
	})
	return made, wrapped(err, u)
}

func wrapped(err error, u Upload) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("complete upload %s: %w", u.ID, err)
}

// arrived looks at the object. Where the storage keeps no hash, the worker that
// reads the file is the first who sees one.
func (s Service) arrived(ctx context.Context, u Upload) error {
	object, err := s.Objects.StatObject(ctx, u.ObjectKey())
	switch {
	case errors.Is(err, storeerror.ErrNotFound):
		return ErrIncomplete
	case err != nil:
		return fmt.Errorf("look at its file: %w", err)
	case object.Bytes != u.Bytes, object.SHA256 != "" && object.SHA256 != u.SHA256:
		return ErrMismatch
	}
	return nil
}
