package check

import (
	"cmp"
	"math"
	"slices"

	"github.com/replyonce/replyonce/shared/history"
)

// never is the end of an operation whose end is not in the record.
const never = math.MaxInt64

// operation is the two events of one operation.
type operation struct {
	sent *history.Event
	done *history.Event // nil: its sender died, or the record ended
}

// outcome is what the sender knows; an end that nobody saw is a lost one.
func (o operation) outcome() history.Outcome {
	if o.done == nil {
		return history.Lost
	}
	return o.done.Outcome
}

// end is the place of the operation's end.
func (o operation) end() int64 {
	if o.done == nil {
		return never
	}
	return o.done.Seq
}

// creation is a creating transaction that has landed.
type creation struct {
	seq  int64 // of the event that shows it
	task history.Ref
	what history.Creation
}

// exchange is a request of a caller and its answer.
type exchange struct {
	sent     *history.Event
	answered *history.Event // nil: none in the record
}

// record is a history, sorted for the predicates.
type record struct {
	history history.History
	options Options

	tasks []*task // in the order of their first event
	byRef map[history.Ref]*task
	// named are the promises that a task has broken so far.
	named map[history.Ref][]Promise

	creations   []creation
	creating    map[string][]operation    // create_sent, create_done, by actor
	owners      map[history.Ref]ownership // by what creating transactions said, landed or not
	recordReads []operation
	exchanges   []exchange
	sweeps      []operation
	objects     []operation
	messages    []*history.Event // deleted messages that name no task
	killed      map[string][]int64
	drained     int64 // Seq of the driver's statement; 0: none
}

type ownership struct{ workspace, caller string }

// task is what the record says of one task.
type task struct {
	ref history.Ref
	// exact: the record has the store's side, so all landings are known in order.
	exact    bool
	accepted *creation // the landed transaction that made it
	steps    []step
	sights   []sight

	creating []operation
	writes   []operation
	reads    []operation
	evidence []operation
	sent     []*history.Event // requests as workers send them
	received []*history.Event // requests as the provider receives them
	handled  []*history.Event
	deleted  []*history.Event
	answers  []exchange // about the task
}

func newRecord(h history.History, o Options) *record {
	r := &record{
		history: h, options: o, byRef: map[history.Ref]*task{}, named: map[history.Ref][]Promise{},
		creating: map[string][]operation{}, owners: map[history.Ref]ownership{}, killed: map[string][]int64{},
	}
	exact := false
	ends := map[int64]*history.Event{} // by the Seq of the beginning
	for i := range h.Events {
		e := &h.Events[i]
		switch e.Kind { //nolint:exhaustive // only these end an operation
		case history.WriteDone, history.ReadDone, history.CreateDone, history.RecordDone, history.EvidenceDone,
			history.ObjectDone, history.SweepDone, history.RequestAnswered:
			ends[e.Op] = e
		case history.Stored, history.Created:
			exact = true
		}
	}
	for i := range h.Events {
		e := &h.Events[i]
		r.sort(e, ends[e.Seq])
	}
	r.landCreations()
	for _, t := range r.tasks {
		t.build(exact)
	}
	return r
}

// sort puts an event where the predicates look for it.
func (r *record) sort(e, end *history.Event) {
	switch e.Kind { //nolint:exhaustive // the others are of no promise
	case history.WriteSent:
		t := r.task(e.Task)
		t.writes = append(t.writes, operation{e, end})
	case history.ReadSent:
		t := r.task(e.Task)
		t.reads = append(t.reads, operation{e, end})
	case history.Stored:
		t := r.task(e.Task)
		t.steps = append(t.steps, storedStep(r.history, e))
	case history.CreateSent:
		r.creating[e.Actor] = append(r.creating[e.Actor], operation{e, end})
		if e.Task != "" {
			t := r.task(e.Task)
			t.creating = append(t.creating, operation{e, end})
		}
		r.owned(e)
	case history.Created:
		r.creations = append(r.creations, creation{e.Seq, e.Task, *e.Creation})
		r.owned(e)
	case history.RecordSent:
		r.recordReads = append(r.recordReads, operation{e, end})
	case history.EvidenceSent:
		t := r.task(e.Task)
		t.evidence = append(t.evidence, operation{e, end})
	case history.ObjectSent:
		r.objects = append(r.objects, operation{e, end})
	case history.SweepBegun:
		r.sweeps = append(r.sweeps, operation{e, end})
	case history.RequestSent:
		r.exchange(e, end)
	case history.ProcessKilled:
		r.killed[e.Actor] = append(r.killed[e.Actor], e.Seq)
	case history.Drained:
		r.drained = e.Seq
	default:
		r.sortOnTask(e)
	}
}

// sortOnTask is sort for single events of a task.
func (r *record) sortOnTask(e *history.Event) {
	if e.Task == "" {
		if e.Kind == history.Deleted {
			r.messages = append(r.messages, e)
		}
		return
	}
	t := r.task(e.Task)
	switch e.Kind { //nolint:exhaustive // the others are of no promise
	case history.CallSent:
		t.sent = append(t.sent, e)
	case history.CallReceived:
		t.received = append(t.received, e)
	case history.Handled:
		t.handled = append(t.handled, e)
	case history.Deleted:
		t.deleted = append(t.deleted, e)
	}
}

func (r *record) task(ref history.Ref) *task {
	t, known := r.byRef[ref]
	if !known {
		t = &task{ref: ref}
		r.byRef[ref] = t
		r.tasks = append(r.tasks, t)
	}
	return t
}

func (r *record) owned(e *history.Event) {
	if e.Task != "" {
		r.owners[e.Task] = ownership{e.Creation.Record.Workspace, e.Creation.Record.Caller}
	}
}

func (r *record) exchange(sent, answered *history.Event) {
	x := exchange{sent, answered}
	r.exchanges = append(r.exchanges, x)
	if answered != nil && answered.Task != "" {
		t := r.task(answered.Task)
		t.answers = append(t.answers, x)
	}
}

// landCreations adds the creating transactions that only their sender's side
// shows, and connects them with their tasks.
func (r *record) landCreations() {
	shown := map[int64]bool{}
	for i := range r.history.Events {
		if e := &r.history.Events[i]; e.Kind == history.Created {
			shown[e.Op] = true
		}
	}
	for _, list := range r.creating {
		for _, op := range list {
			if op.outcome() == history.Landed && !shown[op.sent.Seq] {
				r.creations = append(r.creations, creation{op.done.Seq, op.sent.Task, *op.sent.Creation})
			}
		}
	}
	slices.SortFunc(r.creations, func(a, b creation) int { return cmp.Compare(a.seq, b.seq) })
	for i := range r.creations {
		c := &r.creations[i]
		if c.task == "" || c.what.Item == nil {
			continue
		}
		if t := r.task(c.task); t.accepted == nil {
			t.accepted = c
		}
	}
}

// event is the event of that order number.
func (r *record) event(seq int64) *history.Event { return &r.history.Events[seq-1] }

// killedBetween reports whether the actor was killed between the two places.
func (r *record) killedBetween(actor string, from, to int64) bool {
	for _, seq := range r.killed[actor] {
		if from < seq && seq < to {
			return true
		}
	}
	return false
}
