package drills

import (
	"context"
	"errors"
	"time"

	"github.com/replyonce/replyonce/shared/drills/browser"
	"github.com/replyonce/replyonce/shared/providertest"
	"github.com/replyonce/replyonce/shared/worktask"
)

// ErrCannot says that a world has no means to do what a script asks for. A
// script that says what it needs never meets it.
var ErrCannot = errors.New("this world cannot do that")

// World is a running service with hands on it. All methods may be called from
// several goroutines.
type World interface {
	Timers() worktask.Timers
	Now() time.Time // true time, whatever a process believes
	// Can reports whether the world has the means.
	Can(Need) bool

	// Begin starts a record of its own; events of what it does not follow are
	// left out of it.
	Begin(name string) *Log
	// SignIn gives the browser of a person.
	SignIn(ctx context.Context, user, workspace string) (*browser.Browser, error)
	// Provider is the scripted provider; nil where it is another one.
	Provider() *providertest.Server

	// At catches requests of functions at a point until remove is called.
	At(p Point, do Do) (remove func())
	// Kill ends a process as SIGKILL does and returns when it is dead; another
	// takes its place.
	Kill(process string)
	// Freeze stops a process until Thaw.
	Freeze(process string)
	Thaw(process string)
	// StepClock sets how far the wall clocks of a process is off from true time.
	StepClock(process string, offset time.Duration) error

	// HoldDeliveries keeps messages of a scope from workers until release.
	HoldDeliveries(scope string) (release func())
	// DeliverTwice delivers messages of a scope to two workers at once until
	// stop is called.
	DeliverTwice(scope string) (stop func())
	// Put puts a message with this body into the queue.
	Put(ctx context.Context, body string) error
	// Redrive puts a message of the task into the dead-letter queue and moves it
	// back from there.
	Redrive(ctx context.Context, ref worktask.Ref) error
	// Panic makes the code that works on a question panic until stop is called.
	Panic(question string) (stop func())

	// Workers are the names of the worker processes, Indexers of those that work
	// through documents.
	Workers() []string
	Indexers() []string
	// Task reads a task from the store, past all faults.
	Task(ctx context.Context, ref worktask.Ref) (worktask.Task, error)
}

// Scripted is a provider that scripts can steer, and whose own log says how often it
// was asked. The scripted provider is one; a world with another one says so by a
// method Scripted.
type Scripted interface {
	Script(script providertest.Script) (providertest.Script, error)
	Calls() []providertest.Call
	Release(gate string)
}

// foreign is the world's provider if it is another one than the scripted.
func foreign(w World) (Scripted, bool) {
	other, ok := w.(interface{ Scripted() (Scripted, bool) })
	if !ok {
		return nil, false
	}
	return other.Scripted()
}

// scripted is the provider that the scene can steer; nil without one.
func (s *Scene) scripted() Scripted {
	if other, ok := foreign(s.World); ok {
		return other
	}
	if provider := s.Provider(); provider != nil {
		return provider
	}
	return nil
}

// Role is a function of the service.
type Role string

// The functions that requests come from.
const (
	API        Role = "api"
	Worker     Role = "worker"
	Indexer    Role = "indexer"
	Dispatcher Role = "dispatcher"
)

// Op is a request of a function to store or queue.
type Op string

// The requests that scripts act upon. The conditional writes of a task have the
// names of their transitions.
const (
	Accept        Op = "accept" // the transaction that makes a task
	Claim         Op = "claim"
	Begin         Op = "begin"
	Renew         Op = "renew"
	SaveOperation Op = "save_operation"
	Complete      Op = "complete"
	Release       Op = "release"
	Fail          Op = "fail"
	End           Op = "end"
	Cancel        Op = "cancel"
	Bump          Op = "bump"
	Publish       Op = "publish" // a message into the queue
	Hide          Op = "hide"    // a change of a message's visibility

	TakeVersion    Op = "take_version" // the right to write a version's entries
	WriteEntries   Op = "write_entries"
	PublishVersion Op = "publish_version"
	FailVersion    Op = "fail_version"
)

// Point is where requests are caught.
type Point struct {
	Role  Role
	Op    Op
	Scope string // of the task that the request is about; "" is any
	Times int    // how many requests are caught; 0 is all
}

// Covers reports whether the point is about requests of the scope.
func (p Point) Covers(scope string) bool { return p.Scope == "" || p.Scope == scope }

// Fate is what the sender of a caught request learns.
type Fate int

// The fates.
const (
	Answered    Fate = iota // what the store or queue answered
	Unheard                 // nothing: the connection ends
	Unavailable             // that the store is not to be had; nothing was written
	Conflicting             // that another transaction is in its way; nothing was written
)

// Passing is a caught request.
type Passing struct {
	Process string
	Op      Op
	// Gone is closed when the sender does not wait any more, or is dead.
	Gone <-chan struct{}
	// Forward sends the request on and reports whether it was done; false: it
	// was refused or could not be made. It may be called later, or twice.
	Forward func() bool
}

// Do decides the fate of a caught request. It may take its time.
type Do func(p Passing) Fate
