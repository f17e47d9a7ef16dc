package memstore

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/replyonce/replyonce/shared/dynamoschema"
	"github.com/replyonce/replyonce/shared/taskflow"
)

// DueHandoffs implements taskflow.Handoffs. The order within one due time is
// that of the tasks' addresses, so that a cursor always means the same place.
func (s *Store) DueHandoffs(ctx context.Context, shard int, now time.Time, limit int, after string) (taskflow.DuePage, error) {
	if err := reachable(ctx); err != nil {
		return taskflow.DuePage{}, fmt.Errorf("list due handoffs of shard %d: %w", shard, err)
	}
	from, err := parseCursor(after)
	if err != nil {
		return taskflow.DuePage{}, fmt.Errorf("list due handoffs of shard %d: %w", shard, err)
	}
	limit = max(limit, 1)
	due := s.due(shard, now)
	start, _ := slices.BinarySearchFunc(due, from, func(d taskflow.DueHandoff, from string) int {
		if place(d) <= from { // the place itself was on the page before
			return -1
		}
		return 1
	})
	due = due[start:]
	if len(due) <= limit {
		return taskflow.DuePage{Due: due}, nil
	}
	due = due[:limit]
	return taskflow.DuePage{Due: due, Cursor: cursor(place(due[limit-1]))}, nil
}

// due lists the index: it has a task exactly while the task has a due time.
func (s *Store) due(shard int, now time.Time) []taskflow.DueHandoff {
	s.mu.Lock()
	defer s.mu.Unlock()
	var due []taskflow.DueHandoff
	for ref, t := range s.tasks {
		if t.HandoffDueAt.IsZero() || t.HandoffDueAt.After(millis(now)) || dynamoschema.ShardOf(ref.ID) != shard {
			continue
		}
		due = append(due, taskflow.DueHandoff{Ref: ref, DueAt: t.HandoffDueAt})
	}
	slices.SortFunc(due, func(a, b taskflow.DueHandoff) int { return cmp.Compare(place(a), place(b)) })
	return due
}

// place orders index entries as text: due time, then address.
func place(d taskflow.DueHandoff) string {
	return fmt.Sprintf("%020d %s", d.DueAt.UnixMilli(), d.Ref)
}
