package providertest

import (
	"sync"

	"github.com/replyonce/replyonce/shared/llmprovider/scripted"
)

// keyVerdict is what the server makes of a request's idempotency key.
type keyVerdict int

const (
	keyFirst   keyVerdict = iota // nobody used it, or the earlier use was refused
	keyRunning                   // the first request with it has not ended
	keyDone                      // the first request's outcome is known
	keyOther                     // it was used with other bytes
)

// keyOutcome is what a repeat gets: an answer, or the id of an operation.
type keyOutcome struct {
	answer    *scripted.AnswerDocument
	operation string
}

type keyRecord struct {
	bodyHash string
	ended    chan struct{} // closed when the first request has ended
	outcome  *keyOutcome   // nil while it runs
}

// keyBook remembers the outcome of every generation under its key. A request
// that ended without a generation frees its key again.
type keyBook struct {
	mu      sync.Mutex
	records map[string]*keyRecord
}

// begin claims the key for a request with these bytes, or says what is known.
// ended is closed when the running first request has ended.
func (b *keyBook) begin(key, bodyHash string) (verdict keyVerdict, outcome keyOutcome, ended <-chan struct{}) {
	b.mu.Lock()
	defer b.mu.Unlock()
	record, known := b.records[key]
	switch {
	case !known:
		if b.records == nil {
			b.records = make(map[string]*keyRecord)
		}
		b.records[key] = &keyRecord{bodyHash: bodyHash, ended: make(chan struct{})}
		return keyFirst, keyOutcome{}, nil
	case record.bodyHash != bodyHash:
		return keyOther, keyOutcome{}, nil
	case record.outcome == nil:
		return keyRunning, keyOutcome{}, record.ended
	default:
		return keyDone, *record.outcome, nil
	}
}

// finish records the outcome of the first request with the key; nil frees the key.
func (b *keyBook) finish(key string, outcome *keyOutcome) {
	b.mu.Lock()
	defer b.mu.Unlock()
	record, known := b.records[key]
	if !known || record.outcome != nil {
		return
	}
	record.outcome = outcome
	if outcome == nil {
		delete(b.records, key)
	}
	close(record.ended)
}
