package world

import (
	"fmt"

	"github.com/replyonce/replyonce/shared/storeerror"
)

// Fault is what happens to a call at its gate.
type Fault string

// The faults. Which of them a call can meet depends on its class.
const (
	// None: the call is made and answered.
	None Fault = ""
	// Refused: it never arrives and its caller is told so.
	Refused Fault = "refused"
	// LostBefore: it never arrives and its caller is told nothing.
	LostBefore Fault = "lost_before"
	// LostAfter: it lands and the acknowledgement is lost.
	LostAfter Fault = "lost_after"
	// Late: its caller is told nothing, and it lands when a later step says so.
	Late Fault = "late"
	// SecondTry: a client library sends it twice; both land, and the second
	// answer is the one that comes back.
	SecondTry Fault = "second_try"
	// LateFirst: a client library sends it twice; the second try is answered,
	// the first one lands when a later step says so.
	LateFirst Fault = "late_first"
	// Conflict: another transaction holds the items; nothing is known.
	Conflict Fault = "conflict"
	// ConflictLanded: the same is said of a transaction that has landed.
	ConflictLanded Fault = "conflict_landed"
	// Twice: the queue keeps the message twice.
	Twice Fault = "twice"
	// Overloaded: the provider answers 429 or 503 and has executed nothing.
	Overloaded Fault = "overloaded"
	// Permanent: what is prepared or called for can never succeed.
	Permanent Fault = "permanent"
	// Cut: the provider fails or the connection ends, and nobody knows what was
	// executed.
	Cut Fault = "cut"
	// Empty: the provider's answer has no text.
	Empty Fault = "empty"
	// Large: the answer does not fit onto an item.
	Large Fault = "large"
	// Operation: the provider tells the id under which it keeps the operation,
	// and the answer comes later.
	Operation Fault = "operation"
	// Runs: a looked up operation has no end yet.
	Runs Fault = "runs"
	// Forgotten: the provider does not know a looked up operation.
	Forgotten Fault = "forgotten"
	// NotExecuted: a looked up operation ended without having been executed.
	NotExecuted Fault = "not_executed"
	// Unreadable: a looked up operation has ended and its result cannot be had.
	Unreadable Fault = "unreadable"
	// DieBefore and DieAfter: the process dies before the call leaves it, or
	// before the answer reaches it.
	DieBefore Fault = "die_before"
	DieAfter  Fault = "die_after"
)

// faults are the fates of a call, by class; the first is the good one.
var faults = map[class][]Fault{
	classWrite:   {None, LostAfter, LostBefore, Refused, Late, SecondTry, LateFirst, DieBefore, DieAfter},
	classAccept:  {None, LostAfter, LostBefore, Refused, Late, SecondTry, LateFirst, Conflict, ConflictLanded, DieBefore, DieAfter},
	classPut:     {None, LostAfter, LostBefore, Refused, Late, SecondTry, LateFirst, DieBefore, DieAfter},
	classRead:    {None, Refused, DieBefore},
	classPublish: {None, Refused, LostAfter, LostBefore, Late, Twice, DieBefore, DieAfter},
	classReturn:  {None, DieBefore},
	classPause:   {None, DieBefore},
	classPrepare: {None, Refused, Permanent, DieBefore},
	classSend:    {None, Refused, Overloaded, DieBefore, DieAfter},
	classAwait:   {None, Cut, Empty, Permanent, Large, Operation, Overloaded, DieBefore},
}

// lookUpFaults are the fates of the answer to a look-up.
var lookUpFaults = []Fault{None, Runs, Forgotten, NotExecuted, Unreadable, Empty, Permanent, DieBefore}

// faults lists what can happen to the call.
func (c *call) faults() []Fault {
	if a, ok := c.about.(*await); ok && a.lookUp {
		return lookUpFaults
	}
	return faults[c.class]
}

// serve lets one call through, or makes it go wrong.
func (w *World) serve(c *call, f Fault, parameter int) {
	w.take(c)
	w.watch.meet(c, f)
	switch c.class {
	case classPrepare:
		w.answerPrepare(c, f)
		return
	case classSend:
		w.answerSend(c, f, parameter)
		return
	case classAwait:
		w.answerAwait(c, f, parameter)
		return
	case classWrite, classAccept, classPut, classRead, classPublish, classReturn, classPause:
	}
	switch f { //nolint:exhaustive // the others are the provider's
	case None:
		w.reply(c, w.run(c))
	case Refused:
		w.reply(c, answer{err: fmt.Errorf("%w: refused by the network", storeerror.ErrUnavailable)})
	case LostBefore:
		w.reply(c, unknown)
	case LostAfter:
		w.run(c)
		w.reply(c, unknown)
	case Late:
		w.later(c)
		w.reply(c, unknown)
	case SecondTry, Twice:
		w.run(c)
		w.reply(c, w.run(c))
	case LateFirst:
		a := w.run(c)
		w.later(c)
		w.reply(c, a)
	case Conflict:
		w.reply(c, answer{err: storeerror.ErrConflict})
	case ConflictLanded:
		w.run(c)
		w.reply(c, answer{err: storeerror.ErrConflict})
	case DieBefore:
		w.kill(c.process, false)
	case DieAfter:
		w.run(c)
		w.kill(c.process, false)
	default:
		w.reply(c, w.run(c))
	}
}

// unknown is the answer of nobody.
var unknown = answer{err: fmt.Errorf("%w: the connection ended", storeerror.ErrWriteUnknown)}
