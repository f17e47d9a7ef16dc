package world

import (
	"context"

	"github.com/replyonce/replyonce/shared/conversation"
	"github.com/replyonce/replyonce/shared/history"
	"github.com/replyonce/replyonce/shared/idempotency"
	"github.com/replyonce/replyonce/shared/keyed"
	"github.com/replyonce/replyonce/shared/taskflow"
	"github.com/replyonce/replyonce/shared/worktask"
)

// Wiring is where a deliberately broken part takes the place of the right one.
// The zero value is the product as it is.
type Wiring struct {
	// Transition is what the store makes of a write.
	Transition func(worktask.Transition) worktask.Transition
	// Memory stands between the recorder and the store: the store's own faults.
	Memory func(Backing) Backing
	// Conclude stands in each process, between what the store told and what the
	// process makes of it.
	Conclude func(taskflow.Tasks) taskflow.Tasks
	// Runner stands between the handler and the runner of a worker.
	Runner func(RunnerParts) history.Runner
	// Kind stands between the runner and the work.
	Kind func(taskflow.Kind) taskflow.Kind
	// Submit takes the place of the use case.
	Submit func(SubmitParts) (conversation.Accepted, error)
	// Identity is who the API takes a caller for.
	Identity func(Caller) Caller
	// Jitter spreads delays; nil: each role has a constant of its own.
	Jitter func(Role) float64
	// Timers take the place of those of a deployment; nil: Timers().
	Timers *worktask.Timers
	// DeleteFirst says that a message is deleted as soon as it is received.
	DeleteFirst bool
}

// RunnerParts is what a broken runner may use.
type RunnerParts struct {
	Runner taskflow.Runner
}

// SubmitParts is what a broken submit may use.
type SubmitParts struct {
	Context context.Context // the arguments of a call, put together
	Service conversation.Service
	Records keyed.Records
	Caller  Caller
	Key     idempotency.Key
	Input   conversation.SubmitInput
}

// stored is the store as the network reaches it: broken where the wiring says
// so, and recorded.
func (w *World) stored() Backing {
	var memory Backing = w.memory
	if w.wiring.Memory != nil {
		memory = w.wiring.Memory(memory)
	}
	return recorded{memory, w.recorder.StoreTasks(memory), w.recorder.StoreConversations(memory), w.wiring.Transition}
}

// recorded is a store with its recorder. Each write is made as the wiring wants.
type recorded struct {
	Backing
	tasks         taskflow.Tasks
	conversations conversation.Store
	transition    func(worktask.Transition) worktask.Transition
}

func (r recorded) Apply(ctx context.Context, ref worktask.Ref, tr worktask.Transition) (worktask.Task, error) {
	if r.transition != nil {
		tr = r.transition(tr)
	}
	return r.tasks.Apply(ctx, ref, tr)
}

func (r recorded) AcceptMessage(ctx context.Context, record idempotency.Record, m conversation.Message, t worktask.Task) error {
	return r.conversations.AcceptMessage(ctx, record, m, t)
}

func (r recorded) AcceptTask(ctx context.Context, record idempotency.Record, t worktask.Task) error {
	return r.conversations.AcceptTask(ctx, record, t)
}

// tools are the store and the queue as a process has them.
type tools struct {
	store   Backing
	tasks   taskflow.Tasks
	threads conversation.Store
	records keyed.Records
	queue   taskflow.Queue
}

func (w *World) tools(p *process) tools {
	network := client{w.backing, p}
	tasks := p.actor.Tasks(network)
	if w.wiring.Conclude != nil {
		tasks = w.wiring.Conclude(tasks)
	}
	return tools{
		store: network, tasks: tasks, threads: p.actor.Conversations(network),
		records: p.actor.Records(network), queue: p.actor.Queue(network),
	}
}
