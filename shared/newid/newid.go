// Package newid makes ULIDs in strictly increasing order within a process, so
// that ids minted together sort in the order in which they were minted, even
// in one millisecond and when the clock steps back.
//
// The format: https://github.com/ulid/spec
package newid

import (
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/oklog/ulid/v2"
)

// Source mints ids. It is safe for concurrent use.
type Source struct {
	now func() time.Time

	mu      sync.Mutex
	entropy *ulid.MonotonicEntropy
	latest  uint64 // milliseconds of the newest id
}

// NewSource makes a source over a clock and a source of randomness, in a
// process crypto/rand.Reader: ids must not collide between processes.
func NewSource(now func() time.Time, random io.Reader) *Source {
	return &Source{now: now, entropy: ulid.Monotonic(random, 0)}
}

// Next mints an id. It panics when the source of randomness fails, which
// crypto/rand never does; an id that is not random could be somebody else's.
func (s *Source) Next() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.latest = max(s.latest, ulid.Timestamp(s.now()))
	id, err := ulid.New(s.latest, s.entropy)
	if err != nil {
		panic(fmt.Sprintf("mint id: %v", err))
	}
	return id.String()
}
