package worktask

import (
	"fmt"
	"time"
)

// Timers is the one table of times. They form a chain: a wrong link does not
// break the promises, it wastes calls or delays ends, so it is refused at start.
type Timers struct {
	Profile string

	Lease         time.Duration // how long a claim or renewal gives the right to work
	RenewEvery    time.Duration // how often a worker renews
	SkewMargin    time.Duration // how far clocks may differ before takeovers waste calls
	LeaseReserve  time.Duration // the local watchdog ends the call this long before the lease ends
	CallLimit     time.Duration // longest provider call
	WorkerLimit   time.Duration // function time limit of the worker
	WorkerReserve time.Duration // function time kept for the last writes
	APILimit      time.Duration // function time limit of the api
	GatewayLimit  time.Duration // after this the gateway answers 504 on its own
	HandoffGrace  time.Duration // how long a published handoff may take before it is published again
	Visibility    time.Duration // default visibility timeout of the queue
	DispatchEvery time.Duration // period of the dispatcher
	TaskDeadline  time.Duration // from accept to the latest end
	BackoffBase   time.Duration // first retry delay, before jitter
	BackoffLimit  time.Duration // longest retry delay
	ReplayWindow  time.Duration // how long a repeated submit is answered with its task
	PurgeAfter    time.Duration // how long the idempotency record stays as a tombstone

	MaxReceiveCount int // deliveries before a message is dead-lettered; no budget
	Attempts        int // claims per task
	Calls           int // provider calls per task
	UnknownRepeats  int // repeats after a call whose end nobody saw
}

// MaxVisibility is the longest visibility that a retry waits with: SQS allows
// more, but a change of visibility counts from the first receipt.
const MaxVisibility = 900 * time.Second

// DefaultTimers is the profile of a deployment.
func DefaultTimers() Timers {
	return Timers{
		Profile: "default",
		Lease:   30 * time.Second, RenewEvery: 10 * time.Second, SkewMargin: 2 * time.Second, LeaseReserve: 5 * time.Second,
		CallLimit: 90 * time.Second, WorkerLimit: 120 * time.Second, WorkerReserve: 10 * time.Second,
		APILimit: 25 * time.Second, GatewayLimit: 29 * time.Second,
		HandoffGrace: 30 * time.Second, Visibility: 720 * time.Second, DispatchEvery: 60 * time.Second,
		TaskDeadline: 10 * time.Minute, BackoffBase: time.Second, BackoffLimit: 5 * time.Minute,
		ReplayWindow: 24 * time.Hour, PurgeAfter: 365 * 24 * time.Hour,
		MaxReceiveCount: 20, Attempts: 4, Calls: 8, UnknownRepeats: 1,
	}
}

// ShortTimers is the profile of demonstrations and drills: the same chain at a
// tenth of the time.
func ShortTimers() Timers {
	return Timers{
		Profile: "short",
		Lease:   3 * time.Second, RenewEvery: time.Second, SkewMargin: 500 * time.Millisecond, LeaseReserve: time.Second,
		CallLimit: 10 * time.Second, WorkerLimit: 20 * time.Second, WorkerReserve: 2 * time.Second,
		APILimit: 25 * time.Second, GatewayLimit: 29 * time.Second,
		HandoffGrace: 3 * time.Second, Visibility: 120 * time.Second, DispatchEvery: time.Second,
		TaskDeadline: 30 * time.Second, BackoffBase: 200 * time.Millisecond, BackoffLimit: 2 * time.Second,
		ReplayWindow: 24 * time.Hour, PurgeAfter: 365 * 24 * time.Hour,
		MaxReceiveCount: 20, Attempts: 4, Calls: 8, UnknownRepeats: 1,
	}
}

// TimersNamed finds a profile by its name; an empty name is the default one.
func TimersNamed(name string) (Timers, error) {
	switch name {
	case "", "default":
		return DefaultTimers(), nil
	case "short":
		return ShortTimers(), nil
	default:
		return Timers{}, fmt.Errorf("timer profile %q is unknown: use default or short", name)
	}
}

// RecoveryInterval is how long after a worker's death, or after the deadline, a
// task may wait for somebody to act, with one lost tick of the dispatcher not
// counted.
func (t Timers) RecoveryInterval() time.Duration { return t.Lease + t.SkewMargin + t.DispatchEvery }

// NarrowedVisibility is how long a message is hidden while its task is worked
// on: when the worker dies, the message comes back as the task is claimable.
func (t Timers) NarrowedVisibility() time.Duration { return t.Lease + t.SkewMargin }

// Check reports the first broken link of the chain. The error is a [*ChainError].
func (t Timers) Check() error {
	for _, link := range t.chain() {
		if !link.holds {
			return &ChainError{Profile: t.Profile, Rule: link.rule, Of: link.of}
		}
	}
	return nil
}
