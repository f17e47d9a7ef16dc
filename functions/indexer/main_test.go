package main

import (
	"testing"
	"time"
)

// A file that takes too long must be named as the reason while the attempt can
// still say so.
func TestFilesHaveLessTimeThanAttempts(t *testing.T) {
	t.Parallel()
	for _, limit := range []time.Duration{10 * time.Second, 90 * time.Second, time.Hour} {
		if got := extractor(limit).Limits.Time; got >= limit || got <= 0 {
			t.Errorf("a file has %s of %s", got, limit)
		}
	}
}
