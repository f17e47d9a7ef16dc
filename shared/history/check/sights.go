package check

import (
	"cmp"
	"slices"

	"github.com/replyonce/replyonce/shared/history"
)

// span is where something happened: at some place from begin to end.
type span struct{ begin, end int64 }

func (s span) place() span { return s }

// sight is the item as somebody saw it.
type sight struct {
	span
	item history.Item
}

// collectSights gathers what the store, and everybody who wrote or read, saw.
func (t *task) collectSights() []sight {
	var list []sight
	if t.accepted != nil {
		list = append(list, sight{span{t.accepted.seq, t.accepted.seq}, *t.accepted.what.Item})
	}
	if t.exact {
		for _, s := range t.steps {
			if s.before != nil {
				list = append(list, sight{span{s.seq, s.seq}, *s.before})
			}
			list = append(list, sight{span{s.seq, s.seq}, s.after})
		}
	}
	for _, op := range slices.Concat(t.writes, t.reads) {
		if op.done != nil && op.done.Item != nil {
			list = append(list, sight{span{op.sent.Seq, op.done.Seq}, *op.done.Item})
		}
	}
	slices.SortStableFunc(list, func(a, b sight) int { return cmp.Compare(a.begin, b.begin) })
	return list
}

// shown is the task as a caller saw it, in the words of an answer.
type shown struct {
	span
	view history.View
}

// shownViews are the answers that show the task, in the order in which they
// were asked for.
func (t *task) shownViews() []shown {
	var list []shown
	for _, x := range t.answers {
		if view := x.answered.Answer.View; view != nil {
			list = append(list, shown{span{x.sent.Seq, x.answered.Seq}, *view})
		}
	}
	return list
}

// inOrder walks through what was seen, given in the order of beginnings: judge
// gets each one after learn got all those that had ended before it began. Only
// they came before it in every possible order.
func inOrder[T interface{ place() span }](seen []T, learn, judge func(T)) {
	byEnd := slices.Clone(seen)
	slices.SortStableFunc(byEnd, func(a, b T) int { return cmp.Compare(a.place().end, b.place().end) })
	for _, s := range seen {
		for len(byEnd) > 0 && byEnd[0].place().end < s.place().begin {
			learn(byEnd[0])
			byEnd = byEnd[1:]
		}
		judge(s)
	}
}
