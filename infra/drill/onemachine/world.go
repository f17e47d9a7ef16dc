// Package onemachine is a world for drills on the real one-machine stack: the
// functions are processes that are killed and frozen by signals, requests are
// caught in the fault proxy between them and AWS.
package onemachine

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"

	"github.com/replyonce/replyonce/infra/drill/observe"
	"github.com/replyonce/replyonce/infra/local/modelserver"
	"github.com/replyonce/replyonce/infra/local/stack"
	"github.com/replyonce/replyonce/shared/drills"
	"github.com/replyonce/replyonce/shared/drills/browser"
	"github.com/replyonce/replyonce/shared/dynamostore"
	"github.com/replyonce/replyonce/shared/providertest"
	"github.com/replyonce/replyonce/shared/worktask"
)

// workers are as many as a drill needs: two to be lost, two to take over.
const workers = 4

// apis are enough for a crowd not to wait long.
const apis = 4

// indexers are as many as two versions need to overtake each other, or one to be
// lost and one to take over.
const indexers = 2

// clockTag is the build tag of programs whose clocks can be set wrong.
const clockTag = "drillclock"

// Options say how to start a world.
type Options struct {
	Kind     drills.Kind
	Profile  string // of the timers; "" is short
	Root     string // the module's folder; "" looks for it
	Binaries string // built with the tag drillclock; "" builds them
	Progress func(string)

	Workers, APIs int // processes; 0: as many as a drill needs
	// Copies and Hold, if not nil, are asked about every delivery, beside what
	// scripts want: how often a message arrives at once, and how long a batch
	// waits before it does.
	Copies func(types.Message) int
	Hold   func(context.Context, []types.Message)

	// Break, if not nil, is what a deliberately broken service does to requests
	// of its functions.
	Break observe.Break
}

func (o Options) withDefaults() Options {
	if o.Profile == "" {
		o.Profile = "short"
	}
	if o.Workers == 0 {
		o.Workers = workers
	}
	if o.APIs == 0 {
		o.APIs = apis
	}
	return o
}

// Build builds the programs of worlds, for several of them to share.
func Build(ctx context.Context, root string, progress func(string)) (folder string, err error) {
	folder, err = stack.Build(ctx, stack.Options{Root: root, Tags: []string{clockTag}, Progress: progress})
	if err != nil {
		return "", fmt.Errorf("build for drills: %w", err)
	}
	return folder, nil
}

// World implements drills.World on a stack of its own.
type World struct {
	options  Options
	stack    *stack.Stack
	provider *modelserver.Server
	store    *dynamostore.Store
	queues   *sqs.Client
	observer *observe.Observer
	clocks   string // folder of the offsets
	data     string

	mu    sync.Mutex
	log   *drills.Log
	held  map[string]chan struct{} // scopes whose messages are held back
	twice map[string]bool          // scopes whose messages are delivered twice

	frozen map[string]bool // processes
}

var _ drills.World = (*World)(nil)

// Start starts provider and stack. On an error nothing is left running.
func Start(ctx context.Context, o Options) (*World, error) {
	w := &World{held: map[string]chan struct{}{}, twice: map[string]bool{}, frozen: map[string]bool{}}
	if err := w.start(ctx, o); err != nil {
		return nil, errors.Join(err, w.Close()) //nolint:contextcheck // what was started is stopped, whatever ctx is
	}
	return w, nil
}

func (w *World) start(ctx context.Context, o Options) (err error) {
	o = o.withDefaults()
	w.options = o
	timers, err := worktask.TimersNamed(o.Profile)
	if err != nil {
		return fmt.Errorf("start drills: %w", err)
	}
	if w.data, err = os.MkdirTemp("", "replyonce-drill-"); err != nil {
		return fmt.Errorf("start drills: %w", err)
	}
	w.clocks = filepath.Join(w.data, "clocks")
	if err := os.Mkdir(w.clocks, 0o700); err != nil {
		return fmt.Errorf("start drills: %w", err)
	}
	w.log = drills.NewLog(time.Now, "start", timers)
	w.provider, err = modelserver.Start(ctx, providertest.Options{
		Now: time.Now, IdempotencyKeys: o.Kind.Keys, Lookup: o.Kind.Lookup, LogSink: drills.ProviderSink(w.current),
	})
	if err != nil {
		return err //nolint:wrapcheck // says what it is
	}
	w.observer = observe.New(timers)
	w.observer.Break = o.Break
	w.stack, err = stack.Start(ctx, stack.Options{
		Root: o.Root, Binaries: o.Binaries, Tags: []string{clockTag}, DataDir: filepath.Join(w.data, "stack"),
		Profile: o.Profile, Provider: "scripted", ProviderURL: w.provider.URL(), OnUnknown: string(o.Kind.OnUnknown),
		Env:     map[string]string{"REPLYONCE_DRILL_CLOCK": w.clocks},
		Workers: o.Workers, Indexers: indexers, APIs: o.APIs, Copies: w.copies, Hold: w.hold, Observe: w.logged, Progress: o.Progress,
	})
	if err != nil {
		return fmt.Errorf("start the stack: %w", err)
	}
	direct := w.stack.DirectAWSConfig()
	w.store = dynamostore.New(dynamodb.NewFromConfig(direct, func(o *dynamodb.Options) {
		o.DisableValidateResponseChecksum = true // the emulator's answers have none
	}), stack.Table, dynamostore.Options{})
	w.queues = sqs.NewFromConfig(direct)
	w.stack.Faults().Install(w.observer.Rule())
	return nil
}

// Close stops everything that was started and removes what it has written.
func (w *World) Close() error {
	var failures []error
	w.mu.Lock()
	for scope, gate := range w.held {
		close(gate)
		delete(w.held, scope)
	}
	w.mu.Unlock()
	if w.stack != nil {
		failures = append(failures, w.stack.Close())
	}
	if w.provider != nil {
		failures = append(failures, w.provider.Close())
	}
	if w.data != "" {
		failures = append(failures, os.RemoveAll(w.data))
	}
	return errors.Join(failures...)
}

// Failed is closed when the store has ended by itself.
func (w *World) Failed() <-chan struct{} { return w.stack.Failed() }

// Now implements drills.World.
func (w *World) Now() time.Time { return time.Now() }

// Timers implements drills.World.
func (w *World) Timers() worktask.Timers { return w.stack.Timers() }

// Can implements drills.World: nobody can make a real worker panic at will, or a
// year pass.
func (w *World) Can(n drills.Need) bool { return n != drills.Panics && n != drills.Virtual }

// Provider implements drills.World.
func (w *World) Provider() *providertest.Server { return w.provider.Server }

// Begin implements drills.World.
func (w *World) Begin(name string) *drills.Log {
	log := drills.NewLog(time.Now, name, w.Timers())
	w.mu.Lock()
	w.log = log
	w.mu.Unlock()
	w.observer.Begin(log)
	return log
}

func (w *World) current() *drills.Log {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.log
}

// SignIn implements drills.World.
func (w *World) SignIn(ctx context.Context, user, workspace string) (*browser.Browser, error) {
	return browser.SignIn(ctx, w.stack.URL(), user, workspace, time.Now, nil) //nolint:wrapcheck // says what it is
}

// At implements drills.World.
func (w *World) At(p drills.Point, do drills.Do) (remove func()) { return w.observer.At(p, do) }

// Task implements drills.World.
func (w *World) Task(ctx context.Context, ref worktask.Ref) (worktask.Task, error) {
	return w.store.Get(ctx, ref) //nolint:wrapcheck // says what it is
}

// Panic implements drills.World.
func (w *World) Panic(string) (stop func()) { return func() {} }
