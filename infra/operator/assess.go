package operator

import (
	"fmt"
	"time"

	"github.com/replyonce/replyonce/shared/worktask"
)

// State is what a task waits for. The list is closed.
type State string

// The states that an operator sees.
const (
	// Ended: nothing follows.
	Ended State = "ended"
	// Working: a worker's lease holds.
	Working State = "working"
	// WorkerLost: a worker's lease is over and nobody has taken over yet.
	WorkerLost State = "worker_lost"
	// RetryLater: the next attempt is due later.
	RetryLater State = "retry_later"
	// Waiting: a worker may claim it at any moment; its handoff is not due yet.
	Waiting State = "waiting"
	// Due: somebody should have taken it; the dispatcher's next pass publishes it.
	Due State = "due"
	// Over: deadline or budget is over; the dispatcher's next pass ends it.
	Over State = "over"
	// Missing: the index names a task that is not there.
	Missing State = "missing"
)

// Assessment is what can be said of a task from its item alone.
type Assessment struct {
	State State `json:"state"`
	// Stuck: the handoff is overdue for longer than any working dispatcher
	// leaves it.
	Stuck bool `json:"stuck"`
	// Text says it to a person, and what happens next.
	Text string `json:"text"`
}

// Judge assesses tasks.
type Judge struct {
	Margin time.Duration // for clock skew, as the workers take it
	// StuckAfter is how long a handoff may be overdue before something is wrong
	// with the dispatcher: some of its periods.
	StuckAfter time.Duration
}

// DefaultStuckAfter is three periods of the dispatcher: one tick may be lost,
// and the one before it may have been busy.
func DefaultStuckAfter(t worktask.Timers) time.Duration { return 3 * t.DispatchEvery }

// Assess says what the task waits for at now.
func (j Judge) Assess(t worktask.Task, now time.Time) Assessment {
	if t.Status.Ended() {
		return Assessment{State: Ended, Text: endText(t)}
	}
	a := j.open(t, now)
	if overdue := now.Sub(t.HandoffDueAt); overdue > j.StuckAfter {
		a.Stuck = true
		a.Text += fmt.Sprintf("; its handoff is overdue for %s: does the dispatcher run?", short(overdue))
	}
	return a
}

func (j Judge) open(t worktask.Task, now time.Time) Assessment {
	if t.LeaseValid(now) {
		return Assessment{State: Working, Text: fmt.Sprintf("a worker has it, its lease ends in %s", short(t.LeaseExpiresAt.Sub(now)))}
	}
	if takeover := t.LeaseExpiresAt.Add(j.Margin); t.Status == worktask.Running && now.Before(takeover) {
		return Assessment{State: WorkerLost, Text: fmt.Sprintf(
			"its worker's lease is over; because clocks differ nobody takes over before %s", short(takeover.Sub(now)))}
	}
	if end, over := worktask.EndFor(t, worktask.EndedByDispatcher, now, j.Margin); over {
		return Assessment{State: Over, Text: fmt.Sprintf("it is over (%s), the dispatcher's next pass ends it", end.Reason)}
	}
	switch {
	case t.Status == worktask.Running:
		return Assessment{State: WorkerLost, Text: fmt.Sprintf(
			"its worker stopped answering %s ago, another one takes over when its message comes back", short(now.Sub(t.LeaseExpiresAt)))}
	case t.NextAttemptAt.After(now):
		return Assessment{State: RetryLater, Text: fmt.Sprintf("the next attempt is due in %s", short(t.NextAttemptAt.Sub(now)))}
	case t.HandoffDueAt.After(now):
		return Assessment{State: Waiting, Text: fmt.Sprintf(
			"it waits for a worker; the dispatcher hands it out again in %s", short(t.HandoffDueAt.Sub(now)))}
	}
	return Assessment{State: Due, Text: fmt.Sprintf("it is due for %s, the dispatcher's next pass hands it out", short(now.Sub(t.HandoffDueAt)))}
}

func endText(t worktask.Task) string {
	switch t.Status {
	case worktask.Completed:
		return "the reply is saved"
	case worktask.Cancelled:
		return "its caller cancelled it"
	case worktask.Failed:
		return fmt.Sprintf("it failed: %s", t.FailureReason)
	case worktask.Pending, worktask.Running:
	}
	return ""
}

// short is a duration as a person reads it.
func short(d time.Duration) string {
	switch {
	case d.Abs() < time.Second:
		return d.Round(time.Millisecond).String()
	case d.Abs() < time.Hour:
		return d.Round(time.Second).String()
	}
	return d.Round(time.Minute).String()
}
