package check

import "github.com/replyonce/replyonce/shared/history"

// step is a write of a task that has landed.
type step struct {
	seq    int64 // of the event that shows it
	op     int64 // of the event that began it; 0: not known
	actor  string
	write  history.Write
	before *history.Item // nil: not known
	after  history.Item
}

// storedStep is a step from the store's side.
func storedStep(h history.History, e *history.Event) step {
	actor := e.Actor
	if e.Op != 0 {
		actor = h.Events[e.Op-1].Actor
	}
	return step{seq: e.Seq, op: e.Op, actor: actor, write: *e.Write, before: e.Before, after: *e.After}
}

// build derives steps and sights from the operations.
func (t *task) build(exact bool) {
	t.exact = exact
	if exact {
		t.chain()
	} else {
		t.steps = t.quietSteps()
	}
	t.sights = t.collectSights()
}

// chain fills in what a store did not tell: the item before a write is the one
// after the write before it.
func (t *task) chain() {
	var last *history.Item
	if t.accepted != nil {
		last = t.accepted.what.Item
	}
	for i := range t.steps {
		if t.steps[i].before == nil {
			t.steps[i].before = last
		}
		last = &t.steps[i].after
	}
}

// claims are the writes that can have recorded a call: landed where that is
// known, sent and not refused where it is not.
func (t *task) claims() []step {
	var list []step
	if t.exact {
		for _, s := range t.steps {
			if s.write.Transition == history.Claim {
				list = append(list, s)
			}
		}
		return list
	}
	for _, op := range t.writes {
		if op.sent.Write.Transition != history.Claim {
			continue
		}
		s := step{seq: op.sent.Seq, actor: op.sent.Actor, write: *op.sent.Write}
		switch op.outcome() {
		case history.Landed, history.Lost:
			list = append(list, s)
		case history.RefusedBy: // an earlier copy of it may have landed
			if op.done.Item == nil || op.done.Item.AssignmentID == s.write.AssignmentID {
				list = append(list, s)
			}
		case history.Unavailable, history.Missing, history.Failed:
		}
	}
	return list
}

// stateAt is the item after the last landing at or before the place; nil when
// the task was not there yet or its landings are not known.
func (t *task) stateAt(seq int64) *history.Item {
	var item *history.Item
	if t.accepted != nil && t.accepted.seq <= seq {
		item = t.accepted.what.Item
	}
	for i := range t.steps {
		if t.steps[i].seq > seq {
			break
		}
		item = &t.steps[i].after
	}
	return item
}
