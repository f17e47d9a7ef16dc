package world

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/aws/aws-lambda-go/events"

	"github.com/replyonce/replyonce/shared/history"
	"github.com/replyonce/replyonce/shared/reply"
	"github.com/replyonce/replyonce/shared/taskflow"
	"github.com/replyonce/replyonce/shared/telemetry"
	"github.com/replyonce/replyonce/shared/workerhandler"
)

// returns waits at the last gate of an invocation. done is what its answer does
// outside; it does not happen when the process dies here.
func (p *process) returns(ctx context.Context, name string, done func()) {
	_, _ = p.do(context.WithoutCancel(ctx), &call{class: classReturn, name: name, exec: func(context.Context) (any, error) {
		done()
		p.world.gone(p)
		return nil, nil //nolint:nilnil // the runtime tells the function nothing
	}})
}

func (p *process) writer(t tools) taskflow.Writer {
	return taskflow.Writer{Tasks: t.tasks, Now: p.now, Pause: p.pause}
}

// deliver hands a message to a free worker, as Lambda does: a batch of one.
func (w *World) deliver(m *message, h *host) {
	if !w.receive(m) {
		return
	}
	p := w.boot(h, w.Timers.WorkerLimit)
	p.invocation.ref = m.ref
	t := w.tools(p)
	handler := workerhandler.Handler{
		Runner: p.actor.Runner(w.runner(p, t)), Visibility: visibility{p}, Timers: w.Timers, Now: p.now,
		Remaining: func(context.Context) time.Duration { return p.ends.Sub(w.Now()) }, Log: w.log,
	}
	batch := events.SQSEvent{Records: []events.SQSMessage{{
		MessageId: m.id, ReceiptHandle: m.receipt, Body: m.body,
		Attributes: map[string]string{"ApproximateReceiveCount": strconv.Itoa(m.receives)},
	}}}
	if w.wiring.DeleteFirst {
		w.remove(m)
	}
	ctx := history.WithMessageID(context.Background(), m.id)
	p.invoke(ctx, w.Timers.WorkerLimit, func(ctx context.Context) {
		response, err := handler.Handle(ctx, batch)
		p.barrier("handled")
		p.returns(ctx, "return", func() {
			if err == nil && len(response.BatchItemFailures) == 0 {
				w.remove(m)
			}
		})
	})
}

// invoke runs a function in the process until nothing of it moves.
func (p *process) invoke(ctx context.Context, limit time.Duration, function func(ctx context.Context)) {
	go func() {
		ctx, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("the function has reached its limit of %s", limit))
		defer cancel()
		function(ctx)
	}()
	p.world.settle()
}

func (w *World) runner(p *process, t tools) history.Runner {
	var work taskflow.Kind = kind{p}
	if w.wiring.Kind != nil {
		work = w.wiring.Kind(work)
	}
	runner := taskflow.Runner{
		Writer: p.writer(t), Kinds: map[string]taskflow.Kind{reply.Kind: p.actor.Kind(work)},
		Evidence: p.actor.Evidence(t.store), Objects: p.actor.Objects(t.store), Timers: w.Timers, Money: w.MoneyLimit > 0,
		NewID: w.newID, Jitter: p.jitter(0.5), Now: p.now, Monotonic: p.monotonic,
		Log: w.log, Metrics: telemetry.NoMetrics{},
	}
	if w.wiring.Runner != nil {
		return w.wiring.Runner(RunnerParts{Runner: runner})
	}
	return runner
}

// jitter is the same for every delay of a process.
func (p *process) jitter(constant float64) func() float64 {
	if jitter := p.world.wiring.Jitter; jitter != nil {
		return func() float64 { return jitter(p.host.role) }
	}
	return func() float64 { return constant }
}

// pageSize makes the dispatcher read more than one page.
const pageSize = 2

// dispatch starts a sweep of a dispatcher.
func (w *World) dispatch(h *host) {
	p := w.boot(h, w.Timers.APILimit)
	t := w.tools(p)
	d := &taskflow.Dispatcher{
		Writer: p.writer(t), Handoffs: p.actor.Handoffs(t.store), Queue: t.queue, Timers: w.Timers, Now: p.now,
		Jitter: p.jitter(0.25 * float64(h.name[len(h.name)-1]-'0')), Log: w.log, Metrics: telemetry.NoMetrics{}, PageSize: pageSize,
	}
	p.invoke(context.Background(), w.Timers.APILimit, func(ctx context.Context) {
		p.actor.Sweep(func() taskflow.Sweep { return d.Dispatch(ctx) })
		p.returns(ctx, "return", func() {})
	})
}
