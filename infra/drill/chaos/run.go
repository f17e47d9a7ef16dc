package chaos

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/replyonce/replyonce/infra/drill/observe"
	"github.com/replyonce/replyonce/infra/drill/onemachine"
	"github.com/replyonce/replyonce/shared/drills"
	"github.com/replyonce/replyonce/shared/history"
	"github.com/replyonce/replyonce/shared/history/check"
	"github.com/replyonce/replyonce/shared/worktask"
)

// Processes of a run: enough workers to take over while others stand still.
const (
	workers = 6
	apis    = 4
)

// progressEvery is how often a run tells how far it is.
const progressEvery = 5 * time.Second

// Options of a run.
type Options struct {
	Duration time.Duration // of the faults; reading everything back comes after it
	Seed     uint64
	Profile  string                 // of the timers; "" is short
	Unknown  worktask.UnknownPolicy // of new tasks; "" is retry
	Plan     []Fault                // nil: drawn from the seed
	Break    observe.Break          // of a service that is broken on purpose; nil: none
	Binaries string                 // built by onemachine.Build; "" builds them
	Progress func(string)           // gets a line now and then
}

// Kind is what the provider of a run documents: operations can be looked up, and
// every other seed has idempotency keys.
func (o Options) Kind() drills.Kind {
	return drills.Kind{OnUnknown: o.Unknown, Lookup: true, Keys: o.Seed%2 == 1}
}

// errOver ends what is still under way when everything was given its time.
var errOver = errors.New("everything was given its time")

// run is a run while it goes on.
type run struct {
	options Options
	world   *onemachine.World
	log     *drills.Log
	crowd   *crowd
	trouble *trouble
	tally   *tally
	begun   time.Time
	stall   time.Duration
}

// Run lets people ask while faults happen, for the duration or until ctx ends,
// gives everything its time, and judges. The error says that there was no run.
func Run(ctx context.Context, o Options) (result Result, err error) {
	if o.Progress == nil {
		o.Progress = func(string) {}
	}
	r := &run{options: o}
	// The faults come when the world is there, and its hooks ask for them.
	r.trouble = newTrouble(nil, func(random *rand.Rand) worktask.Ref { return r.crowd.ledger.recent(random) }, o.Seed)
	r.world, err = onemachine.Start(ctx, onemachine.Options{
		Kind: o.Kind(), Profile: o.Profile, Binaries: o.Binaries, Break: o.Break, Progress: o.Progress,
		Workers: workers, APIs: apis, Copies: r.trouble.copies, Hold: r.trouble.hold,
	})
	if err != nil {
		return result, fmt.Errorf("start a world for chaos: %w", err)
	}
	defer func() { err = errors.Join(err, r.world.Close()) }() //nolint:contextcheck // what was started is stopped, whatever ctx is
	r.trouble.hands = r.world
	if err := r.prepare(ctx); err != nil {
		return result, err
	}
	defer r.crowd.close()
	r.play(ctx)
	return r.judge(), nil
}

// prepare teaches the provider and signs everybody in.
func (r *run) prepare(ctx context.Context) (err error) {
	if err := teach(r.world.Provider()); err != nil {
		return err
	}
	r.log = r.world.Begin("chaos")
	r.tally = newTally(r.world.Timers())
	r.crowd, err = gather(ctx, r.world, r.log, r.options.Seed)
	return err
}

// bound is how long everything may take to come to its end after the last fault:
// deadlines are counted by clocks that were off, and due times by others.
func (r *run) bound() time.Duration {
	timers := r.world.Timers()
	r.trouble.mu.Lock()
	defer r.trouble.mu.Unlock()
	return timers.TaskDeadline + timers.RecoveryInterval() + 2*r.trouble.skew
}

// play is the run itself.
func (r *run) play(ctx context.Context) {
	r.begun = time.Now()
	running, stop := context.WithTimeout(ctx, r.options.Duration)
	defer stop()
	whole, over := context.WithCancelCause(context.WithoutCancel(ctx)) // what was asked is answered, whoever hurries
	defer over(nil)

	plan := r.options.Plan
	if plan == nil {
		plan = Plan(r.options.Seed, r.options.Duration, r.world.Timers().Lease)
	}
	asked := make(chan struct{})
	go func() {
		defer close(asked)
		r.crowd.ask(running, whole)
	}()
	var beside sync.WaitGroup
	beside.Go(func() { r.trouble.play(running, plan) })
	beside.Go(func() { r.stall = longestStall(running) })
	r.tell(running)
	beside.Wait()

	r.options.Progress(fmt.Sprintf("the faults are over; everything is given up to %s to come to its end", r.bound().Round(time.Second)))
	limit := time.AfterFunc(r.bound(), func() { over(errOver) })
	defer limit.Stop()
	r.tellUntil(asked)
	r.log.Record(history.Event{Actor: "driver", Kind: history.Drained})
	r.options.Progress("reading everything back")
	reading, done := context.WithTimeout(context.WithoutCancel(ctx), r.bound())
	defer done()
	r.readBack(reading)
}

// tell prints how far the run is until it is over.
func (r *run) tell(ctx context.Context) {
	for wait(ctx, progressEvery) == nil {
		r.options.Progress(r.progress())
	}
}

// tellUntil goes on telling until everybody has their answers.
func (r *run) tellUntil(asked <-chan struct{}) {
	ticker := time.NewTicker(progressEvery)
	defer ticker.Stop()
	for {
		select {
		case <-asked:
			return
		case <-ticker.C:
			r.options.Progress(r.progress())
		}
	}
}

func (r *run) progress() string {
	r.tally.follow(r.log)
	t := r.tally
	return fmt.Sprintf("%4.0f s  %d tasks (%d open), %d repeats, %d kills, %d takeovers, %d late writes refused, %d provider requests",
		time.Since(r.begun).Seconds(), len(t.tasks), t.open, t.repeats, sum(t.killed), t.takeovers, sum(t.refused), t.requests)
}

func sum[K comparable](counts map[K]int) int {
	total := 0
	for _, n := range counts {
		total += n
	}
	return total
}

// longestStall is by how much the machine was late for something that was to
// happen ten times a second.
func longestStall(ctx context.Context) time.Duration {
	const every = 100 * time.Millisecond
	longest := time.Duration(0)
	for {
		begun := time.Now()
		if wait(ctx, every) != nil {
			return longest
		}
		longest = max(longest, time.Since(begun)-every)
	}
}

// judge holds the history against the promises.
func (r *run) judge() Result {
	r.tally.follow(r.log)
	h := r.log.History()
	h.Header.Seed = r.options.Seed
	h.Header.Limits.SkewMS = r.trouble.skew.Milliseconds()
	result := Result{
		options: r.options, timers: r.world.Timers(), tally: r.tally, faults: r.trouble.counts(), stall: r.stall, presses: r.crowd.ledger.all(),
		sent: r.world.Provider().Totals(), History: h, Took: time.Since(r.begun),
	}
	for _, err := range append(r.crowd.ledger.deviations(), r.trouble.wrong...) {
		result.Deviations = append(result.Deviations, err.Error())
	}
	r.options.Progress(fmt.Sprintf("checking %d events", len(h.Events)))
	report, err := check.Check(h, check.Options{})
	if err != nil {
		result.Deviations = append(result.Deviations, err.Error())
	}
	result.Report = report
	if median := quantile(r.tally.spans(false), 0.5); median > result.aim() {
		result.Deviations = append(result.Deviations, fmt.Sprintf("half of the takeovers came later than %s after the crash, aim %s", median.Round(time.Millisecond), result.aim()))
	}
	return result
}
