package sqsqueue_test

import (
	"context"
	"testing"

	"github.com/replyonce/replyonce/shared/sqsqueue"
	"github.com/replyonce/replyonce/shared/worktask"
)

type published []string

func (p *published) Publish(_ context.Context, ref worktask.Ref) error {
	*p = append(*p, ref.ID)
	return nil
}

func TestTasksGoToTheQueueOfTheirScope(t *testing.T) {
	t.Parallel()
	var replies, indexes published
	queue := sqsqueue.ByScope{"C#": &replies, "D#": &indexes}
	for _, ref := range []worktask.Ref{{Scope: "C#c1", ID: "t1"}, {Scope: "D#d1", ID: "t2"}, {Scope: "C#D#", ID: "t3"}} {
		if err := queue.Publish(t.Context(), ref); err != nil {
			t.Error(err)
		}
	}
	if len(replies) != 2 || len(indexes) != 1 || indexes[0] != "t2" {
		t.Errorf("replies %v, indexes %v", replies, indexes)
	}
	if err := queue.Publish(t.Context(), worktask.Ref{Scope: "X#x", ID: "t4"}); err == nil {
		t.Error("a task that no queue takes was published")
	}
}
