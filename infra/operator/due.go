package operator

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/replyonce/replyonce/shared/dynamoschema"
	"github.com/replyonce/replyonce/shared/storeerror"
	"github.com/replyonce/replyonce/shared/taskflow"
	"github.com/replyonce/replyonce/shared/worktask"
)

// Lister lists open tasks by the index of due handoffs.
type Lister struct {
	Handoffs taskflow.Handoffs
	Tasks    Tasks
	Judge    Judge
	Now      func() time.Time
	// Limit bounds how many tasks are listed: those that are due longest, of
	// each shard.
	Limit int
}

// OpenTask is a task that somebody has to look at.
type OpenTask struct {
	Shard     int    `json:"handoff_shard"`
	Workspace string `json:"workspace"`
	Path      string `json:"path"`
	TaskID    string `json:"task_id"`
	// DueAt is when the handoff became or becomes due, by the task where it is
	// there, else by the index.
	DueAt             Moment     `json:"handoff_due_at"`
	OverdueSeconds    float64    `json:"overdue_seconds"` // below 0: due later
	AgeSeconds        float64    `json:"age_seconds,omitzero"`
	Status            string     `json:"status,omitzero"`
	AssignmentVersion int64      `json:"assignment_version"`
	LeaseExpiresAt    Moment     `json:"lease_expires_at,omitzero"`
	AttemptsLeft      int        `json:"attempts_left"`
	CallsLeft         int        `json:"calls_left"`
	DeadlineAt        Moment     `json:"deadline_at,omitzero"`
	Assessment        Assessment `json:"assessment"`
}

// List is what was found.
type List struct {
	Tasks []OpenTask `json:"tasks"` // longest due first
	Stuck int        `json:"stuck"`
	// Complete: there are no more than these.
	Complete bool `json:"complete"`
	// OldestDueSeconds is the age of the oldest due handoff, as the alarm counts it.
	OldestDueSeconds float64 `json:"oldest_due_seconds"`
}

// parallelReads bounds how many tasks are read at once.
const parallelReads = 8

// List reads the index, shard by shard, for handoffs that are due within the
// given time from now, and then the tasks themselves: the index is a hint.
func (l Lister) List(ctx context.Context, within time.Duration) (List, error) {
	now := l.Now()
	list := List{Tasks: []OpenTask{}, Complete: true}
	var entries []taskflow.DueHandoff
	for shard := range taskflow.HandoffShards {
		page, complete, err := l.shard(ctx, shard, now.Add(within))
		if err != nil {
			return List{}, fmt.Errorf("read shard %d of the handoff index: %w", shard, err)
		}
		entries = append(entries, page...)
		list.Complete = list.Complete && complete
	}
	slices.SortStableFunc(entries, func(a, b taskflow.DueHandoff) int { return a.DueAt.Compare(b.DueAt) })
	if len(entries) > l.Limit {
		entries, list.Complete = entries[:l.Limit], false
	}
	tasks, err := l.read(ctx, entries, now)
	if err != nil {
		return List{}, err
	}
	for _, t := range tasks {
		if t.Assessment.State == Ended {
			continue // the index is behind the task; nobody has to do anything
		}
		list.Tasks = append(list.Tasks, t)
		list.OldestDueSeconds = max(list.OldestDueSeconds, t.OverdueSeconds)
		if t.Assessment.Stuck {
			list.Stuck++
		}
	}
	return list, nil
}

func (l Lister) shard(ctx context.Context, shard int, until time.Time) (entries []taskflow.DueHandoff, complete bool, err error) {
	cursor := ""
	for {
		page, err := l.Handoffs.DueHandoffs(ctx, shard, until, l.Limit-len(entries), cursor)
		if err != nil {
			return nil, false, err
		}
		entries = append(entries, page.Due...)
		cursor = page.Cursor
		if cursor == "" || len(entries) >= l.Limit {
			return entries, cursor == "", nil
		}
	}
}

func (l Lister) read(ctx context.Context, entries []taskflow.DueHandoff, now time.Time) ([]OpenTask, error) {
	tasks, errs := make([]OpenTask, len(entries)), make([]error, len(entries))
	slots := make(chan struct{}, parallelReads)
	var group sync.WaitGroup
	for i, entry := range entries {
		slots <- struct{}{}
		group.Go(func() {
			defer func() { <-slots }()
			tasks[i], errs[i] = l.look(ctx, entry, now)
		})
	}
	group.Wait()
	return tasks, errors.Join(errs...)
}

func (l Lister) look(ctx context.Context, entry taskflow.DueHandoff, now time.Time) (OpenTask, error) {
	open := OpenTask{Shard: shardOf(entry.Ref), Workspace: entry.Ref.Workspace, Path: taskPath(entry.Ref), TaskID: entry.Ref.ID}
	t, err := l.Tasks.Get(ctx, entry.Ref)
	switch {
	case errors.Is(err, storeerror.ErrNotFound):
		open.DueAt, open.OverdueSeconds = Moment(entry.DueAt), now.Sub(entry.DueAt).Seconds()
		open.Assessment = Assessment{State: Missing, Text: "the index names a task that is not there; an index that lags corrects itself"}
		return open, nil
	case err != nil:
		return OpenTask{}, fmt.Errorf("read task: %w", err)
	}
	open.DueAt, open.OverdueSeconds = Moment(t.HandoffDueAt), now.Sub(t.HandoffDueAt).Seconds()
	open.AgeSeconds = now.Sub(t.AcceptedAt).Seconds()
	open.Status, open.AssignmentVersion = string(t.Status), t.AssignmentVersion
	if t.Status == worktask.Running {
		open.LeaseExpiresAt = Moment(t.LeaseExpiresAt)
	}
	open.AttemptsLeft, open.CallsLeft, open.DeadlineAt = t.Budget.AttemptsLeft, t.Budget.CallsLeft, Moment(t.Deadline)
	open.Assessment = l.Judge.Assess(t, now)
	return open, nil
}

// shardOf is the part of the handoff index that a task stands in.
func shardOf(ref worktask.Ref) int { return dynamoschema.ShardOf(ref.ID) }
