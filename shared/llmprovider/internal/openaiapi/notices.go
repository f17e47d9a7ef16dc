package openaiapi

import (
	"context"
	"log/slog"
	"strconv"
	"sync"

	"github.com/replyonce/replyonce/shared/llmprovider"
	"github.com/replyonce/replyonce/shared/telemetry"
)

// maxNotices bounds the memory that a provider can make us use by inventing words.
const maxNotices = 100

// Notices logs what an operator or a developer should look at, each thing once in
// the life of a process: a provider that changed says the same with every answer.
type Notices struct {
	log      *slog.Logger
	provider string

	mu   sync.Mutex
	seen map[notice]bool
}

type notice struct{ message, field, value string }

// NewNotices returns Notices that write to log; nil means that nobody reads them.
func NewNotices(log *slog.Logger, provider string) *Notices {
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	return &Notices{log: log, provider: provider, seen: make(map[notice]bool)}
}

// Unknown notes a value that this release does not know in a field that decides.
func (n *Notices) Unknown(field, value string) {
	n.once(slog.LevelWarn, notice{"provider sent something that this release does not know", field, value})
}

// Refused notes a refusal that an operator has to act on, such as a key that does
// not open the door, and where it was met.
func (n *Notices) Refused(where string, status int, detail ErrorDetail) {
	n.once(slog.LevelError, notice{"provider refuses requests", where, strconv.Itoa(status) + " " + detail.Type + " " + detail.Code})
}

// refused notes what is new about the answer with an error status.
func (n *Notices) refused(status int, detail ErrorDetail, failure *llmprovider.Error) {
	if !documentedStatuses[status] {
		n.Unknown("status", strconv.Itoa(status))
	}
	if failure.Kind == llmprovider.Permanent && failure.Reason != llmprovider.ReasonInputTooLarge {
		n.Refused("call", status, detail)
	}
	if status == 429 && failure.Kind == llmprovider.Rejected && !knownRate[detail.Code] {
		n.Unknown("code_of_429", detail.Code+" "+detail.Type)
	}
}

// knownRate are the codes of a 429 that a wait helps against; an empty one is
// what compatible servers send.
var knownRate = map[string]bool{"rate_limit_exceeded": true, "slow_down": true, "": true}

func (n *Notices) once(level slog.Level, what notice) {
	if n.isNew(what) {
		// A notice is about the provider and not about the request that met it.
		n.log.Log(context.Background(), level, what.message, telemetry.KeyProvider, n.provider, "field", what.field, "value", what.value)
	}
}

func (n *Notices) isNew(what notice) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.seen[what] || len(n.seen) >= maxNotices {
		return false
	}
	n.seen[what] = true
	return true
}
