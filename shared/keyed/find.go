package keyed

import (
	"context"
	"fmt"
	"time"

	"github.com/replyonce/replyonce/shared/idempotency"
)

// GoneError says that an earlier request under the key made something that is
// no longer there. Nothing is made again.
type GoneError struct {
	Location    string    // where it could be read
	ReplayUntil time.Time // end of the window of the request that made it
}

func (e *GoneError) Error() string { return fmt.Sprintf("%s was made earlier and is gone", e.Location) }

// Find looks for what an earlier call made under the key, without making
// anything. A creating call asks before it refuses a request for something that
// may have changed since the first send: a repeat learns what it made, even
// when the same request would be refused as a first one.
//
// found is false when the key is free. The errors are those of Do.
func (c Creator) Find(ctx context.Context, r Request) (outcome Outcome, found bool, err error) {
	record, verdict, err := c.judge(ctx, r)
	switch {
	case err != nil:
		return Outcome{}, false, err
	case verdict == absent, verdict == idempotency.Purgeable:
		return Outcome{}, false, nil
	}
	outcome, err = settle(r, record, verdict)
	return outcome, true, err
}
