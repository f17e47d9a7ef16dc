package keyed

import (
	"context"

	"github.com/replyonce/replyonce/shared/idempotency"
)

// Records reads idempotency records.
type Records interface {
	// Record reads the record of a key strongly consistently, past its purge
	// time too; storeerror.ErrNotFound.
	Record(ctx context.Context, scope idempotency.Scope, key idempotency.Key) (idempotency.Record, error)
}
