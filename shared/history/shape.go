package history

import (
	"fmt"
	"slices"
)

// shape says which fields a kind must have.
type shape struct {
	begins  []Kind // what Op may name; none: Op must be absent or is free
	opFree  bool   // Op may be absent although begins is not empty
	outcome bool
	task    bool
	has     func(Event) bool // the payload
}

var shapes = map[Kind]shape{
	WriteSent: {task: true, has: func(e Event) bool { return e.Write != nil }},
	WriteDone: {begins: []Kind{WriteSent}, outcome: true, task: true},
	Stored: {begins: []Kind{WriteSent}, opFree: true, task: true, has: func(e Event) bool {
		return e.Write != nil && e.After != nil
	}},
	ReadSent: {task: true},
	ReadDone: {begins: []Kind{ReadSent}, outcome: true, task: true, has: func(e Event) bool {
		return e.Item != nil || e.Outcome != Landed
	}},
	CreateSent: {has: hasCreation},
	CreateDone: {begins: []Kind{CreateSent}, outcome: true},
	Created:    {begins: []Kind{CreateSent}, opFree: true, has: hasCreation},
	RecordSent: {has: func(e Event) bool { return e.Request != nil }},
	RecordDone: {begins: []Kind{RecordSent}, outcome: true, has: func(e Event) bool {
		return e.Record != nil || e.Outcome != Landed
	}},

	EvidenceSent: {task: true, has: func(e Event) bool { return e.Evidence != nil }},
	EvidenceDone: {begins: []Kind{EvidenceSent}, outcome: true, task: true},
	ObjectSent:   {has: func(e Event) bool { return e.Object != nil }},
	ObjectDone:   {begins: []Kind{ObjectSent}, outcome: true},

	IndexSent: {has: hasIndex},
	IndexDone: {begins: []Kind{IndexSent}, outcome: true},
	Indexed:   {begins: []Kind{IndexSent}, opFree: true, has: hasIndex},

	IndexRead:  {outcome: true},
	SweepBegun: {},
	SweepDone:  {begins: []Kind{SweepBegun}, has: func(e Event) bool { return e.Sweep != nil }},

	PublishSent:  {task: true},
	PublishDone:  {begins: []Kind{PublishSent}, outcome: true, task: true},
	Delivered:    {has: hasMessage},
	Handled:      {begins: []Kind{Delivered}, has: hasMessage},
	Hidden:       {has: hasMessage},
	Deleted:      {has: hasMessage},
	DeadLettered: {has: hasMessage},
	Redriven:     {has: hasMessage},

	CallSent:      {task: true, has: hasCall},
	CallEnded:     {begins: []Kind{CallSent}, task: true, has: hasCall},
	LookupSent:    {task: true, has: hasCall},
	LookupEnded:   {begins: []Kind{LookupSent}, task: true, has: hasCall},
	CallReceived:  {has: hasCall},
	CallStarted:   {begins: []Kind{CallReceived}, has: hasCall},
	CallAnswered:  {begins: []Kind{CallReceived}, has: hasCall},
	CallDelivered: {begins: []Kind{CallReceived}, has: hasCall},

	ProcessStarted: {}, ProcessKilled: {}, ProcessFrozen: {}, ProcessThawed: {},
	ClockStepped: {has: func(e Event) bool { return e.Clock != nil }},

	RequestSent:     {has: func(e Event) bool { return e.Request != nil }},
	RequestAnswered: {begins: []Kind{RequestSent}, has: func(e Event) bool { return e.Answer != nil }},
	Drained:         {},
}

func hasCreation(e Event) bool { return e.Creation != nil }
func hasIndex(e Event) bool    { return e.Index != nil }
func hasMessage(e Event) bool  { return e.Message != nil }
func hasCall(e Event) bool     { return e.Call != nil }

// check reports what keeps an event from following earlier.
func (e Event) check(earlier []Event) error {
	s, known := shapes[e.Kind]
	switch {
	case !known:
		return fmt.Errorf("kind %q is unknown", e.Kind)
	case s.outcome && !slices.Contains(Outcomes(), e.Outcome):
		return fmt.Errorf("%s: outcome %q is unknown", e.Kind, e.Outcome)
	case s.task && e.Task == "":
		return fmt.Errorf("%s: task is missing", e.Kind)
	case s.has != nil && !s.has(e):
		return fmt.Errorf("%s: its content is missing", e.Kind)
	}
	return e.checkOp(s, earlier)
}

func (e Event) checkOp(s shape, earlier []Event) error {
	switch {
	case len(s.begins) == 0:
		return nil
	case e.Op == 0 && s.opFree:
		return nil
	case e.Op < 1 || e.Op > int64(len(earlier)):
		return fmt.Errorf("%s: op %d is no earlier event", e.Kind, e.Op)
	case !slices.Contains(s.begins, earlier[e.Op-1].Kind):
		return fmt.Errorf("%s: op %d is a %s", e.Kind, e.Op, earlier[e.Op-1].Kind)
	}
	return nil
}

// Check reports the first event that is not well formed. What Read returns has
// passed it.
func (h History) Check() error {
	if h.Header.Schema != Schema {
		return fmt.Errorf("%w: schema %d", ErrFormat, h.Header.Schema)
	}
	for i, e := range h.Events {
		if e.Seq != int64(i)+1 {
			return fmt.Errorf("%w: event %d has seq %d", ErrFormat, i+1, e.Seq)
		}
		if err := e.check(h.Events[:i]); err != nil {
			return fmt.Errorf("%w: event %d: %w", ErrFormat, e.Seq, err)
		}
	}
	return nil
}
