package document

import (
	"context"
	"fmt"
	"time"

	"github.com/replyonce/replyonce/shared/idempotency"
	"github.com/replyonce/replyonce/shared/identity"
	"github.com/replyonce/replyonce/shared/keyed"
)

// CreateInput is what a caller sends for a new document.
type CreateInput struct {
	Title string
	Text  string

	GatewayRequestID string // for support, no part of the request's inputs
}

// Create makes a document with its first version, once per key. The errors are
// those of keyed.Creator, *inputcheck.FieldError and *keyed.GoneError.
func (s Service) Create(ctx context.Context, caller identity.Caller, key idempotency.Key, in CreateInput) (Made, error) {
	if err := checkTitle(in.Title); err != nil {
		return Made{}, err
	}
	if err := checkText(in.Text); err != nil {
		return Made{}, err
	}
	d := Document{
		Workspace: caller.Workspace, ID: s.NewID(), Title: in.Title, LatestVersion: 1,
		CreatedAt: s.now(), UpdatedAt: s.now(),
	}
	v := s.version(d, 1, in.Text, origin{caller: caller, gatewayRequestID: in.GatewayRequestID})
	if v.State.Readable() {
		d.CurrentVersion = 1
	}
	request := keyed.Request{
		Scope: scope(caller, OperationCreate), Key: key, Target: Path(d.ID),
		Canonical: idempotency.NewCanonical(OperationCreate).String("title", in.Title).String("text", in.Text),
	}
	outcome, err := s.Creator.Do(ctx, request, func(ctx context.Context, record idempotency.Record) error {
		return s.Store.CreateDocument(ctx, record, d, v)
	})
	if err != nil {
		return Made{}, fmt.Errorf("create document: %w", err)
	}
	if outcome.Replayed {
		return s.made(ctx, caller.Workspace, outcome)
	}
	s.publish(ctx, v)
	v.Text, v.IndexTask = "", nil
	return Made{Described: Described{Document: d, Versions: []Version{v}}, Outcome: outcome, Location: Path(d.ID)}, nil
}

// version is a new version of d, made now of a pasted text.
func (s Service) version(d Document, number int, text string, o origin) Version {
	v := Version{
		Workspace: d.Workspace, Document: d.ID, Title: d.Title, Number: number,
		Bytes: len(text), SHA256: digest(text), CreatedAt: s.now(), Text: text, State: Ready,
	}
	if len(text) > WholeBytes && s.Index != nil {
		return s.toIndex(v, o)
	}
	return v
}

// now is the clock in the precision that stores keep, so that the first answer
// and a later read show the same.
func (s Service) now() time.Time { return s.Now().UTC().Truncate(time.Millisecond) }
