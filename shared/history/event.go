package history

import "time"

// Event is one thing that happened. Fields without a meaning for the kind are
// zero; Kind says which belong to it.
type Event struct {
	// Seq is the order number, from 1 without gaps.
	Seq int64 `json:"seq"`
	// At is the time of the run's own clock, virtual or real; never that of a
	// process whose clock is off.
	At time.Time `json:"at"`
	// Actor is who did it: the name of a process ("worker-2"), of a person
	// ("alice"), "provider", "queue", or "driver" for whoever drives the run.
	Actor string `json:"actor"`
	Kind  Kind   `json:"kind"`
	// Op is, on an event that ends an operation, the Seq of the event that
	// began it; on stored and created, that of the sender's event, 0 where it
	// is not known.
	Op   int64 `json:"op,omitzero"`
	Task Ref   `json:"task,omitzero"`

	Outcome Outcome `json:"outcome,omitzero"`
	Detail  string  `json:"detail,omitzero"` // for people: an error, a remark

	Write    *Write    `json:"write,omitzero"`
	Item     *Item     `json:"item,omitzero"`   // as the sender was told
	Before   *Item     `json:"before,omitzero"` // as the store had it
	After    *Item     `json:"after,omitzero"`  // as the store has it now
	Creation *Creation `json:"creation,omitzero"`
	Record   *Record   `json:"record,omitzero"`
	Index    *Index    `json:"index,omitzero"`
	Evidence *Evidence `json:"evidence,omitzero"`
	Object   *Object   `json:"object,omitzero"`
	Message  *Message  `json:"message,omitzero"`
	Call     *Call     `json:"call,omitzero"`
	Clock    *Clock    `json:"clock,omitzero"`
	Request  *Request  `json:"request,omitzero"`
	Answer   *Answer   `json:"answer,omitzero"`
	Sweep    *Sweep    `json:"sweep,omitzero"`
	Due      []Due     `json:"due,omitempty"`
}

// Kind is what happened.
type Kind string

// The kinds of events. Behind each are the fields that it has, besides those
// that every event has.
const (
	WriteSent Kind = "write_sent" // Task, Write
	WriteDone Kind = "write_done" // Op, Task, Outcome, Item: after it when landed, seen when refused and told
	Stored    Kind = "stored"     // Task, Write, Before, After: a write of a task has landed
	ReadSent  Kind = "read_sent"  // Task
	ReadDone  Kind = "read_done"  // Op, Task, Outcome, Item

	CreateSent Kind = "create_sent" // Task (if one is created), Creation
	CreateDone Kind = "create_done" // Op, Task, Outcome
	Created    Kind = "created"     // Task, Creation: a creating transaction has landed
	RecordSent Kind = "record_sent" // Request: whose record is read, by scope and key
	RecordDone Kind = "record_done" // Op, Outcome, Record

	EvidenceSent Kind = "evidence_sent" // Task, Evidence
	EvidenceDone Kind = "evidence_done" // Op, Task, Outcome
	ObjectSent   Kind = "object_sent"   // Object
	ObjectDone   Kind = "object_done"   // Op, Outcome

	IndexSent Kind = "index_sent" // Index
	IndexDone Kind = "index_done" // Op, Outcome
	Indexed   Kind = "indexed"    // Index: a write of a version or of its entries has landed

	IndexRead  Kind = "index_read" // Outcome, Due: a page of the index of due handoffs
	SweepBegun Kind = "sweep_begun"
	SweepDone  Kind = "sweep_done" // Op, Sweep

	PublishSent  Kind = "publish_sent"  // Task
	PublishDone  Kind = "publish_done"  // Op, Task, Outcome
	Delivered    Kind = "delivered"     // Task, Message
	Handled      Kind = "handled"       // Op, Task, Message: what the worker wants done with it
	Hidden       Kind = "hidden"        // Task, Message: its visibility was changed
	Deleted      Kind = "deleted"       // Task, Message
	DeadLettered Kind = "dead_lettered" // Task, Message
	Redriven     Kind = "redriven"      // Task, Message

	CallSent      Kind = "call_sent"      // Task, Call: a worker begins a request
	CallEnded     Kind = "call_ended"     // Op, Task, Call: and knows this of its end
	LookupSent    Kind = "lookup_sent"    // Task, Call: a worker looks a saved operation up
	LookupEnded   Kind = "lookup_ended"   // Op, Task, Call
	CallReceived  Kind = "call_received"  // Task, Call: a request has reached the provider
	CallStarted   Kind = "call_started"   // Op, Task, Call: a generation began
	CallAnswered  Kind = "call_answered"  // Op, Task, Call: the provider has decided on its answer
	CallDelivered Kind = "call_delivered" // Op, Task, Call: and has handed it over

	ProcessStarted Kind = "process_started"
	ProcessKilled  Kind = "process_killed"
	ProcessFrozen  Kind = "process_frozen"
	ProcessThawed  Kind = "process_thawed"
	ClockStepped   Kind = "clock_stepped" // Clock

	RequestSent     Kind = "request_sent"     // Task (if known before), Request
	RequestAnswered Kind = "request_answered" // Op, Task (if the answer names one), Answer

	// Drained is the driver's statement that everything is up, that no fault is
	// injected any more and that every accepted task has had its time: from
	// here on each of them must have ended.
	Drained Kind = "drained"
)

// Outcome is what the sender of an operation knows of its end.
type Outcome string

// The outcomes.
const (
	Landed      Outcome = "landed"      // written, or read
	RefusedBy   Outcome = "refused"     // a condition did not hold, nothing was written
	Lost        Outcome = "lost"        // the acknowledgement: written or not, now or later
	Unavailable Outcome = "unavailable" // nothing was written
	Missing     Outcome = "not_found"   // no such item
	Failed      Outcome = "failed"      // another error; nothing was written
)

// Outcomes lists every Outcome.
func Outcomes() []Outcome {
	return []Outcome{Landed, RefusedBy, Lost, Unavailable, Missing, Failed}
}
