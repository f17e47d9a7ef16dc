package chaos

import (
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/replyonce/replyonce/shared/drills"
)

// Kind is what is done to the service.
type Kind string

// The kinds of faults.
const (
	Kill       Kind = "kill"        // a process ends, whatever it does
	KillBefore Kind = "kill_before" // the sender of a request ends, and the request never arrives
	KillAfter  Kind = "kill_after"  // the sender of a request ends when it has arrived
	Freeze     Kind = "freeze"      // a process stands still for a while
	HoldWrite  Kind = "hold_write"  // the sender of a request stands still, and the request arrives late
	LoseAnswer Kind = "lose_answer" // a request arrives, and its sender does not hear so
	Cut        Kind = "cut"         // a connection ends before its request arrives
	Deny       Kind = "deny"        // the store says that it is not to be had
	Duplicate  Kind = "duplicate"   // a message is delivered to two workers at once
	Copy       Kind = "copy"        // one more message for a task is put into the queue
	Delay      Kind = "delay"       // a message is delivered late
	Step       Kind = "step"        // the clock of a process is wrong for a while
)

// Fault is one thing that is done, at a time from the beginning.
type Fault struct {
	At      time.Duration
	Kind    Kind
	Role    drills.Role   // of the process that it happens to
	Process int           // which of the function's, from 0; faults at a request happen to its sender
	Op      drills.Op     // of the request that it happens at
	For     time.Duration // how long it lasts
	Offset  time.Duration // of a clock
}

// card is a fault in the deck; times are drawn anew each time it is dealt.
type card struct {
	count    int // in one deck
	fault    Fault
	min, max float64 // how long it lasts, in leases
}

// stepped are the offsets of clocks: within the margin of every profile, beyond
// the margin, beyond a lease. Steps of minutes are drill D24's: a clock that is
// far ahead ends everything that is open, and nothing else would be seen.
var stepped = []time.Duration{300 * time.Millisecond, 2 * time.Second, 8 * time.Second}

// deck has every kind of fault in the share that it has of a run. A run of one
// deck has met them all.
var deck = []card{
	{count: 8, fault: Fault{Kind: Kill, Role: drills.Worker}},
	{count: 2, fault: Fault{Kind: Kill, Role: drills.API}},
	{count: 1, fault: Fault{Kind: Kill, Role: drills.Dispatcher}},
	{count: 1, fault: Fault{Kind: KillBefore, Role: drills.Worker, Op: drills.Complete}},
	{count: 1, fault: Fault{Kind: KillBefore, Role: drills.API, Op: drills.Publish}},
	{count: 2, fault: Fault{Kind: KillAfter, Role: drills.Worker, Op: drills.Claim}},
	{count: 1, fault: Fault{Kind: KillAfter, Role: drills.Worker, Op: drills.Complete}},
	{count: 1, fault: Fault{Kind: KillAfter, Role: drills.API, Op: drills.Accept}},
	{count: 1, fault: Fault{Kind: KillAfter, Role: drills.Dispatcher, Op: drills.Bump}},

	{count: 3, fault: Fault{Kind: Freeze, Role: drills.Worker}, min: 0.3, max: 1.8},
	{count: 1, fault: Fault{Kind: Freeze, Role: drills.API}, min: 0.1, max: 0.6},
	{count: 1, fault: Fault{Kind: Freeze, Role: drills.Dispatcher}, min: 0.3, max: 1.5},
	{count: 2, fault: Fault{Kind: HoldWrite, Role: drills.Worker, Op: drills.Complete}, min: 1.2, max: 2},
	{count: 1, fault: Fault{Kind: HoldWrite, Role: drills.Worker, Op: drills.Release}, min: 1.2, max: 2},
	{count: 1, fault: Fault{Kind: HoldWrite, Role: drills.Worker, Op: drills.Fail}, min: 1.2, max: 2},
	{count: 1, fault: Fault{Kind: HoldWrite, Role: drills.Worker, Op: drills.Renew}, min: 1.2, max: 2},

	{count: 2, fault: Fault{Kind: LoseAnswer, Role: drills.API, Op: drills.Accept}},
	{count: 1, fault: Fault{Kind: LoseAnswer, Role: drills.API, Op: drills.Publish}},
	{count: 1, fault: Fault{Kind: LoseAnswer, Role: drills.API, Op: drills.Cancel}},
	{count: 1, fault: Fault{Kind: LoseAnswer, Role: drills.Worker, Op: drills.Claim}},
	{count: 2, fault: Fault{Kind: LoseAnswer, Role: drills.Worker, Op: drills.Complete}},
	{count: 1, fault: Fault{Kind: LoseAnswer, Role: drills.Worker, Op: drills.Renew}},
	{count: 1, fault: Fault{Kind: LoseAnswer, Role: drills.Worker, Op: drills.Release}},
	{count: 1, fault: Fault{Kind: LoseAnswer, Role: drills.Worker, Op: drills.Fail}},
	{count: 1, fault: Fault{Kind: LoseAnswer, Role: drills.Worker, Op: drills.SaveOperation}},
	{count: 1, fault: Fault{Kind: LoseAnswer, Role: drills.Dispatcher, Op: drills.Bump}},

	{count: 1, fault: Fault{Kind: Cut, Role: drills.API, Op: drills.Accept}},
	{count: 1, fault: Fault{Kind: Cut, Role: drills.API, Op: drills.Publish}},
	{count: 1, fault: Fault{Kind: Cut, Role: drills.Worker, Op: drills.Claim}},
	{count: 1, fault: Fault{Kind: Cut, Role: drills.Worker, Op: drills.Complete}},
	{count: 1, fault: Fault{Kind: Cut, Role: drills.Worker, Op: drills.Hide}},
	{count: 1, fault: Fault{Kind: Deny, Role: drills.API, Op: drills.Accept}},
	{count: 1, fault: Fault{Kind: Deny, Role: drills.Worker, Op: drills.Complete}},

	{count: 4, fault: Fault{Kind: Duplicate, Role: drills.Worker}},
	{count: 2, fault: Fault{Kind: Copy, Role: drills.Worker}},
	{count: 3, fault: Fault{Kind: Delay, Role: drills.Worker}, min: 0.2, max: 1.3},

	{count: 1, fault: Fault{Kind: Step, Role: drills.Worker}, min: 0.3, max: 1},
	{count: 1, fault: Fault{Kind: Step, Role: drills.API}, min: 0.3, max: 1},
	{count: 1, fault: Fault{Kind: Step, Role: drills.Dispatcher}, min: 0.3, max: 1},
}

// The pause between two faults, in leases: some four in a lease.
const minGap, maxGap = 1.0 / 15, 1.0 / 5

// Plan draws the schedule of a run: the same for the same seed.
func Plan(seed uint64, duration, lease time.Duration) []Fault {
	random := rand.New(rand.NewPCG(seed, 30)) //nolint:gosec // a run is to be repeated, not to be secret
	leases := func(low, high float64) time.Duration {
		return time.Duration((low + (high-low)*random.Float64()) * float64(lease))
	}
	var plan []Fault
	at := leases(minGap, maxGap)
	for {
		for _, c := range shuffled(random) {
			if at >= duration {
				return plan
			}
			f := c.fault
			f.At, f.Process, f.For = at, random.IntN(processes), leases(c.min, c.max)
			if f.Kind == Step {
				f.Offset = stepped[random.IntN(len(stepped))]
				if random.IntN(2) == 0 {
					f.Offset = -f.Offset
				}
			}
			plan = append(plan, f)
			at += leases(minGap, maxGap)
		}
	}
}

// processes is a number that those of each function divide, so that each of them
// is as likely as the others.
const processes = 12

// shuffled deals the deck.
func shuffled(random *rand.Rand) []card {
	var cards []card
	for _, c := range deck {
		for range c.count {
			cards = append(cards, c)
		}
	}
	random.Shuffle(len(cards), func(i, j int) { cards[i], cards[j] = cards[j], cards[i] })
	return cards
}

// String is the fault on a line of a list.
func (f Fault) String() string {
	text := fmt.Sprintf("%7.2f s  %-11s %s", f.At.Seconds(), f.Kind, f.Role)
	if f.Op != "" {
		text += " at " + string(f.Op)
	} else if f.Kind == Kill || f.Kind == Freeze || f.Kind == Step {
		text += fmt.Sprintf(" %d", f.Process+1)
	}
	if f.For > 0 {
		text += fmt.Sprintf(" for %.1f s", f.For.Seconds())
	}
	if f.Offset != 0 {
		text += fmt.Sprintf(" by %s", f.Offset)
	}
	return text
}
