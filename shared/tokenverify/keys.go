package tokenverify

import (
	"context"
	"sync"
	"time"

	"github.com/go-jose/go-jose/v4"
)

const (
	// keysMaxAge is how long keys are used before the issuer is asked whether
	// they are still published.
	keysMaxAge = time.Hour
	// keysMaxStale is how long they are used if the issuer does not answer.
	keysMaxStale = 24 * time.Hour
	// renewInterval is the least time between two requests for newer keys. It is
	// also how long tokens of a key can be refused that the issuer uses at once.
	renewInterval = 10 * time.Second
	// retryInterval is the same after a request that failed.
	retryInterval = time.Second
)

// keySet is what the issuer published at one time. It is never changed.
type keySet struct {
	keys      []jose.JSONWebKey
	fetchedAt time.Time
}

// matching returns the keys that a token with this header can be signed with.
func (s *keySet) matching(header jose.Header) []jose.JSONWebKey {
	var keys []jose.JSONWebKey
	for _, key := range s.keys {
		sameID := header.KeyID == "" || key.KeyID == header.KeyID
		sameAlgorithm := key.Algorithm == "" || key.Algorithm == header.Algorithm
		if sameID && sameAlgorithm {
			keys = append(keys, key)
		}
	}
	return keys
}

// keyCache keeps the newest key set and limits how often it is renewed.
//
// Ages are taken from the wall clock: a frozen process does not see its
// monotonic clock advance, and after a night in the freezer the keys of
// yesterday are old. A clock that was set back makes them old too.
type keyCache struct {
	fetch func(context.Context) ([]jose.JSONWebKey, error)
	now   func() time.Time

	// fetching is held during a request, so that there is one at a time; those
	// who wait for it take what it brought.
	fetching sync.Mutex

	mu      sync.Mutex // guards the rest, never held during a request
	set     *keySet    // nil until the first success
	triedAt time.Time
	lastErr error // of the last request
}

func newKeyCache(fetch func(context.Context) ([]jose.JSONWebKey, error), now func() time.Time) *keyCache {
	return &keyCache{fetch: fetch, now: func() time.Time { return now().Round(0) }}
}

// current returns the keys to use, asking the issuer if there are none or if
// they are old.
func (c *keyCache) current(ctx context.Context) (*keySet, error) {
	set := c.snapshot()
	if set != nil && !c.olderThan(set, keysMaxAge) {
		return set, nil
	}
	newer, err := c.renewed(ctx, set)
	if err != nil && set != nil && !c.olderThan(set, keysMaxStale) {
		return set, nil
	}
	return newer, err
}

// renewed returns a key set that is newer than seen, if there is one or the
// issuer has one; seen itself if it is too early to ask again; and the error of
// the last request if that failed.
func (c *keyCache) renewed(ctx context.Context, seen *keySet) (*keySet, error) {
	c.fetching.Lock()
	defer c.fetching.Unlock()
	if set := c.snapshot(); set != seen {
		return set, nil
	}
	if err, early := c.tooEarly(); early {
		return seen, err
	}
	keys, err := c.fetch(ctx)
	return c.store(keys, err)
}

func (c *keyCache) snapshot() *keySet {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.set
}

func (c *keyCache) olderThan(set *keySet, limit time.Duration) bool {
	return elapsed(set.fetchedAt, c.now(), limit)
}

// tooEarly tells whether the last request is so recent that its outcome stands.
func (c *keyCache) tooEarly() (error, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	interval := renewInterval
	if c.lastErr != nil {
		interval = retryInterval
	}
	return c.lastErr, !c.triedAt.IsZero() && !elapsed(c.triedAt, c.now(), interval)
}

func (c *keyCache) store(keys []jose.JSONWebKey, err error) (*keySet, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.triedAt, c.lastErr = c.now(), err
	if err != nil {
		return c.set, err
	}
	c.set = &keySet{keys: keys, fetchedAt: c.triedAt}
	return c.set, nil
}

// elapsed reports whether at least limit has passed since then; a clock that
// was set back counts as passed.
func elapsed(then, now time.Time, limit time.Duration) bool {
	age := now.Sub(then)
	return age < 0 || age >= limit
}
