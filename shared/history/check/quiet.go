package check

import (
	"cmp"
	"slices"

	"github.com/replyonce/replyonce/shared/history"
)

// quietSteps are the acknowledged writes of a task, for records without the
// store's side. The item before a write is known only when no other write can
// have landed since the item was last seen. A lost write may land at any later
// time, so after one of them nothing of the kind is known any more.
func (t *task) quietSteps() []step {
	q := quiet{open: map[int64]bool{}, disturbed: map[int64]bool{}, writing: map[int64]bool{}}
	if t.accepted != nil {
		q.known = t.accepted.what.Item
	}
	for _, e := range edges(slices.Concat(t.writes, t.reads)) {
		if e.ends {
			q.end(e)
		} else {
			q.begin(e.op)
		}
	}
	return q.steps
}

// edge is the beginning or the end of an operation.
type edge struct {
	seq  int64
	op   operation
	ends bool
}

func edges(operations []operation) []edge {
	var list []edge
	for _, op := range operations {
		list = append(list, edge{op.sent.Seq, op, false})
		if op.done != nil {
			list = append(list, edge{op.done.Seq, op, true})
		}
	}
	slices.SortFunc(list, func(a, b edge) int { return cmp.Compare(a.seq, b.seq) })
	return list
}

// quiet walks along the edges. Operations go by the Seq of their beginning.
type quiet struct {
	steps     []step
	known     *history.Item  // the item, if nobody can have changed it since it was seen
	open      map[int64]bool // operations under way
	writing   map[int64]bool // writes that may still land
	disturbed map[int64]bool // operations beside which another write was under way
}

func isWrite(op operation) bool { return op.sent.Kind == history.WriteSent }

func (q *quiet) begin(op operation) {
	seq := op.sent.Seq
	q.disturbed[seq] = len(q.writing) > 0
	if isWrite(op) {
		for other := range q.open {
			q.disturbed[other] = true
		}
		q.writing[seq] = true
	}
	q.open[seq] = true
}

func (q *quiet) end(e edge) {
	seq, outcome, item := e.op.sent.Seq, e.op.outcome(), e.op.done.Item
	delete(q.open, seq)
	if outcome != history.Lost {
		delete(q.writing, seq)
	}
	undisturbed := !q.disturbed[seq]
	if isWrite(e.op) && outcome == history.Landed && item != nil {
		s := step{seq: e.seq, op: seq, actor: e.op.sent.Actor, write: *e.op.sent.Write, after: *item}
		if undisturbed {
			s.before = q.known
		}
		q.steps = append(q.steps, s)
	}
	switch {
	case item != nil && undisturbed:
		q.known = item
	case isWrite(e.op) && (outcome == history.Landed || outcome == history.Lost):
		q.known = nil
	}
}
