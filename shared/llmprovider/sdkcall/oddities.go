package sdkcall

import (
	"context"
	"log/slog"
	"regexp"
	"sync"

	"github.com/replyonce/replyonce/shared/llmprovider"
	"github.com/replyonce/replyonce/shared/telemetry"
)

// maxOddities limits the memory that a provider can fill with new words.
const maxOddities = 100

// plainWord is the shape of every type, code, reason and status that providers
// document. Something else could be anything, a key included, and is not logged.
var plainWord = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_.]{0,63}$`)

// Oddities logs what an operator or a developer should look at, each thing once in
// the life of a process: a provider that changed says the same with every answer.
type Oddities struct {
	log      *slog.Logger
	provider string

	mu   sync.Mutex
	seen map[oddity]bool
}

type oddity struct{ field, value string }

// NewOddities returns Oddities that log under the provider's name; without a log
// they are dropped.
func NewOddities(log *slog.Logger, provider string) *Oddities {
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	return &Oddities{log: log, provider: provider, seen: make(map[oddity]bool)}
}

// Unknown logs a word in a field such as "stop_reason" that the adapter does not
// know and has put on the safe side.
func (o *Oddities) Unknown(ctx context.Context, field, value, providerRequestID string) {
	if !plainWord.MatchString(value) {
		value = "(not a plain word)"
	}
	if o.first(oddity{field, value}) {
		o.log.WarnContext(ctx, "provider sent something that its adapter does not know",
			telemetry.KeyProvider, o.provider, "field", field, "value", value,
			telemetry.KeyProviderRequestID, providerRequestID)
	}
}

// Refused logs an outcome that only an operator can change: a key, a permission,
// a limit of spending. Other outcomes are not logged.
func (o *Oddities) Refused(ctx context.Context, failure *llmprovider.Error) {
	operator := failure.Reason == llmprovider.ReasonProviderQuota || failure.Reason == llmprovider.ReasonProviderMisconfigured
	if failure.Kind != llmprovider.Permanent || !operator {
		return
	}
	cause := ""
	if failure.Err != nil {
		cause = failure.Err.Error()
	}
	if o.first(oddity{failure.Reason, cause}) {
		o.log.ErrorContext(ctx, "provider refuses calls until an operator acts",
			telemetry.KeyProvider, o.provider, telemetry.KeyReason, failure.Reason, telemetry.KeyError, cause,
			telemetry.KeyProviderRequestID, failure.ProviderRequestID)
	}
}

func (o *Oddities) first(what oddity) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.seen[what] || len(o.seen) >= maxOddities {
		return false
	}
	o.seen[what] = true
	return true
}
