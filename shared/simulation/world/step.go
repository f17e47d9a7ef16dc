package world

import (
	"cmp"
	"fmt"
	"testing/synctest"
	"time"

	"github.com/replyonce/replyonce/shared/conversation"
	"github.com/replyonce/replyonce/shared/idempotency"
	"github.com/replyonce/replyonce/shared/worktask"
)

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
}

func (s Step) String() string {
	text := fmt.Sprintf("%s %d %d %d", s.Op, s.A, s.B, s.C)
	if s.Call != "" || s.Fault != None {
		text = fmt.Sprintf("%s %s %s", s.Op, s.Call, s.Fault)
	}
	return text
}

// Op is what a step does.
type Op string

// The operations. Behind each is what its numbers choose.
const (
	Serve      Op = "serve"       // A: the call, B: its fault, C: a parameter of the fault
	Flow       Op = "flow"        // serve all calls without faults, up to Call if it is named; A odd: the provider answers too
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
		Serve, Flow, Advance, Send, Regenerate, CancelTask, Read, Deliver, Dispatch, Crash, Freeze, Thaw, StepClock,
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

func (w *World) stepServe(s Step) bool {
	c, found := w.choose(s)
	if !found {
		return false
	}
	fault := s.Fault
	if fault == None {
		fault, _ = pick(c.faults(), s.B)
	}
	w.serve(c, fault, s.C)
	return true
}

// choose finds the call by its name, or by its number.
func (w *World) choose(s Step) (*call, bool) {
	if s.Call == "" {
		return pick(w.atGates(), s.A)
	}
	for _, c := range w.atGates() {
		if c.name == s.Call {
			return c, true
		}
	}
	return nil, false
}

// flow serves all calls of processes that are not frozen, in order.
func (w *World) flow(provider bool) { w.flowTo(provider, "") }

// flowTo is flow until a call of that name waits.
func (w *World) flowTo(provider bool, name string) {
	for {
		c, found := w.nextHealthy(provider)
		if !found || w.waits(name) {
			return
		}
		w.serve(c, None, 0)
	}
}

func (w *World) waits(name string) bool {
	if name == "" {
		return false
	}
	_, waits := w.choose(Step{Call: name})
	return waits
}

func (w *World) nextHealthy(provider bool) (*call, bool) {
	for _, c := range w.atGates() {
		if !c.process.isFrozen() && (provider || c.class != classAwait) {
			return c, true
		}
	}
	return nil, false
}

// settle waits until nothing moves.
func (w *World) settle() { synctest.Wait() }

func (w *World) stepSend(s Step) bool {
	i := s.A % maxPresses
	if i >= len(w.presses) {
		i = len(w.presses)
		user := s.B % len(users)
		w.presses = append(w.presses, &press{
			user: user, key: idempotency.Key(fmt.Sprintf("press-%d", i+1)), text: question, version: 1,
		})
		w.send(w.presses[i])
		return true
	}
	p := w.presses[i]
	switch s.B % 4 {
	case 2: // a reused key
		other := *p
		other.text += " And who?"
		w.send(&other)
	case 3: // a key that somebody else uses too
		other := press{user: (p.user + 1) % len(users), key: p.key, text: question, version: 1}
		w.send(&other)
	default:
		w.send(p)
	}
	return true
}

func (w *World) stepRegenerate(s Step) bool {
	p, found := pick(w.presses, s.A)
	if !found || p.answered == "" {
		return false
	}
	if len(w.presses) >= maxPresses {
		return false
	}
	again := &press{user: p.user, key: idempotency.Key(fmt.Sprintf("press-%d", len(w.presses)+1)), message: p.answered}
	w.presses = append(w.presses, again)
	w.send(again)
	return true
}

func (w *World) stepAsk(s Step) bool {
	refs := w.tasks()
	ref := nobody()
	if i := s.A % (len(refs) + 1); i < len(refs) {
		ref = refs[i]
	}
	by := w.userOf(ref)
	if s.B%8 == 7 {
		by = (by + 1) % len(users)
	}
	if s.Op == CancelTask {
		w.cancel(by, ref)
	} else {
		w.read(by, ref)
	}
	return true
}

func (w *World) userOf(ref worktask.Ref) int {
	for i := range users {
		if conversation.Scope(conversationOf(i)) == ref.Scope {
			return i
		}
	}
	return 0
}

func (w *World) stepDeliver(s Step) bool {
	visible, hidden := w.inQueue()
	m, found := pick(append(visible, hidden...), s.A)
	if !found {
		return false
	}
	h, found := w.free(Worker, s.B)
	if !found {
		return false
	}
	w.deliver(m, h)
	return true
}

// free is a host of the role on which nothing runs.
func (w *World) free(role Role, i int) (*host, bool) {
	var free []*host
	for _, h := range w.hosts {
		if h.role == role && h.process == nil {
			free = append(free, h)
		}
	}
	return pick(free, i)
}

func (w *World) host(role Role) *host {
	for _, h := range w.hosts {
		if h.role == role {
			return h
		}
	}
	panic(fmt.Sprintf("no host for %s", role)) // the list is made in newWorld
}

func (w *World) stepDispatch(s Step) bool {
	h, found := w.free(Dispatcher, s.A)
	if !found {
		return false
	}
	w.dispatch(h)
	return true
}

func (w *World) stepProcess(s Step) bool {
	p, found := pick(w.candidates(s.Op), s.A)
	if !found {
		return false
	}
	switch s.Op { //nolint:exhaustive // the others are not done to a process
	case Crash:
		w.kill(p, s.B%2 == 1)
	case Freeze:
		p.actor.Freeze()
		p.freeze(s.B%2 == 1)
	case Thaw:
		p.actor.Thaw()
		p.thaw()
	}
	return true
}

// candidates are the processes that the operation can be done to, workers first.
func (w *World) candidates(op Op) []*process {
	var workers, others []*process
	for _, p := range w.processes {
		frozen := p.isFrozen()
		switch {
		case op == Freeze && frozen, op == Thaw && !frozen:
		case p.host.role == Worker:
			workers = append(workers, p)
		default:
			others = append(others, p)
		}
	}
	return append(workers, others...)
}

// offsets are how far clocks are off, from right to wildly wrong.
var offsets = []time.Duration{
	0, time.Second, -time.Second, 2 * time.Second, -2 * time.Second, 40 * time.Second, -40 * time.Second, 120 * time.Second, -120 * time.Second,
}

func (w *World) stepClock(s Step) bool {
	h, _ := pick(w.hosts, s.A)
	offset, _ := pick(offsets, s.B)
	if h.offset == offset {
		return false
	}
	h.offset = offset
	w.skew = max(w.skew, offset.Abs())
	if h.process != nil {
		h.process.actor.StepClock(offset.Milliseconds())
	}
	return true
}

func (w *World) stepLand(s Step) bool {
	w.mu.Lock()
	c, found := pick(w.underWay, s.A)
	w.mu.Unlock()
	if found {
		w.land(c)
	}
	return found
}

func (w *World) stepMessage(s Step) bool {
	if s.Op == Garbage {
		return w.publish(nobody()) == nil
	}
	w.mu.Lock()
	var list []*message
	for _, m := range w.messages {
		if !m.deleted && m.dead == (s.Op == Redrive) {
			list = append(list, m)
		}
	}
	m, found := pick(list, s.A)
	if found && s.Op == DeadLetter {
		w.deadLetter(m)
	}
	w.mu.Unlock()
	switch {
	case !found:
		return false
	case s.Op == Redrive:
		w.redrive(m)
	case s.Op == Duplicate:
		return w.publish(m.ref) == nil
	}
	return true
}

func compareIDs(a, b worktask.Ref) int { return cmp.Compare(a.ID, b.ID) }
