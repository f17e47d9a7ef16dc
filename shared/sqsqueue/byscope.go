package sqsqueue

import (
	"context"
	"fmt"
	"strings"

	"github.com/replyonce/replyonce/shared/worktask"
)

// Publisher is a queue that takes handoffs.
type Publisher interface {
	Publish(ctx context.Context, ref worktask.Ref) error
}

// ByScope hands tasks to the queue of their kind. The kind is told by what the
// scope begins with: whoever publishes a due handoff has read its index entry, which
// holds keys alone.
//
// Kinds have queues of their own because their workers are different programs: one
// that reads files is larger and slower to start, and must not stand in the way of
// replies.
type ByScope map[string]Publisher // by prefix of the scope

// Publish implements taskflow.Queue.
func (q ByScope) Publish(ctx context.Context, ref worktask.Ref) error {
	for prefix, queue := range q {
		if strings.HasPrefix(ref.Scope, prefix) {
			return queue.Publish(ctx, ref) //nolint:wrapcheck // the queue's own error says all
		}
	}
	return fmt.Errorf("publish handoff of task %s: no queue takes its scope", ref)
}
