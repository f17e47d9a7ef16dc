package callerlimit_test

import (
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/replyonce/replyonce/shared/callerlimit"
	"github.com/replyonce/replyonce/shared/identity"
)

var (
	alice = identity.Caller{ID: "alice", Workspace: "acme"}
	// Somebody of the same name elsewhere is somebody else.
	other = identity.Caller{ID: "alice", Workspace: "other"}
)

// A caller may send a burst, then goes on at the rate; to wait as long as was
// asked is enough, and a moment less is not.
func TestBurstThenRate(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := callerlimit.New(40, time.Now)
		let := 0
		for l.Take(alice, 10) == 0 {
			let++
		}
		if let != 120 {
			t.Errorf("%d calls of weight 10 at once, want 30 s of 40", let)
		}
		wait := l.Take(alice, 10)
		if wait != 250*time.Millisecond {
			t.Errorf("to wait %s, want 250ms", wait)
		}
		time.Sleep(wait - time.Nanosecond)
		if l.Take(alice, 10) == 0 {
			t.Error("let through too early")
		}
		time.Sleep(time.Nanosecond)
		if again := l.Take(alice, 10); again != 0 {
			t.Errorf("after the wait it has to wait %s more", again)
		}
		if l.Take(other, 10) != 0 {
			t.Error("another caller has to wait")
		}
		time.Sleep(callerlimit.Burst)
		for let = 0; l.Take(alice, 1) == 0; let++ {
		}
		if let != 1200 {
			t.Errorf("%d reads after a quiet while, want 1200", let)
		}
	})
}

// What is refused is not counted: a client that tries all the time is let through
// at the rate all the same.
func TestRefusalsAreNotCounted(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := callerlimit.New(1, time.Now)
		let := 0
		for begun := time.Now(); time.Since(begun) < 10*time.Minute; time.Sleep(100 * time.Millisecond) {
			if l.Take(alice, 1) == 0 {
				let++
			}
		}
		if let < 628 || let > 631 { // 30 at once and one each second
			t.Errorf("%d let through in ten minutes", let)
		}
	})
}

func TestNoLimit(t *testing.T) {
	t.Parallel()
	l := callerlimit.New(0, time.Now)
	for range 10_000 {
		if l.Take(alice, 10) != 0 {
			t.Fatal("limited")
		}
	}
}

// More callers than are kept are let through, and those who were quiet make room.
func TestManyCallers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := callerlimit.New(1, time.Now)
		crowd := func() {
			for i := range 11_000 {
				if l.Take(identity.Caller{ID: strconv.Itoa(i)}, 30) != 0 {
					t.Fatalf("caller %d has to wait", i)
				}
			}
		}
		crowd()
		if l.Take(identity.Caller{ID: "1"}, 1) == 0 {
			t.Error("a caller that was kept is forgotten")
		}
		time.Sleep(callerlimit.Burst)
		for l.Take(alice, 1) == 0 { // ends: there is room for it now
		}
	})
}

func TestManyAtOnce(t *testing.T) {
	t.Parallel()
	now := time.Unix(0, 0)
	l := callerlimit.New(10, func() time.Time { return now })
	var let atomic.Int64
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for range 100 {
				if l.Take(alice, 1) == 0 {
					let.Add(1)
				}
			}
		})
	}
	group.Wait()
	if let.Load() != 300 {
		t.Errorf("%d of 800 let through, want 300", let.Load())
	}
}
