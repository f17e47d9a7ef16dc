package drills

import (
	"context"
	"fmt"

	"github.com/replyonce/replyonce/shared/history"
	"github.com/replyonce/replyonce/shared/worktask"
)

// indexTask is a task that indexes a version.
type indexTask struct {
	ref     history.Ref
	version int
}

// indexTasks lists those that were made, in order.
func (s *Scene) indexTasks() []indexTask {
	var all []indexTask
	for _, e := range s.log.Sights() {
		if e.Kind == history.Created && e.Task != "" && e.Creation.Version != nil {
			all = append(all, indexTask{e.Task, e.Creation.Version.Number})
		}
	}
	return all
}

// indexesEnded waits until every index task has ended. Nobody is shown them, so the
// store is asked.
func (s *Scene) indexesEnded(ctx context.Context) error {
	for _, made := range s.indexTasks() {
		for {
			task, err := s.Task(ctx, made.ref.Parts())
			if err == nil && task.Status.Ended() {
				break
			}
			if err := pass(ctx, s.pollEvery()); err != nil {
				return fmt.Errorf("the index of version %d does not come to an end: %w", made.version, err)
			}
		}
	}
	return nil
}

// indexOutcome compares the index tasks with what must become of them.
func (s *Scene) indexOutcome(ctx context.Context) (all []Seen, deviations []string) {
	tasks := s.indexTasks()
	if len(tasks) != len(s.act.Indexes) {
		deviations = append(deviations, fmt.Sprintf("%d index tasks, want %d", len(tasks), len(s.act.Indexes)))
	}
	for i, made := range tasks {
		task, err := s.Task(ctx, made.ref.Parts())
		if err != nil {
			deviations = append(deviations, err.Error())
			continue
		}
		seen := s.seenIndex(made, task)
		all = append(all, seen)
		if i < len(s.act.Indexes) {
			for _, d := range s.act.Indexes[i].compare(seen) {
				deviations = append(deviations, fmt.Sprintf("%s: %s", seen.Question, d))
			}
		}
	}
	return all, deviations
}

func (s *Scene) seenIndex(made indexTask, t worktask.Task) Seen {
	seen := Seen{
		Task: t.ID, Question: fmt.Sprintf("the index of version %d", made.version), Status: t.Status, Reason: t.FailureReason,
		Calls: t.Budget.Calls(), Unknown: t.UnknownCalls(), Version: int(t.AssignmentVersion),
	}
	if t.Result.Present() {
		seen.Replies = 1
	}
	for _, e := range s.log.Sights() {
		switch {
		case e.Task != made.ref || !isRefused(e):
		case e.Write().Claims():
			seen.Refused++
			seen.RefusedClaims++
		case e.Write().Fenced():
			seen.Refused++
		}
	}
	return seen
}
