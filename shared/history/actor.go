package history

import "sync/atomic"

// Actor records what one process or person does.
type Actor struct {
	recorder *Recorder
	name     string
	killed   atomic.Bool
}

// Actor is a new life of the process, or the person, of that name.
func (r *Recorder) Actor(name string) *Actor { return &Actor{recorder: r, name: name} }

// Name is the actor's.
func (a *Actor) Name() string { return a.name }

// Record takes in an event of this actor and returns its order number; 0 when
// the actor was killed before.
func (a *Actor) Record(e Event) int64 {
	if a.killed.Load() {
		return 0
	}
	e.Actor = a.name
	return a.recorder.Record(e)
}

// Start records that the process runs.
func (a *Actor) Start() { a.Record(Event{Kind: ProcessStarted}) }

// Kill records the end of the process. Nothing that code of it still does is
// recorded afterwards: a dead process has seen no answer. That it does nothing
// to others either is up to whoever kills it.
func (a *Actor) Kill() {
	a.Record(Event{Kind: ProcessKilled})
	a.killed.Store(true)
}

// Freeze records that the process stands still.
func (a *Actor) Freeze() { a.Record(Event{Kind: ProcessFrozen}) }

// Thaw records that it goes on.
func (a *Actor) Thaw() { a.Record(Event{Kind: ProcessThawed}) }

// StepClock records how far the process's wall clock is off from now on.
func (a *Actor) StepClock(offsetMS int64) {
	a.Record(Event{Kind: ClockStepped, Clock: &Clock{OffsetMS: offsetMS}})
}
