package chaos

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/replyonce/replyonce/shared/drills"
	"github.com/replyonce/replyonce/shared/history"
	"github.com/replyonce/replyonce/shared/worktask"
)

func TestQuantile(t *testing.T) {
	t.Parallel()
	hundred := make([]time.Duration, 100)
	for i := range hundred {
		hundred[i] = time.Duration(i + 1)
	}
	for _, c := range []struct {
		sorted []time.Duration
		q      float64
		want   time.Duration
	}{
		{nil, 0.99, 0},
		{hundred[:1], 0.5, 1},
		{hundred[:2], 0.5, 1},
		{hundred[:3], 0.5, 2},
		{hundred, 0.5, 50},
		{hundred, 0.99, 99},
		{hundred, 1, 100},
		{hundred[:50], 0.99, 50},
	} {
		if got := quantile(c.sorted, c.q); got != c.want {
			t.Errorf("quantile %v of %d values is %d, want %d", c.q, len(c.sorted), got, c.want)
		}
	}
}

// script is a short history of one task.
type script struct {
	begun  time.Time
	events []history.Event
	item   history.Item
}

const task history.Ref = "acme/C#1/task"

func newScript() *script {
	s := &script{begun: time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)}
	s.item = history.Item{Status: string(worktask.Pending), Deadline: history.MillisOf(s.begun.Add(30 * time.Second))}
	item := s.item
	s.add(0, history.Event{Kind: history.Created, Task: task, Creation: &history.Creation{Item: &item}})
	return s
}

func (s *script) add(at time.Duration, e history.Event) int64 {
	e.At, e.Seq = s.begun.Add(at), int64(len(s.events))+1
	s.events = append(s.events, e)
	return e.Seq
}

// write is a write that lands.
func (s *script) write(at time.Duration, actor, transition string, status worktask.Status, leaseLeft time.Duration) {
	w := &history.Write{Transition: transition}
	op := s.add(at, history.Event{Actor: actor, Kind: history.WriteSent, Task: task, Write: w})
	s.item.Status, s.item.LeaseExpiresAt = string(status), history.MillisOf(s.begun.Add(at+leaseLeft))
	item := s.item
	s.add(at, history.Event{Actor: "store", Kind: history.Stored, Task: task, Op: op, Write: w, After: &item})
	s.add(at, history.Event{Actor: actor, Kind: history.WriteDone, Task: task, Op: op, Outcome: history.Landed})
}

func (s *script) kill(at time.Duration, process string) {
	s.add(at, history.Event{Actor: process, Kind: history.ProcessKilled})
}

func (s *script) clock(at time.Duration, process string, offset time.Duration) {
	s.add(at, history.Event{Actor: process, Kind: history.ClockStepped, Clock: &history.Clock{OffsetMS: offset.Milliseconds()}})
}

func TestFromCrashToTakeover(t *testing.T) {
	t.Parallel()
	const second = time.Second
	type outcome struct {
		End      aftermath
		Took     time.Duration
		Hindered bool
	}
	claim := func(s *script, at time.Duration, worker string) {
		s.write(at, worker, history.Claim, worktask.Running, lease)
	}
	for name, c := range map[string]struct {
		play func(*script)
		want []outcome
	}{
		"taken over": {func(s *script) {
			claim(s, second, "worker-1")
			s.kill(2*second, "worker-1")
			s.write(3*second, "dispatcher-1", history.Bump, worktask.Running, lease)
			claim(s, 6*second, "worker-2")
		}, []outcome{{takenOver, 4 * second, false}}},
		"of somebody else": {func(s *script) {
			claim(s, second, "worker-1")
			s.kill(2*second, "worker-2")
			claim(s, 6*second, "worker-2")
		}, nil},
		"with nothing in hand": {func(s *script) {
			claim(s, second, "worker-1")
			s.write(2*second, "worker-1", history.Complete, worktask.Completed, 0)
			s.kill(3*second, "worker-1")
		}, nil},
		"killed twice": {func(s *script) {
			claim(s, second, "worker-1")
			s.kill(2*second, "worker-1")
			s.kill(3*second, "worker-1")
			claim(s, 6*second, "worker-2")
		}, []outcome{{takenOver, 4 * second, false}}},
		"the last write lands": {func(s *script) {
			claim(s, second, "worker-1")
			s.kill(2*second, "worker-1")
			s.write(2*second, "worker-1", history.Complete, worktask.Completed, 0)
		}, []outcome{{landed, 0, false}}},
		"the last renewal lands": {func(s *script) {
			claim(s, second, "worker-1")
			s.kill(2*second, "worker-1")
			s.write(2*second, "worker-1", history.Renew, worktask.Running, lease)
			claim(s, 6*second, "worker-2")
		}, []outcome{{takenOver, 4 * second, false}}},
		"cancelled": {func(s *script) {
			claim(s, second, "worker-1")
			s.kill(2*second, "worker-1")
			s.write(3*second, "api-1", history.Cancel, worktask.Cancelled, 0)
		}, []outcome{{cancelled, second, false}}},
		"given up": {func(s *script) {
			claim(s, second, "worker-1")
			s.kill(2*second, "worker-1")
			s.write(31*second, "dispatcher-1", history.End, worktask.Failed, 0)
		}, []outcome{{givenUp, 29 * second, false}}},
		"a clock is wrong at the kill": {func(s *script) {
			claim(s, second, "worker-1")
			s.clock(second, "worker-3", 2*second)
			s.kill(2*second, "worker-1")
			s.clock(3*second, "worker-3", 0)
			claim(s, 6*second, "worker-2")
		}, []outcome{{takenOver, 4 * second, true}}},
		"a clock is wrong before the takeover": {func(s *script) {
			claim(s, second, "worker-1")
			s.kill(2*second, "worker-1")
			s.clock(3*second, "worker-3", -2*second)
			s.clock(4*second, "worker-3", 0)
			claim(s, 6*second, "worker-2")
		}, []outcome{{takenOver, 4 * second, true}}},
		"a clock is wrong within the margin": {func(s *script) {
			claim(s, second, "worker-1")
			s.clock(second, "worker-3", 300*time.Millisecond)
			s.kill(2*second, "worker-1")
			claim(s, 6*second, "worker-2")
		}, []outcome{{takenOver, 4 * second, false}}},
		"the dispatcher is killed before the takeover": {func(s *script) {
			claim(s, second, "worker-1")
			s.kill(2*second, "worker-1")
			s.kill(3*second, "dispatcher-1")
			claim(s, 6*second, "worker-2")
		}, []outcome{{takenOver, 4 * second, true}}},
		"the dispatcher stands still at the kill": {func(s *script) {
			claim(s, second, "worker-1")
			s.add(second, history.Event{Actor: "dispatcher-1", Kind: history.ProcessFrozen})
			s.kill(2*second, "worker-1")
			s.add(3*second, history.Event{Actor: "dispatcher-1", Kind: history.ProcessThawed})
			claim(s, 6*second, "worker-2")
		}, []outcome{{takenOver, 4 * second, true}}},
		"the dispatcher was killed before": {func(s *script) {
			claim(s, second, "worker-1")
			s.add(second, history.Event{Actor: "dispatcher-1", Kind: history.ProcessFrozen})
			s.kill(second, "dispatcher-1")
			s.kill(2*second, "worker-1")
			claim(s, 6*second, "worker-2")
		}, []outcome{{takenOver, 4 * second, false}}},
		"the lease was given by a fast clock": {func(s *script) {
			s.write(second, "worker-1", history.Claim, worktask.Running, lease+8*second)
			s.kill(2*second, "worker-1")
			claim(s, 13*second, "worker-2")
		}, []outcome{{takenOver, 11 * second, true}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			timers, err := worktask.TimersNamed("short")
			if err != nil {
				t.Fatal(err)
			}
			s := newScript()
			c.play(s)
			tally := newTally(timers)
			tally.add(s.events)
			var got []outcome
			for _, crash := range tally.crashes {
				got = append(got, outcome{crash.end, crash.took, crash.hindered})
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("crashes (-want +got):\n%s", diff)
			}
		})
	}
}

func TestTallyCounts(t *testing.T) {
	t.Parallel()
	timers, err := worktask.TimersNamed("short")
	if err != nil {
		t.Fatal(err)
	}
	s := newScript()
	for range 3 {
		s.add(0, history.Event{Actor: "ada", Kind: history.RequestSent, Request: &history.Request{Workspace: "acme", Caller: "ada", Operation: "submit", Key: "k"}})
	}
	s.write(time.Second, "worker-1", history.Claim, worktask.Running, lease)
	s.write(5*time.Second, "worker-2", history.Claim, worktask.Running, lease)
	for _, transition := range []string{history.Complete, history.Claim} {
		w := &history.Write{Transition: transition}
		op := s.add(6*time.Second, history.Event{Actor: "worker-1", Kind: history.WriteSent, Task: task, Write: w})
		s.add(6*time.Second, history.Event{Actor: "worker-1", Kind: history.WriteDone, Task: task, Op: op, Outcome: history.RefusedBy})
	}
	s.kill(7*time.Second, "api-1")
	s.write(32*time.Second, "worker-2", history.Complete, worktask.Completed, 0)
	tally := newTally(timers)
	tally.add(s.events[:4])
	tally.add(s.events[4:])
	if tally.submits != 1 || tally.repeats != 2 || tally.takeovers != 1 || tally.refused[history.Complete] != 1 || tally.claimsRefused != 1 {
		t.Errorf("submits %d, repeats %d, takeovers %d, refused %v, refused claims %d", tally.submits, tally.repeats, tally.takeovers, tally.refused, tally.claimsRefused)
	}
	if tally.killed[drills.API] != 1 || tally.open != 0 || tally.latest != 2*time.Second {
		t.Errorf("killed %v, open %d, latest %s after the deadline", tally.killed, tally.open, tally.latest)
	}
}
