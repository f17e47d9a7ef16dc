package explore

import (
	"errors"
	"fmt"
	"strings"

	"github.com/replyonce/replyonce/shared/worktask"
)

// Options bound a search.
type Options struct {
	Policy worktask.UnknownPolicy
	Faults int // of one path
	Late   int // writes under way at the same time without a sender
	Lease  int // in ticks; the margin is one
	// Ticks is until when the search lets time pass. The deadline of the task is
	// two ticks earlier.
	Ticks    int
	Messages int // in the queue at the same time
	// Attempts and Calls are the budget of the task.
	Attempts, Calls int
	// Money is the limit of the task; 0: money is not counted. A call costs
	// CallMoney at most, and CallPrice when its end is seen.
	Money      int
	Cancel     bool // the user cancels once, at any moment
	Operations bool // the provider tells operation ids, and is asked for them
	StaleIndex bool // the dispatcher meets the task in every tick
	Brief      bool // the provider's answers are reduced to one of a kind
	Beats      bool // workers renew their leases
	Every      bool // time stops at every tick, not only where a write is decided otherwise
	// Skew is how many ticks the clocks of the workers and of the dispatcher
	// are off.
	Skew [3]int
	// States ends a search that has met so many; 0: none.
	States int
	// Wrong breaks the store's writes on purpose.
	Wrong func(worktask.Transition) worktask.Transition
}

// Report is what a search met.
type Report struct {
	States   int
	Steps    int // from a state to another one, or to one that was known
	Depth    int // of the longest path that was needed to meet a new state
	Ends     map[string]int
	Landed   map[string]int // writes, by their names
	Complete bool           // every state within the bounds was met
}

func (r Report) String() string {
	text := fmt.Sprintf("%d states, %d steps, depth %d", r.States, r.Steps, r.Depth)
	if !r.Complete {
		text += ", not complete"
	}
	return text
}

// BrokenError is a path to a state that should not be.
type BrokenError struct {
	Cause error
	Path  []string
}

func (e *BrokenError) Error() string {
	return fmt.Sprintf("%v, after: %s", e.Cause, strings.Join(e.Path, "; "))
}

// Unwrap gives the cause.
func (e *BrokenError) Unwrap() error { return e.Cause }

// Search meets every state that can be reached, nearest first. In each of them
// every write that can land is judged, and from each the world is healed and the
// task must end. The error is a *BrokenError.
func Search(o Options) (Report, error) {
	m := newModel(o)
	initial := m.initial()
	for i := range initial {
		m.meet(initial[i], -1, "accepted")
	}
	for next := 0; next < len(m.open) && m.broken == nil; next++ {
		if o.States > 0 && len(m.known) >= o.States {
			return m.report(false), nil
		}
		m.from = next
		s := m.open[next].state
		m.open[next].state = nil // only its path is needed from now on
		m.successors(s)
		if m.broken == nil {
			m.heals(s)
		}
	}
	if m.broken != nil {
		return m.report(false), &BrokenError{m.broken, m.path(m.from)}
	}
	return m.report(true), nil
}

// node is a state that was met, and how.
type node struct {
	state *state
	from  int32
	depth int32
	label string
}

type model struct {
	Options
	timers worktask.Timers

	known   map[key]struct{}
	healing map[key]struct{} // states from which a healed world ends the task in time
	open    []node
	from    int // the node whose successors are made
	steps   int
	depth   int32
	ends    map[string]int
	landed  map[string]int
	log     []string // the writes of the step that is made
	broken  error
	// visit gets each successor; nil: it is met. Healing follows one of them.
	visit func(label string, s *state)
}

func newModel(o Options) *model {
	return &model{
		Options: o, timers: timers(o), known: map[key]struct{}{}, healing: map[key]struct{}{}, ends: map[string]int{}, landed: map[string]int{},
	}
}

// timers keep the order of the real ones.
func timers(o Options) worktask.Timers {
	t := worktask.DefaultTimers()
	t.Lease, t.RenewEvery, t.SkewMargin, t.LeaseReserve = timeOf(o.Lease), tick, tick, tick
	t.HandoffGrace, t.DispatchEvery = tick, tick
	t.TaskDeadline = timeOf(o.Ticks) - 2*tick
	t.BackoffBase, t.BackoffLimit = tick, tick
	t.Attempts, t.Calls = o.Attempts, o.Calls
	return t
}

func (m *model) lease() int    { return int(m.timers.Lease / tick) }
func (m *model) deadline() int { return int(m.timers.TaskDeadline / tick) }

// initial are the states after accept: its message was published, or was not.
func (m *model) initial() []*state {
	ref := worktask.Ref{Workspace: "w", Scope: "C#c", ID: "t"}
	t := worktask.NewTask(ref, "reply", "u", "", "", m.Policy, epoch, m.timers)
	t.Money = worktask.NewMoney(int64(m.Money), CallMoney)
	published, unpublished := &state{task: t, faults: m.Faults, visible: 1}, &state{task: t, faults: m.Faults}
	return []*state{published, unpublished}
}

// successors makes every step that is possible.
func (m *model) successors(s *state) {
	for i := range s.workers {
		if i > 0 && s.workers[i].place == idle && s.workers[0].place == idle && m.Skew[0] == m.Skew[1] {
			continue // the other one is as good
		}
		m.workerSteps(s, i)
	}
	m.dispatcherSteps(s)
	m.userSteps(s)
	m.worldSteps(s)
}

// step makes one step from s.
func (m *model) step(s *state, label string, do func(*state)) {
	if m.broken != nil {
		return
	}
	n := s.clone()
	m.log = nil
	do(n)
	if m.broken != nil {
		m.broken = fmt.Errorf("%w, by: %s", m.broken, label)
		return
	}
	if m.visit != nil {
		m.visit(label, n)
		return
	}
	m.steps++
	m.meet(n, m.from, label)
}

// fault is a step that counts as a fault.
func (m *model) fault(s *state, label string, do func(*state)) {
	if s.faults == 0 {
		return
	}
	m.step(s, label, func(s *state) {
		s.faults--
		do(s)
	})
}

// note keeps the first thing that is wrong.
func (m *model) note(err error) {
	if m.broken == nil {
		m.broken = err
	}
}

// meet adds a state that is new.
func (m *model) meet(s *state, from int, label string) {
	if s.task.Status.Ended() {
		// Whatever still happens is a write that must be refused; when it comes,
		// and which messages are left, makes no difference any more.
		s.now, s.visible, s.hidden, s.dispatcher.finished = m.Ticks, 0, 0, 0
	}
	k := m.key(s)
	if _, known := m.known[k]; known {
		return
	}
	m.known[k] = struct{}{}
	n := node{state: s, from: int32(from), label: label} //nolint:gosec // far fewer states than that fit into memory
	if from >= 0 {
		n.depth = m.open[from].depth + 1
	}
	m.depth = max(m.depth, n.depth)
	m.open = append(m.open, n)
	if s.task.Status.Ended() {
		m.ends[string(s.task.Status)+" "+string(s.task.FailureReason)]++
	}
}

func (m *model) path(at int) []string {
	var path []string
	for ; at >= 0; at = int(m.open[at].from) {
		path = append([]string{m.open[at].label}, path...)
	}
	return path
}

func (m *model) report(complete bool) Report {
	return Report{
		States: len(m.known), Steps: m.steps, Depth: int(m.depth), Ends: m.ends, Landed: m.landed, Complete: complete,
	}
}

var errNeverEnds = errors.New("P5: everything is healed and the task does not end")
