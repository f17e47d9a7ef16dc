package upload

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/replyonce/replyonce/shared/idempotency"
	"github.com/replyonce/replyonce/shared/identity"
	"github.com/replyonce/replyonce/shared/inputcheck"
	"github.com/replyonce/replyonce/shared/keyed"
	"github.com/replyonce/replyonce/shared/storeerror"
)

// CreateInput announces a file.
type CreateInput struct {
	Document  *string // that gets a version; nil: a new one
	Title     *string // of a new document; nil: the file's name
	FileName  string
	MediaType *string // nil: not known
	Bytes     int64
	SHA256    string // hex
}

// Announced is an upload with the request that puts its file.
type Announced struct {
	Upload
	Put       SignedPut
	ExpiresAt time.Time // of the request; the upload can be completed after it
	Outcome   keyed.Outcome
}

// Create announces a file, once per key, and signs the request that puts it: anew
// at each call, for the same upload. The errors are those of keyed.Creator,
// *inputcheck.FieldError and *keyed.GoneError.
func (s Service) Create(ctx context.Context, caller identity.Caller, key idempotency.Key, in CreateInput) (Announced, error) {
	if err := in.check(); err != nil {
		return Announced{}, err
	}
	outcome, err := s.announce(ctx, caller, key, in)
	if err != nil {
		return Announced{}, fmt.Errorf("create upload: %w", err)
	}
	u, err := s.own(ctx, caller, strings.TrimPrefix(outcome.Record.Target, Path("")))
	if errors.Is(err, storeerror.ErrNotFound) {
		return Announced{}, &keyed.GoneError{Location: outcome.Record.Target, ReplayUntil: outcome.Record.ReplayUntil}
	}
	if err != nil {
		return Announced{}, fmt.Errorf("read what the key made: %w", err)
	}
	signed, err := s.Objects.SignPut(ctx, Put{Key: u.ObjectKey(), MediaType: u.MediaType, Bytes: u.Bytes, SHA256: u.SHA256, Life: PutLife})
	if err != nil {
		return Announced{}, fmt.Errorf("sign request of upload %s: %w", u.ID, err)
	}
	return Announced{Upload: u, Put: signed, ExpiresAt: s.now().Add(PutLife), Outcome: outcome}, nil
}

func (s Service) announce(ctx context.Context, caller identity.Caller, key idempotency.Key, in CreateInput) (keyed.Outcome, error) {
	u := s.upload(caller, in)
	request := keyed.Request{
		Scope: idempotency.Scope{Workspace: caller.Workspace, Caller: caller.ID, Operation: OperationCreate},
		Key:   key, Target: Path(u.ID), Canonical: in.canonical(),
	}
	if in.Document != nil {
		_, err := s.Documents.Store.Document(ctx, caller.Workspace, *in.Document)
		if errors.Is(err, storeerror.ErrNotFound) {
			return s.refuse(ctx, request, inputcheck.NotFound("document", "document"))
		}
		if err != nil {
			return keyed.Outcome{}, fmt.Errorf("read document: %w", err)
		}
	}
	return s.Creator.Do(ctx, request, func(ctx context.Context, record idempotency.Record) error {
		u.PurgeAfter = record.PurgeAfter
		return s.Store.CreateUpload(ctx, record, u)
	})
}

// refuse answers for a document that is not there: a repeat learns what the first
// request has made.
func (s Service) refuse(ctx context.Context, request keyed.Request, refusal error) (keyed.Outcome, error) {
	outcome, found, err := s.Creator.Find(ctx, request)
	if err != nil || found {
		return outcome, err //nolint:wrapcheck // wrapped by the caller
	}
	return keyed.Outcome{}, refusal
}

func (s Service) upload(caller identity.Caller, in CreateInput) Upload {
	u := Upload{
		Workspace: caller.Workspace, ID: s.NewID(), Caller: caller.ID, FileName: in.FileName, MediaType: UnknownMediaType,
		Bytes: in.Bytes, SHA256: in.SHA256, CreatedAt: s.now(),
	}
	if in.MediaType != nil {
		u.MediaType = *in.MediaType
	}
	if in.Document != nil {
		u.Document = *in.Document
	} else {
		u.Title = in.title()
	}
	return u
}

// canonical has only what the caller sent: a title that was left out stays so.
func (in CreateInput) canonical() *idempotency.Canonical {
	return idempotency.NewCanonical(OperationCreate).
		Optional("document", in.Document).Optional("title", in.Title).String("file_name", in.FileName).
		Optional("media_type", in.MediaType).Integer("bytes", in.Bytes).String("sha256", in.SHA256)
}
