package check

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/anishathalye/porcupine"

	"github.com/replyonce/replyonce/shared/history"
)

// linearizable decides that each task behaves as one object: there is an order
// of all writes and strong reads of it, in which each lies between its beginning
// and its end, and which the engine's transitions explain one by one.
//
// The search is porcupine's. A write whose acknowledgement was lost may have
// landed at any later place or never; where the store's side is recorded, it
// landed where that says. What callers are shown counts as a read of the fields
// that they see. A task that another promise has named is left out: its writes
// are known not to follow the engine, and the search would only say so again.
// The search is bounded in steps; a task for which they do not suffice is
// undecided.
func linearizable(r *record, j *judgement) {
	for _, t := range r.tasks {
		if slices.ContainsFunc(r.named[t.ref], ofStates) {
			j.verdict.Skipped++
			continue
		}
		ops := t.linearOps(r)
		if len(ops) == 0 {
			continue
		}
		j.decided()
		search := &search{ref: t.ref, first: state{unseen: !t.made(r)}, left: r.options.Steps}
		found := porcupine.CheckOperations(search.model(), ops)
		switch {
		case search.left <= 0:
			j.undecided(t.ref, at(events(ops)...), "no order of %d operations was found within %d steps", len(ops), r.options.Steps)
		case !found:
			search.left = r.options.Steps // the same search, noting how far it came
			_, info := porcupine.CheckOperationsVerbose(search.model(), ops, 0)
			explain(t, ops, info, j)
		}
	}
}

// ofStates reports whether a promise is broken by the states of a task, and not
// by what else was done.
func ofStates(p Promise) bool {
	switch p { //nolint:exhaustive // the others speak of messages, requests and answers
	case P1, P2, P3, P6, P10, P14, DueTime, EndFinal:
		return true
	}
	return false
}

func events(ops []porcupine.Operation) []int64 {
	var list []int64
	for _, op := range ops {
		list = append(list, op.Input.(input).event) //nolint:errcheck // every input is one
	}
	slices.Sort(list)
	return list
}

// explain names the operation that the longest order found cannot take in: the
// first to end among those that it leaves out.
func explain(t *task, ops []porcupine.Operation, info porcupine.LinearizationInfo, j *judgement) {
	ordered := longest(info)
	taken := map[int64]bool{}
	for _, op := range ordered {
		taken[op.Input.(input).event] = true //nolint:errcheck // every input is one
	}
	var left []porcupine.Operation
	for _, op := range ops {
		if !taken[op.Input.(input).event] { //nolint:errcheck // every input is one
			left = append(left, op)
		}
	}
	if len(left) == 0 {
		j.broken(t.ref, at(events(ops)...), "no order of the operations explains them")
		return
	}
	first := slices.MinFunc(left, func(a, b porcupine.Operation) int { return cmp.Compare(a.Return, b.Return) })
	in := first.Input.(input)                                          //nolint:errcheck // every input is one
	seqs := append(events(ordered[max(0, len(ordered)-3):]), in.event) // what came last, and what does not fit
	j.broken(t.ref, seqs, "no order of the operations explains %s", in)
}

func longest(info porcupine.LinearizationInfo) []porcupine.Operation {
	var best []porcupine.Operation
	for _, partition := range info.PartialLinearizationsOperations() {
		for _, partial := range partition {
			if len(partial) > len(best) {
				best = partial
			}
		}
	}
	return best
}

// effect is what an operation of the search is known to be.
type effect int

const (
	wrote   effect = iota + 1 // the write landed; item is after it, if known
	mayHave                   // the write may have landed
	refused                   // its condition did not hold; item was seen, if told
	readIt                    // item was read
	readNo                    // there was no such item
	showed                    // view was shown
)

// input is an operation of the search. All that is known of it, its end too, is
// in here.
type input struct {
	event    int64 // that shows it
	actor    string
	effect   effect
	write    *history.Write
	creation *history.Item // the write makes the task
	item     *history.Item
	view     *history.View
}

// String describes it in plain words.
func (in input) String() string {
	what := "the write that made the task"
	if in.write != nil {
		what = in.write.Transition
	}
	switch in.effect {
	case wrote:
		return fmt.Sprintf("that %s by %s landed with what it left", what, in.actor)
	case mayHave:
		return fmt.Sprintf("%s by %s", what, in.actor)
	case refused:
		return fmt.Sprintf("that %s by %s was refused", what, in.actor)
	case readIt:
		return fmt.Sprintf("that %s read the task %s at version %d", in.actor, in.item.Status, in.item.AssignmentVersion)
	case readNo:
		return fmt.Sprintf("that %s found no task", in.actor)
	case showed:
		return fmt.Sprintf("that %s was shown the task %s at version %d", in.actor, in.view.Status, in.view.AssignmentVersion)
	}
	return strings.TrimSpace(what)
}
