package document

import (
	"context"
	"errors"
	"fmt"

	"github.com/replyonce/replyonce/shared/idempotency"
	"github.com/replyonce/replyonce/shared/identity"
	"github.com/replyonce/replyonce/shared/keyed"
	"github.com/replyonce/replyonce/shared/storeerror"
)

// AddVersionInput is what a caller sends for a new version.
type AddVersionInput struct {
	Document string
	Text     string

	GatewayRequestID string // for support, no part of the request's inputs
}

// versionTries bounds how often another number is tried when somebody else took
// the one that was free at the read.
const versionTries = 5

// AddVersion makes the next version of a document, once per key. The errors are
// those of keyed.Creator, *inputcheck.FieldError, *keyed.GoneError and
// storeerror.ErrNotFound.
func (s Service) AddVersion(ctx context.Context, caller identity.Caller, key idempotency.Key, in AddVersionInput) (Made, error) {
	if err := checkText(in.Text); err != nil {
		return Made{}, err
	}
	request := keyed.Request{
		Scope: scope(caller, OperationAddVersion), Key: key,
		Canonical: idempotency.NewCanonical(OperationAddVersion).Path("document", in.Document).String("text", in.Text),
	}
	outcome, err := s.addNext(ctx, caller, s.Creator, request, in.Document, func(d Document) Version {
		return s.version(d, d.LatestVersion+1, in.Text, origin{caller: caller, gatewayRequestID: in.GatewayRequestID})
	})
	if err != nil {
		return Made{}, fmt.Errorf("add version to document %s: %w", in.Document, err)
	}
	return s.made(ctx, caller.Workspace, outcome)
}

// addNext takes the next number, and the one after it when another request was
// faster. The record is written with the version that its target names, so
// whatever number wins, the key makes one version.
func (s Service) addNext(
	ctx context.Context, caller identity.Caller, creator keyed.Creator, request keyed.Request, id string, next func(Document) Version,
) (keyed.Outcome, error) {
	maker := s.NewID()
	for try := 1; ; try++ {
		d, err := s.Store.Document(ctx, caller.Workspace, id)
		if errors.Is(err, storeerror.ErrNotFound) {
			return earlier(ctx, creator, request, err)
		}
		if err != nil {
			return keyed.Outcome{}, err
		}
		v := next(d)
		// Two requests under one key may want the same number with different
		// texts; without the maker each would take the other's record for its own.
		request.Target = VersionPath(d.ID, v.Number) + "#" + maker
		outcome, err := creator.Do(ctx, request, func(ctx context.Context, record idempotency.Record) error {
			return s.Store.AddVersion(ctx, record, d, v)
		})
		if err == nil && !outcome.Replayed {
			s.publish(ctx, v)
		}
		if !errors.Is(err, storeerror.ErrExists) {
			return outcome, err
		}
		if try == versionTries {
			return keyed.Outcome{}, fmt.Errorf("%w: every number tried was taken by another request", storeerror.ErrUnavailable)
		}
		if err := creator.Pause(ctx, try); err != nil {
			return keyed.Outcome{}, fmt.Errorf("%w: %w", storeerror.ErrUnavailable, err)
		}
	}
}

// earlier answers for a document that is not there: a repeat learns that what
// it made is gone, a first request that there is no such document.
func earlier(ctx context.Context, creator keyed.Creator, request keyed.Request, refusal error) (keyed.Outcome, error) {
	outcome, found, err := creator.Find(ctx, request)
	if err != nil || found {
		return outcome, err
	}
	return keyed.Outcome{}, refusal
}
