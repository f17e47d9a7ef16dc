package newid_test

import (
	"crypto/rand"
	"sync"
	"testing"
	"time"

	"github.com/replyonce/replyonce/shared/newid"
)

// The clock stands still, then steps back by an hour: ids still increase.
func TestIDsIncreaseWhateverTheClockDoes(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 29, 14, 0, 0, 0, time.UTC)
	source := newid.NewSource(func() time.Time { return now }, rand.Reader)
	previous := source.Next()
	for i := range 1000 {
		if i == 500 {
			now = now.Add(-time.Hour)
		}
		id := source.Next()
		if id <= previous {
			t.Fatalf("id %s after %s", id, previous)
		}
		previous = id
	}
}

func TestIDsAreUniqueAcrossGoroutines(t *testing.T) {
	t.Parallel()
	source := newid.NewSource(time.Now, rand.Reader)
	var mu sync.Mutex
	seen := map[string]bool{}
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for range 200 {
				id := source.Next()
				mu.Lock()
				if seen[id] {
					t.Errorf("id %s was minted twice", id)
				}
				seen[id] = true
				mu.Unlock()
			}
		})
	}
	group.Wait()
}
