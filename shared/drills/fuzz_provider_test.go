package drills_test

import (
	"testing"
	"time"

	"github.com/replyonce/replyonce/shared/drills"
	"github.com/replyonce/replyonce/shared/worktask"
)

// FuzzProviderSink reads lines of a provider's log into a record: a line that is
// no event is an error and records nothing.
func FuzzProviderSink(f *testing.F) {
	f.Add([]byte(`{"event":"received","request_id":"req_1","question":"When?"}`))
	f.Fuzz(func(t *testing.T, line []byte) {
		log := drills.NewLog(func() time.Time { return time.Unix(0, 0) }, "fuzz", worktask.ShortTimers())
		n, err := drills.ProviderSink(func() *drills.Log { return log }).Write(line)
		if (err == nil) != (n == len(line)) && len(line) > 0 {
			t.Errorf("%d of %d bytes, and the error is %v", n, len(line), err)
		}
		if events := log.After(0); err != nil && len(events) > 0 {
			t.Errorf("%d events of a line that is none", len(events))
		}
	})
}
