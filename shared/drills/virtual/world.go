package virtual

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/replyonce/replyonce/shared/conversation"
	"github.com/replyonce/replyonce/shared/document"
	"github.com/replyonce/replyonce/shared/drills"
	"github.com/replyonce/replyonce/shared/drills/browser"
	"github.com/replyonce/replyonce/shared/indexing"
	"github.com/replyonce/replyonce/shared/keyed"
	"github.com/replyonce/replyonce/shared/providertest"
	"github.com/replyonce/replyonce/shared/taskflow"
	"github.com/replyonce/replyonce/shared/worktask"
)

// Store is everything that the service keeps outside of processes.
type Store interface {
	taskflow.Tasks
	taskflow.Handoffs
	taskflow.EvidenceStore
	taskflow.Objects
	conversation.Store
	document.Store
	indexing.Store
	keyed.Records
}

// Options make a world.
type Options struct {
	Kind   drills.Kind
	Timers worktask.Timers
	Store  Store
	Now    func() time.Time // time.Now: the virtual clock inside a bubble
	// Transition, when not nil, is what the store makes of a write: the place for
	// a deliberately broken one.
	Transition func(worktask.Transition) worktask.Transition
	// Foreign, when not nil, makes another provider than the scripted one.
	Foreign func(now func() time.Time) (*Foreign, error)
	// LogTo, when not nil, gets the logs of the functions.
	LogTo io.Writer
}

// Sizes of a world.
const (
	workers   = 4
	indexers  = 2
	batchSize = 5
)

// World implements drills.World. Make it and close it inside one bubble.
type World struct {
	options  Options
	start    time.Time
	log      *slog.Logger
	scripted *scriptedProvider
	queue    *queue

	closing context.Context //nolint:containedctx // the life of the world
	close   context.CancelFunc
	running sync.WaitGroup

	mu        sync.Mutex
	record    *drills.Log
	stored    recorded // the store behind the recorder of the act
	processes map[string]*process
	offsets   map[string]time.Duration
	rules     []*rule
	held      map[string]chan struct{} // scopes whose messages are held back
	twice     map[string]bool          // scopes whose messages are delivered twice
	panics    map[string]bool          // questions
	ids       int
	apis      int
}

var _ drills.World = (*World)(nil)

// New starts a world.
func New(o Options) (*World, error) {
	w := &World{
		options: o, start: o.Now(), log: slog.New(slog.DiscardHandler), processes: map[string]*process{}, offsets: map[string]time.Duration{},
		held: map[string]chan struct{}{}, twice: map[string]bool{}, panics: map[string]bool{},
	}
	if o.LogTo != nil {
		w.log = slog.New(slog.NewJSONHandler(o.LogTo, nil))
	}
	w.closing, w.close = context.WithCancel(context.Background())
	w.queue = newQueue(w)
	w.Begin("start")
	var err error
	if w.scripted, err = w.startProvider(); err != nil {
		return nil, err
	}
	for _, name := range slices.Concat(w.Workers(), w.Indexers()) {
		w.running.Go(func() { w.poll(name) })
	}
	w.running.Go(w.tick)
	return w, nil
}

// Close stops everything. Whatever still runs ends where it stands.
func (w *World) Close() error {
	w.close()
	w.queue.wake()
	w.mu.Lock()
	living := slices.Collect(maps.Values(w.processes))
	for _, h := range w.held {
		close(h)
	}
	w.held = map[string]chan struct{}{}
	w.mu.Unlock()
	for _, p := range living {
		p.die()
	}
	err := w.scripted.close()
	w.running.Wait()
	return err //nolint:wrapcheck // says what it is
}

func (w *World) now() time.Time { return w.options.Now() }

// Now implements drills.World.
func (w *World) Now() time.Time { return w.now() }

// Timers implements drills.World.
func (w *World) Timers() worktask.Timers { return w.options.Timers }

// Can implements drills.World: nothing is out of reach.
func (w *World) Can(drills.Need) bool { return true }

// Provider implements drills.World.
func (w *World) Provider() *providertest.Server {
	if w.scripted.foreign != nil {
		return nil
	}
	return w.scripted.server
}

// Scripted is the provider if it is another one than the scripted.
func (w *World) Scripted() (drills.Scripted, bool) {
	if w.scripted.foreign == nil {
		return nil, false
	}
	return w.scripted.foreign.Scripted, true
}

// Workers implements drills.World.
func (w *World) Workers() []string { return numbered(drills.Worker, workers) }

// Indexers implements drills.World.
func (w *World) Indexers() []string { return numbered(drills.Indexer, indexers) }

func numbered(role drills.Role, n int) []string {
	names := make([]string, n)
	for i := range names {
		names[i] = fmt.Sprintf("%s-%d", role, i+1)
	}
	return names
}

// Begin implements drills.World.
func (w *World) Begin(name string) *drills.Log {
	log := drills.NewLog(w.now, name, w.options.Timers)
	w.mu.Lock()
	w.record = log
	w.stored = recorded{
		Store: w.options.Store, tasks: log.StoreTasks(w.options.Store), conversations: log.StoreConversations(w.options.Store),
		versions: log.StoreVersions(w.options.Store), transition: w.options.Transition,
	}
	w.mu.Unlock()
	for _, worker := range slices.Concat(w.Workers(), w.Indexers()) {
		w.place(worker) // whose actor writes to this record
	}
	return log
}

func (w *World) recorder() *drills.Log {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.record
}

func (w *World) store() recorded {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.stored
}

// SignIn implements drills.World.
func (w *World) SignIn(_ context.Context, user, workspace string) (*browser.Browser, error) {
	return browser.New(browser.Options{
		Base: "http://virtual", Who: user + "@" + workspace, Token: user + "@" + workspace, Now: w.now, Transport: gateway{w},
	}), nil
}

// Task implements drills.World.
func (w *World) Task(ctx context.Context, ref worktask.Ref) (worktask.Task, error) {
	return w.options.Store.Get(ctx, ref) //nolint:wrapcheck // says what it is
}

// place makes the process that runs under a name from now on.
func (w *World) place(name string) *process {
	p := w.newProcess(name)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.processes[name] = p
	return p
}

func (w *World) process(name string) *process {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.processes[name]
}

// Kill implements drills.World. A worker or dispatcher that is killed has a
// successor at once.
func (w *World) Kill(name string) {
	p := w.process(name)
	if p == nil {
		return
	}
	p.die()
	if w.closing.Err() == nil && !isAPI(name) {
		w.place(name)
	}
}

// Freeze implements drills.World.
func (w *World) Freeze(name string) {
	if p := w.process(name); p != nil {
		p.freeze()
	}
}

// Thaw implements drills.World.
func (w *World) Thaw(name string) {
	if p := w.process(name); p != nil {
		p.thaw()
	}
}

// StepClock implements drills.World.
func (w *World) StepClock(name string, offset time.Duration) error {
	w.mu.Lock()
	w.offsets[name] = offset
	w.mu.Unlock()
	if p := w.process(name); p != nil {
		p.actor.StepClock(offset.Milliseconds())
	}
	return nil
}

func (w *World) offset(name string) time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.offsets[name]
}

// newID mints ids in the shape of ours, in rising order.
func (w *World) newID() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.ids++
	return fmt.Sprintf("01JE%022d", w.ids)
}

// Panic implements drills.World.
func (w *World) Panic(question string) (stop func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.panics[question] = true
	return func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		delete(w.panics, question)
	}
}
