package virtual

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/aws/aws-lambda-go/events"

	"github.com/replyonce/replyonce/shared/conversation"
	"github.com/replyonce/replyonce/shared/document"
	"github.com/replyonce/replyonce/shared/drills"
	"github.com/replyonce/replyonce/shared/history"
	"github.com/replyonce/replyonce/shared/idempotency"
	"github.com/replyonce/replyonce/shared/indexing"
	"github.com/replyonce/replyonce/shared/indexpipeline"
	"github.com/replyonce/replyonce/shared/indexwork"
	"github.com/replyonce/replyonce/shared/keyed"
	"github.com/replyonce/replyonce/shared/lambdahandler"
	"github.com/replyonce/replyonce/shared/reply"
	"github.com/replyonce/replyonce/shared/replywork"
	"github.com/replyonce/replyonce/shared/runtimeconfig"
	"github.com/replyonce/replyonce/shared/taskflow"
	"github.com/replyonce/replyonce/shared/telemetry"
	"github.com/replyonce/replyonce/shared/workerhandler"
	"github.com/replyonce/replyonce/shared/worktask"
)

func isAPI(name string) bool { return strings.HasPrefix(name, "api-") }

func isIndexer(name string) bool { return strings.HasPrefix(name, "indexer-") }

func roleOf(name string) drills.Role {
	switch {
	case isAPI(name):
		return drills.API
	case strings.HasPrefix(name, "worker-"):
		return drills.Worker
	case isIndexer(name):
		return drills.Indexer
	}
	return drills.Dispatcher
}

// dispatcherName is the only dispatcher's.
const dispatcherName = "dispatcher-1"

func (p *process) writer(n network) taskflow.Writer {
	return taskflow.Writer{Tasks: p.actor.Tasks(n), Now: p.now, Pause: p.pause}
}

// api is the API function in a process.
func (p *process) api() *lambdahandler.API {
	w := p.world
	n := w.network(p)
	windows := idempotency.Windows{Replay: w.options.Timers.ReplayWindow, Purge: w.options.Timers.PurgeAfter}
	creator := keyed.Creator{Records: p.actor.Records(n), Windows: windows, Now: p.now, Pause: p.pause}
	policy := w.options.Kind.OnUnknown
	if policy == "" {
		policy = worktask.RetryUnknown
	}
	return &lambdahandler.API{
		Documents: document.Service{
			Store: p.actor.Documents(n), Creator: creator, Texts: indexpipeline.Texts{Store: n}, Index: p.indexTasks(n), NewID: w.newID, Now: p.now,
		},
		Conversations: conversation.Service{
			Store: p.actor.Conversations(n), Documents: n, Writer: p.writer(n), Evidence: p.actor.Evidence(n), Objects: n,
			Queue: p.actor.Queue(p.postbox()), Creator: creator, NewID: w.newID, Now: p.now, Timers: w.options.Timers, OnUnknown: policy,
			Log: w.log, Metrics: telemetry.NoMetrics{},
		},
		Windows: windows, AllowedOrigin: "*", SignIn: runtimeconfig.SignIn{Kind: runtimeconfig.SignInLocal}, Local: true,
		Static: func(string) (lambdahandler.StaticFile, bool) { return lambdahandler.StaticFile{}, false },
		NewID:  w.newID, Now: p.now, Log: w.log, Metrics: telemetry.NoMetrics{},
	}
}

// indexTasks makes the tasks of long texts.
func (p *process) indexTasks(n network) *document.IndexTasks {
	return &document.IndexTasks{
		Pipeline: indexpipeline.Name(), Timers: p.world.options.Timers, Tasks: p.actor.Tasks(n), Queue: p.actor.Queue(p.postbox()),
		Log: p.world.log, Metrics: telemetry.NoMetrics{},
	}
}

// kinds are the tasks that a process takes: replies, or those about documents.
func (p *process) kinds(n network) map[string]taskflow.Kind {
	if isIndexer(p.name) {
		return map[string]taskflow.Kind{
			indexing.Kind: p.actor.Kind(indexwork.Kind{Documents: n, Entries: p.actor.Entries(n), Objects: n, Pipeline: indexpipeline.Pipeline{}, Pause: p.pause}),
		}
	}
	return map[string]taskflow.Kind{
		reply.Kind: p.actor.Kind(replywork.Kind{
			Conversations: n, Documents: n, Objects: n, Provider: providerOf{p.world.scripted.client(p), p},
		}),
	}
}

// runner is the task flow of a worker or an indexer.
func (p *process) runner() history.Runner {
	w := p.world
	n := w.network(p)
	return p.actor.Runner(taskflow.Runner{
		Writer: p.writer(n), Kinds: p.kinds(n),
		Evidence: p.actor.Evidence(n), Objects: p.actor.Objects(n), Timers: w.options.Timers,
		NewID: w.newID, Jitter: func() float64 { return 0.5 }, Now: p.now, Monotonic: p.monotonic,
		Log: w.log.With("process", p.name), Metrics: telemetry.NoMetrics{},
	})
}

// visibility is the queue as a worker's handler sees it.
type visibility struct{ p *process }

// errFrozen is what nobody gets to see: the process stands still.
var errFrozen = errors.New("hide message: the process stands still")

// Hide implements workerhandler.Visibility. The handler holds a lock meanwhile,
// for which others of its goroutines may wait: a frozen process must not stand
// still in here, or virtual time would. It extends nothing instead.
func (v visibility) Hide(ctx context.Context, receipt string, d time.Duration) error {
	frozen, dead := v.p.state()
	switch {
	case dead:
		runtime.Goexit()
	case frozen:
		return errFrozen
	case ctx.Err() != nil:
		return fmt.Errorf("hide message: %w", context.Cause(ctx))
	}
	q := v.p.world.queue
	if do := v.p.world.caught(v.p, drills.Hide, q.scopeOf(receipt)); do != nil {
		return v.p.await(ctx, do, drills.Hide, func() result { return result{err: q.hide(receipt, d)} }).err
	}
	return q.hide(receipt, d)
}

// invoke runs a function in a process and waits until it has ended or died. A
// process that reaches the limit of its function is killed, as Lambda does.
func (p *process) invoke(limit time.Duration, function func(ctx context.Context)) (returned bool) {
	done := make(chan struct{})
	p.world.running.Go(func() {
		ctx, cancel := context.WithTimeoutCause(p.ctx, limit, fmt.Errorf("the function has reached its limit of %s", limit))
		defer cancel()
		function(ctx)
		if p.awake() {
			close(done)
		}
	})
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-done:
		return true
	case <-p.killed:
	case <-timer.C:
		p.world.Kill(p.name)
	}
	return false
}

// deliver hands a batch to a worker's process and deletes what it has finished.
func (w *World) deliver(name string, batch []delivery) {
	p := w.process(name)
	ends := w.now().Add(w.options.Timers.WorkerLimit)
	handler := workerhandler.Handler{
		Runner: named{p.runner()}, Visibility: visibility{p}, Timers: w.options.Timers, Now: p.now,
		Remaining: func(context.Context) time.Duration { return ends.Sub(w.now()) }, Log: w.log,
	}
	var event events.SQSEvent
	for _, d := range batch {
		event.Records = append(event.Records, events.SQSMessage{
			MessageId: d.id, ReceiptHandle: d.receipt, Body: d.body,
			Attributes: map[string]string{"ApproximateReceiveCount": strconv.Itoa(d.receives)},
		})
	}
	var response events.SQSEventResponse
	if !p.invoke(w.options.Timers.WorkerLimit, func(ctx context.Context) { response, _ = handler.Handle(w.naming(ctx, batch), event) }) {
		return
	}
	failed := map[string]bool{}
	for _, f := range response.BatchItemFailures {
		failed[f.ItemIdentifier] = true
	}
	for _, d := range batch {
		if !failed[d.id] {
			w.queue.remove(d)
		}
	}
}

// names are the messages of a batch, by the task that they name.
type names struct{}

func (w *World) naming(ctx context.Context, batch []delivery) context.Context {
	ids := map[worktask.Ref]string{}
	for _, d := range batch {
		ids[d.ref] = d.id
	}
	return context.WithValue(ctx, names{}, ids)
}

// named tells the recorder which message is delivered.
type named struct{ inner history.Runner }

// Run implements history.Runner.
func (n named) Run(ctx context.Context, d taskflow.Delivery) taskflow.Action {
	if ids, ok := ctx.Value(names{}).(map[worktask.Ref]string); ok {
		ctx = history.WithMessageID(ctx, ids[d.Ref])
	}
	return n.inner.Run(ctx, d)
}

// pageSize is how many index entries the dispatcher reads at once.
const pageSize = 100

// tick runs the dispatcher as its schedule does, while there is anything that it
// might find: a drill may let a year pass.
func (w *World) tick() {
	for {
		changed := w.queue.watch()
		if !w.idle() {
			changed = nil
		}
		select {
		case <-w.after(changed == nil):
			w.dispatch()
		case <-changed:
		case <-w.closing.Done():
			return
		}
	}
}

// after is one period of the dispatcher; never, if it is not wanted.
func (w *World) after(wanted bool) <-chan time.Time {
	if !wanted {
		return nil
	}
	return time.After(w.options.Timers.DispatchEvery)
}

// idle reports whether every task has ended.
func (w *World) idle() bool {
	open := map[history.Ref]bool{}
	for _, e := range w.recorder().History().Events {
		switch {
		case e.Kind == history.Created && e.Task != "":
			open[e.Task] = true
		case e.Kind == history.Stored && e.After.Ended():
			delete(open, e.Task)
		}
	}
	return len(open) == 0
}

func (w *World) dispatch() {
	p := w.place(dispatcherName)
	n := w.network(p)
	d := &taskflow.Dispatcher{
		Writer: p.writer(n), Handoffs: p.actor.Handoffs(n), Queue: p.actor.Queue(p.postbox()), Timers: w.options.Timers, Now: p.now,
		Jitter: func() float64 { return 0.5 }, Log: w.log, Metrics: telemetry.NoMetrics{}, PageSize: pageSize,
	}
	p.invoke(w.options.Timers.DispatchEvery, func(ctx context.Context) {
		p.actor.Sweep(func() taskflow.Sweep { return d.Dispatch(ctx) })
	})
}
