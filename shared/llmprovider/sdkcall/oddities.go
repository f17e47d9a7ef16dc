package sdkcall

import (
	"context"
	"log/slog"
	"strings"
	"sync"
)

const (
	// maxOddities limits the memory that a provider can fill with new words.
	maxOddities = 100
	// maxOddityBytes is how much of a word is logged.
	maxOddityBytes = 64
)

// Oddities logs what a provider's documentation does not describe: a status, a
// stop reason, an error type that the adapter does not know and has put on the
// safe side. Each is logged once in the life of a process, so that a change at
// the provider is noticed and does not fill the log.
type Oddities struct {
	log      *slog.Logger
	provider string

	mu   sync.Mutex
	seen map[string]bool
}

// NewOddities returns Oddities that log under the provider's name; without a log
// they are dropped.
func NewOddities(log *slog.Logger, provider string) *Oddities {
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	return &Oddities{log: log, provider: provider, seen: make(map[string]bool)}
}

// Note logs an unknown value of a field, such as "stop_reason". The value is a
// word of the provider's protocol and never a text of a person or a model.
func (o *Oddities) Note(ctx context.Context, field, value, providerRequestID string) {
	value = strings.ToValidUTF8(value[:min(len(value), maxOddityBytes)], "")
	if !o.first(field + "=" + value) {
		return
	}
	o.log.WarnContext(ctx, "provider sent something that its adapter does not know",
		slog.String("provider", o.provider), slog.String("field", field), slog.String("value", value),
		slog.String("provider_request_id", providerRequestID))
}

func (o *Oddities) first(oddity string) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.seen[oddity] || len(o.seen) >= maxOddities {
		return false
	}
	o.seen[oddity] = true
	return true
}
