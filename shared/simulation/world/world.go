package world

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"testing/synctest"
	"time"

	"github.com/replyonce/replyonce/shared/conversation"
	"github.com/replyonce/replyonce/shared/document"
	"github.com/replyonce/replyonce/shared/dynamoschema"
	"github.com/replyonce/replyonce/shared/history"
	"github.com/replyonce/replyonce/shared/idempotency"
	"github.com/replyonce/replyonce/shared/identity"
	"github.com/replyonce/replyonce/shared/memstore"
	"github.com/replyonce/replyonce/shared/taskflow"
	"github.com/replyonce/replyonce/shared/worktask"
)

// Setup is what a world is made of. It is part of a schedule.
type Setup struct {
	Policy worktask.UnknownPolicy `json:"policy"`
	// MoneyLimit is what a task may cost; 0: money is not counted. A call costs
	// CallMoney at most, and two fifths of it when its end is told with a price.
	MoneyLimit int64 `json:"money_limit,omitzero"`
	CallMoney  int64 `json:"call_money,omitzero"`
	// HideOldItem: a failed condition does not tell which item it met.
	HideOldItem bool `json:"hide_old_item,omitzero"`
	// StaleIndex: the index of due handoffs lags behind the tasks.
	StaleIndex bool `json:"stale_index,omitzero"`
}

// Sizes of a world: enough for every race of the decision table, few enough
// that processes meet.
const (
	workers     = 3
	dispatchers = 2
	maxPresses  = 4 // different presses of Send and Regenerate in one schedule
)

const (
	workspace  = "acme"
	documentID = "01JD0D000000000000000000D0"
)

// users, each with a conversation of their own.
var users = []identity.Caller{{ID: "alice", Workspace: workspace}, {ID: "bob", Workspace: workspace}}

func conversationOf(user int) string { return fmt.Sprintf("01JD0C000000000000000000C%d", user) }

// Timers are those of a deployment, moved apart a little: timers of one process
// that fire in the same instant would leave the order to the scheduler of Go,
// and a schedule would not always give the same history.
func Timers() worktask.Timers {
	t := worktask.DefaultTimers()
	t.RenewEvery -= 137 * time.Millisecond
	t.CallLimit -= 411 * time.Millisecond
	return t
}

// World is made by Run.
type World struct {
	Setup
	Timers worktask.Timers
	Now    func() time.Time // true time

	wiring   Wiring
	start    time.Time
	memory   *memstore.Store
	backing  Backing
	recorder *history.Recorder
	driver   *history.Actor
	queue    *history.Actor
	provider *history.Actor
	watch    *watch
	log      *slog.Logger

	hosts     []*host
	processes []*process // all that live, in the order of their start
	started   int
	presses   []*press
	requests  int
	answers   int
	ids       int
	skew      time.Duration // how far any clock was ever off

	mu       sync.Mutex
	seq      int
	truths   map[string]*truth // by operation id
	gates    []*call
	underWay []*call // writes that nobody waits for any more
	messages []*message
	arrived  chan struct{}
}

func newWorld(setup Setup, wiring Wiring, header history.Header, now func() time.Time) *World {
	w := &World{
		Setup: setup, Timers: Timers(), Now: now, wiring: wiring, start: now(),
		memory:  memstore.New(memstore.Options{HideOldItem: setup.HideOldItem}),
		log:     slog.New(slog.DiscardHandler),
		arrived: make(chan struct{}, 1),
		truths:  map[string]*truth{},
	}
	if wiring.Timers != nil {
		w.Timers = *wiring.Timers
	}
	header.Limits = history.LimitsOf(w.Timers)
	w.recorder = history.NewRecorder(now, header)
	w.driver, w.queue, w.provider = w.recorder.Actor("driver"), w.recorder.Actor("queue"), w.recorder.Actor("provider")
	w.watch = newWatch(w)
	w.backing = w.stored()
	for i := range workers {
		w.hosts = append(w.hosts, &host{name: fmt.Sprintf("worker-%d", i+1), role: Worker})
	}
	for i := range dispatchers {
		w.hosts = append(w.hosts, &host{name: fmt.Sprintf("dispatcher-%d", i+1), role: Dispatcher})
	}
	w.hosts = append(w.hosts, &host{name: "api", role: API})
	w.furnish()
	return w
}

// furnish writes what every schedule needs: a document and conversations. It is
// no part of the history.
func (w *World) furnish() {
	ctx := context.Background()
	windows := idempotency.Windows{Replay: w.Timers.ReplayWindow, Purge: w.Timers.PurgeAfter}
	record := func(user identity.Caller, operation, target string) idempotency.Record {
		scope := idempotency.Scope{Workspace: user.Workspace, Caller: user.ID, Operation: operation}
		r, err := idempotency.NewRecord(scope, "furnish", idempotency.NewCanonical(operation).Fingerprint(), target, w.start, windows)
		if err != nil {
			panic(fmt.Sprintf("furnish: %v", err)) // the timers are constants
		}
		return r
	}
	d := document.Document{Workspace: workspace, ID: documentID, Title: "Guide", LatestVersion: 1, CreatedAt: w.start, UpdatedAt: w.start}
	v := document.Version{Workspace: workspace, Document: documentID, Number: 1, Title: "Guide", Text: "Everything.", CreatedAt: w.start}
	if err := w.memory.CreateDocument(ctx, record(users[0], "create_document", "/v1/documents/"+documentID), d, v); err != nil {
		panic(fmt.Sprintf("furnish: %v", err))
	}
	for i, user := range users {
		c := conversation.Conversation{
			Workspace: workspace, ID: conversationOf(i), Caller: user.ID, Title: "Guide", Document: documentID, CreatedAt: w.start,
		}
		if err := w.memory.CreateConversation(ctx, record(user, conversation.OperationCreate, conversation.Path(c.ID)), c); err != nil {
			panic(fmt.Sprintf("furnish: %v", err))
		}
	}
}

// newID mints ids in the shape of ours, in rising order.
func (w *World) newID() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.ids++
	return fmt.Sprintf("01JE%022d", w.ids)
}

// reply answers a call and waits until nothing moves.
func (w *World) reply(c *call, a answer) {
	c.resume <- a
	synctest.Wait()
}

// later keeps a write that lands when a step says so.
func (w *World) later(c *call) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.underWay = append(w.underWay, c)
}

// boot starts a process on a host, in place of a dead one.
func (w *World) boot(h *host, limit time.Duration) *process {
	h.incarnation++
	w.started++
	p := &process{
		world: w, host: h, name: fmt.Sprintf("%s.%d", h.name, h.incarnation), order: w.started,
		ends: w.Now().Add(limit), killed: make(chan struct{}),
	}
	p.actor = w.recorder.Actor(p.name)
	p.actor.Start()
	if h.offset != 0 {
		p.actor.StepClock(h.offset.Milliseconds())
	}
	h.process = p
	w.processes = append(w.processes, p)
	return p
}

// kill ends a process. What it has at its gates is lost, or is under way.
func (w *World) kill(p *process, underWay bool) {
	if p.isDead() {
		return
	}
	w.watch.dies(p)
	p.actor.Kill()
	w.mu.Lock()
	w.gates = slices.DeleteFunc(w.gates, func(c *call) bool {
		if c.process != p {
			return false
		}
		if underWay && c.lands() {
			w.underWay = append(w.underWay, c)
		}
		return true
	})
	w.mu.Unlock()
	p.die()
	w.gone(p)
	if p.onDeath != nil {
		p.onDeath()
	}
}

// gone forgets a process that has ended. One that was frozen after its answer
// had left has nothing to do any more.
func (w *World) gone(p *process) {
	p.thaw()
	if p.host.process == p {
		p.host.process = nil
	}
	w.processes = slices.DeleteFunc(w.processes, func(o *process) bool { return o == p })
}

// land makes the effect of a write that nobody waits for.
func (w *World) land(c *call) {
	w.mu.Lock()
	w.underWay = slices.DeleteFunc(w.underWay, func(o *call) bool { return o == c })
	w.mu.Unlock()
	w.watch.lands(c)
	w.run(c)
}

// tasks lists the addresses of all tasks, in the order of their making.
func (w *World) tasks() []worktask.Ref {
	var refs []worktask.Ref
	for ref := range w.memory.Snapshot().Tasks {
		refs = append(refs, ref)
	}
	slices.SortFunc(refs, func(a, b worktask.Ref) int { return compareIDs(a, b) })
	return refs
}

// nobody addresses a task that was never made.
func nobody() worktask.Ref {
	return conversation.TaskRef(workspace, conversationOf(0), "01JEZ000000000000000000000")
}

// staleEntries are index entries of tasks that have moved on or ended, and one
// of no task.
func (w *World) staleEntries(shard int, now time.Time) []taskflow.DueHandoff {
	var entries []taskflow.DueHandoff
	for _, ref := range append(w.tasks(), nobody()) {
		if dynamoschema.ShardOf(ref.ID) == shard {
			entries = append(entries, taskflow.DueHandoff{Ref: ref, DueAt: now})
		}
	}
	return entries
}
