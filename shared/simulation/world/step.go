package world

import "fmt"

// Step is one thing that is done to the world. The numbers choose among what is
// there when the step is made, counted round, so that any step fits any state
// and a schedule stays meaningful when steps are taken out of it.
type Step struct {
	Op Op  `json:"op"`
	A  int `json:"a,omitzero"`
	B  int `json:"b,omitzero"`
	C  int `json:"c,omitzero"`
	// Call names the call that is to be served, in place of A, the one at which
	// Flow stops, or the instant to which Advance goes; Fault names the fault of
	// the call, in place of B.
	Call  string `json:"call,omitzero"`
	Fault Fault  `json:"fault,omitzero"`
	// Host is the beginning of the name of the only host that is meant.
	Host string `json:"host,omitzero"`
}

func (s Step) String() string {
	text := fmt.Sprintf("%s %d %d %d", s.Op, s.A, s.B, s.C)
	if s.Call != "" || s.Fault != None {
		text = fmt.Sprintf("%s %s %s", s.Op, s.Call, s.Fault)
	}
	if s.Host != "" {
		text += " on " + s.Host
	}
	return text
}

// Op is what a step does.
type Op string

// The operations. Behind each is what its numbers choose.
const (
	Serve      Op = "serve"       // A: the call, B: its fault, C: a parameter of the fault
	Tidy       Op = "tidy"        // serve what the protocol does not speak of: pauses, preparations, evidence, ends of invocations
	Flow       Op = "flow"        // serve all calls without faults, up to Call if it is named; A odd: the provider answers too
	Work       Op = "work"        // C: so many calls of a world in which everything goes well
	Advance    Op = "advance"     // A: until when, B odd: nobody is served meanwhile
	Send       Op = "send"        // A: the press, a new one or an old; B: same inputs, others, or by another user
	Regenerate Op = "regenerate"  // A: the press whose message is answered once more
	CancelTask Op = "cancel"      // A: the task, B: by its user or another
	Read       Op = "read"        // A: the task, B: by its user or another
	Deliver    Op = "deliver"     // A: the message, visible ones first; B: the worker
	Dispatch   Op = "dispatch"    // A: the dispatcher
	Crash      Op = "crash"       // A: the process, workers first; B odd: what it has sent is under way
	Freeze     Op = "freeze"      // A: the process, workers first; B odd: its machine is suspended
	Thaw       Op = "thaw"        // A: the process, of those that are frozen
	StepClock  Op = "step_clock"  // A: the host, B: how far it is off
	Land       Op = "land"        // A: the late write that lands
	Duplicate  Op = "duplicate"   // A: the message
	DeadLetter Op = "dead_letter" // A: the message
	Redrive    Op = "redrive"     // A: the message
	Garbage    Op = "garbage"     // a message that names no task
)

// Ops lists every operation.
func Ops() []Op {
	return []Op{
		Serve, Tidy, Flow, Work, Advance, Send, Regenerate, CancelTask, Read, Deliver, Dispatch, Crash, Freeze, Thaw, StepClock,
		Land, Duplicate, DeadLetter, Redrive, Garbage,
	}
}

// do makes one step; false: there was nothing that it could be done to.
func (w *World) do(s Step) bool {
	switch s.Op {
	case Serve:
		return w.stepServe(s)
	case Flow:
		w.flowTo(s.A%2 == 1, s.Call)
		return true
	case Tidy:
		w.tidy()
		return true
	case Work:
		w.work(s.C)
		return true
	case Advance:
		w.advance(w.instant(s), s.B%2 == 0)
		return true
	case Send:
		return w.stepSend(s)
	case Regenerate:
		return w.stepRegenerate(s)
	case CancelTask, Read:
		return w.stepAsk(s)
	case Deliver:
		return w.stepDeliver(s)
	case Dispatch:
		return w.stepDispatch(s)
	case Crash, Freeze, Thaw:
		return w.stepProcess(s)
	case StepClock:
		return w.stepClock(s)
	case Land:
		return w.stepLand(s)
	case Duplicate, DeadLetter, Redrive, Garbage:
		return w.stepMessage(s)
	}
	return false
}

// pick chooses the i-th of a list, counted round.
func pick[T any](list []T, i int) (T, bool) {
	if len(list) == 0 {
		var none T
		return none, false
	}
	return list[i%len(list)], true
}
