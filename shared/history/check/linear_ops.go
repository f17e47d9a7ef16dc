package check

import (
	"github.com/anishathalye/porcupine"

	"github.com/replyonce/replyonce/shared/history"
)

// linearOps are the operations of the search.
func (t *task) linearOps(r *record) []porcupine.Operation {
	ops := t.creationOps(r)
	if t.exact {
		ops = append(ops, t.landings()...)
	}
	acknowledged := t.acknowledgedLandings()
	for _, op := range t.writes {
		ops = append(ops, t.writeOps(op, acknowledged)...)
	}
	for _, op := range t.reads {
		switch op.outcome() { //nolint:exhaustive // reads that failed show nothing
		case history.Landed:
			ops = append(ops, spanning(op.sent.Seq, op.done.Seq, input{actor: op.sent.Actor, effect: readIt, item: op.done.Item}))
		case history.Missing:
			ops = append(ops, spanning(op.sent.Seq, op.done.Seq, input{actor: op.sent.Actor, effect: readNo}))
		}
	}
	return append(ops, t.viewOps()...)
}

// spanning is an operation that took place somewhere from begin to end.
func spanning(begin, end int64, in input) porcupine.Operation {
	if in.event == 0 {
		in.event = end
		if end == never {
			in.event = begin
		}
	}
	return porcupine.Operation{Input: in, Call: begin, Return: end}
}

// made reports whether the record has the making of the task.
func (t *task) made(r *record) bool { return len(t.creationOps(r)) > 0 }

// creationOps: transactions that made the task, or may have.
func (t *task) creationOps(r *record) []porcupine.Operation {
	var ops []porcupine.Operation
	if c := t.accepted; c != nil {
		begin := c.seq
		if e := r.event(c.seq); e.Kind == history.CreateDone {
			begin = e.Op
		}
		return append(ops, spanning(begin, c.seq, input{actor: r.event(c.seq).Actor, effect: wrote, creation: c.what.Item, item: c.what.Item}))
	}
	for _, op := range t.creating {
		if item := op.sent.Creation.Item; item != nil && !t.exact && op.outcome() == history.Lost {
			ops = append(ops, spanning(op.sent.Seq, never, input{actor: op.sent.Actor, effect: mayHave, creation: item}))
		}
	}
	return ops
}

// landings are the writes as the store's side has them.
func (t *task) landings() []porcupine.Operation {
	var ops []porcupine.Operation
	for i := range t.steps {
		s := &t.steps[i]
		ops = append(ops, spanning(s.seq, s.seq, input{actor: s.actor, effect: wrote, write: &s.write, item: &s.after}))
	}
	return ops
}

// acknowledgedLandings are the beginnings of writes whose landing the store's
// side has.
func (t *task) acknowledgedLandings() map[int64]bool {
	shown := map[int64]bool{}
	for _, s := range t.steps {
		shown[s.op] = true
	}
	return shown
}

// writeOps is a write as its sender knows it. A refused one may have landed
// before, when it was sent twice; then the item that was seen bears its mark.
func (t *task) writeOps(op operation, landed map[int64]bool) []porcupine.Operation {
	begin, actor, write := op.sent.Seq, op.sent.Actor, op.sent.Write
	switch op.outcome() {
	case history.Landed:
		if t.exact && landed[begin] {
			return nil // the landing stands for it
		}
		return []porcupine.Operation{spanning(begin, op.done.Seq, input{actor: actor, effect: wrote, write: write, item: op.done.Item})}
	case history.Lost:
		if t.exact {
			return nil // either its landing stands for it, or it never landed
		}
		return []porcupine.Operation{spanning(begin, never, input{actor: actor, effect: mayHave, write: write})}
	case history.RefusedBy:
		ops := []porcupine.Operation{spanning(begin, op.done.Seq, input{actor: actor, effect: refused, write: write, item: op.done.Item})}
		if !t.exact && mayBeOwn(*write, op.done.Item) {
			ops = append(ops, spanning(begin, op.done.Seq, input{event: begin, actor: actor, effect: mayHave, write: write}))
		}
		return ops
	case history.Unavailable, history.Missing, history.Failed:
	}
	return nil
}

// mayBeOwn reports whether a refused write can have landed by an earlier copy.
func mayBeOwn(w history.Write, seen *history.Item) bool {
	if seen == nil {
		return true
	}
	switch w.Transition {
	case history.Cancel, history.End, history.Bump:
		return true
	}
	return seen.AssignmentID == w.AssignmentID
}

// viewOps are what callers were shown. An answer without a body stands for the
// body that has its ETag.
func (t *task) viewOps() []porcupine.Operation {
	var ops []porcupine.Operation
	bodies := map[string]*history.View{}
	for _, x := range t.answers {
		view := x.answered.Answer.View
		if tag := x.answered.Answer.ETag; tag != "" && view == nil {
			view = bodies[tag]
		} else if tag != "" {
			bodies[tag] = view
		}
		if view != nil {
			ops = append(ops, spanning(x.sent.Seq, x.answered.Seq, input{actor: x.sent.Actor, effect: showed, view: view}))
		}
	}
	return ops
}
