package chaos

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/sqs/types"

	"github.com/replyonce/replyonce/shared/drills"
	"github.com/replyonce/replyonce/shared/worktask"
)

// ledgerOfHands writes down what is done to a service that is not there.
type ledgerOfHands struct {
	mu     sync.Mutex
	begun  time.Time
	done   []string
	points []drills.Do
}

func (h *ledgerOfHands) note(format string, args ...any) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.done = append(h.done, fmt.Sprintf("%s ", time.Since(h.begun))+fmt.Sprintf(format, args...))
}

func (h *ledgerOfHands) Processes(role drills.Role) []string {
	names := []string{string(role) + "-1", string(role) + "-2"}
	if role == drills.Dispatcher {
		return names[:1]
	}
	return names
}
func (h *ledgerOfHands) Kill(p string)   { h.note("kill %s", p) }
func (h *ledgerOfHands) Freeze(p string) { h.note("freeze %s", p) }
func (h *ledgerOfHands) Thaw(p string)   { h.note("thaw %s", p) }

func (h *ledgerOfHands) StepClock(p string, offset time.Duration) error {
	h.note("clock of %s %s", p, offset)
	return nil
}

func (h *ledgerOfHands) At(p drills.Point, do drills.Do) func() {
	h.note("wait for %s of %s", p.Op, p.Role)
	h.mu.Lock()
	defer h.mu.Unlock()
	h.points = append(h.points, do)
	return func() { h.note("no more %s of %s", p.Op, p.Role) }
}

func (h *ledgerOfHands) Put(context.Context, string) error {
	h.note("put a message")
	return nil
}

func recentTask(*rand.Rand) worktask.Ref {
	return worktask.Ref{Workspace: "acme", Scope: "C#01M8M5H69GZ6WHY0TENQ2YWXZZ", ID: "01M8M5H7THTTFGHPVDX7N1XEYT"}
}

// played plays a plan for so long and returns what was done.
func played(t *testing.T, plan []Fault, length time.Duration, meanwhile func(*trouble, *ledgerOfHands)) string {
	t.Helper()
	var done []string
	synctest.Test(t, func(t *testing.T) {
		h := &ledgerOfHands{begun: time.Now()}
		ctx, stop := context.WithTimeout(t.Context(), length)
		defer stop()
		tr := newTrouble(h, recentTask, 1)
		var playing sync.WaitGroup
		playing.Go(func() { tr.play(ctx, plan) })
		if meanwhile != nil {
			playing.Go(func() { meanwhile(tr, h) })
		}
		playing.Wait()
		done = h.done
	})
	return strings.Join(done, "\n")
}

func TestFaultsHappenInTheirTimeAndAreTakenBack(t *testing.T) {
	t.Parallel()
	got := played(t, []Fault{
		{At: 1 * time.Second, Kind: Freeze, Role: drills.Worker, Process: 0, For: 3 * time.Second},
		{At: 2 * time.Second, Kind: Freeze, Role: drills.Worker, Process: 1, For: time.Second}, // half stand still already
		{At: 3 * time.Second, Kind: Copy, Role: drills.Worker},
		{At: 5 * time.Second, Kind: Step, Role: drills.API, Process: 1, For: time.Hour, Offset: -8 * time.Second},
		{At: 6 * time.Second, Kind: Freeze, Role: drills.Worker, Process: 1, For: time.Hour},
		{At: 7 * time.Second, Kind: Kill, Role: drills.Dispatcher},
		{At: 8 * time.Second, Kind: LoseAnswer, Role: drills.Worker, Op: drills.Claim},
	}, 10*time.Second, nil)
	for _, want := range []string{
		"1s freeze worker-1", "3s put a message", "4s thaw worker-1", "5s clock of api-2 -8s", "6s freeze worker-2", "7s kill dispatcher-1",
		"8s wait for claim of worker", "10s thaw worker-2", "10s clock of api-2 0s", "10s no more claim of worker",
	} {
		if !slices.Contains(strings.Split(got, "\n"), want) {
			t.Errorf("not seen: %s", want)
		}
	}
	if strings.Count(got, "freeze") != 2 || t.Failed() {
		t.Errorf("seen:\n%s", got)
	}
}

// TestAKilledProcessIsNotThawed: its successor does not stand still.
func TestAKilledProcessIsNotThawed(t *testing.T) {
	t.Parallel()
	got := played(t, []Fault{
		{At: 1 * time.Second, Kind: Freeze, Role: drills.Worker, For: 3 * time.Second},
		{At: 2 * time.Second, Kind: Kill, Role: drills.Worker},
	}, 10*time.Second, nil)
	if got != "1s freeze worker-1\n2s kill worker-1" {
		t.Errorf("seen:\n%s", got)
	}
}

func TestTheFateOfACaughtRequest(t *testing.T) {
	t.Parallel()
	for kind, want := range map[Kind]struct {
		fate drills.Fate
		done string
	}{
		KillBefore: {drills.Unheard, "kill worker-2"},
		KillAfter:  {drills.Unheard, "forward, kill worker-2"},
		LoseAnswer: {drills.Unheard, "forward"},
		Cut:        {drills.Unheard, ""},
		Deny:       {drills.Unavailable, ""},
		HoldWrite:  {drills.Answered, "freeze worker-2, forward, thaw worker-2"},
	} {
		var fate drills.Fate
		got := played(t, []Fault{{At: time.Second, Kind: kind, Role: drills.Worker, Op: drills.Complete, For: time.Second}}, 10*time.Second, func(tr *trouble, h *ledgerOfHands) {
			time.Sleep(2 * time.Second)
			fate = h.points[0](drills.Passing{Process: "worker-2", Op: drills.Complete, Forward: func() bool { h.note("forward"); return true }})
			if tr.counts()[what{kind, drills.Worker, drills.Complete}] != 1 {
				t.Errorf("%s is counted as %v", kind, tr.counts())
			}
		})
		var done []string
		for line := range strings.SplitSeq(got, "\n") {
			if _, text, _ := strings.Cut(line, " "); !strings.Contains(text, "complete") {
				done = append(done, text)
			}
		}
		if fate != want.fate || strings.Join(done, ", ") != want.done {
			t.Errorf("%s: fate %v after %v, want %v after %s", kind, fate, done, want.fate, want.done)
		}
	}
}

func TestMessagesAreDoubledAndDelayedOnce(t *testing.T) {
	t.Parallel()
	played(t, []Fault{
		{At: 1 * time.Second, Kind: Duplicate, Role: drills.Worker},
		{At: 2 * time.Second, Kind: Delay, Role: drills.Worker, For: 3 * time.Second},
	}, time.Minute, func(tr *trouble, _ *ledgerOfHands) {
		if n := tr.copies(types.Message{}); n != 1 {
			t.Errorf("%d deliveries before the fault", n)
		}
		time.Sleep(5 * time.Second)
		if a, b := tr.copies(types.Message{}), tr.copies(types.Message{}); a != 2 || b != 1 {
			t.Errorf("%d and %d deliveries, want 2 and 1", a, b)
		}
		for _, want := range []time.Duration{3 * time.Second, 0} {
			begun := time.Now()
			tr.hold(context.Background(), nil)
			if took := time.Since(begun); took != want {
				t.Errorf("held for %s, want %s", took, want)
			}
		}
	})
}
