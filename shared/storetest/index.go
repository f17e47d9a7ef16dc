package storetest

import (
	"context"
	"fmt"
	"time"

	"github.com/replyonce/replyonce/shared/storeerror"
	"github.com/replyonce/replyonce/shared/taskflow"
	"github.com/replyonce/replyonce/shared/worktask"
)

// farFuture is after every due time.
func farFuture() time.Time { return now().AddDate(1, 0, 0) }

// listDue reads the whole index at an instant and keeps the workspace's tasks.
// It fails on an entry that comes twice or out of order within its shard.
func (e *Env) listDue(ctx context.Context, at time.Time, limit int) (map[worktask.Ref]time.Time, error) {
	all := map[worktask.Ref]time.Time{}
	for shard := range taskflow.HandoffShards {
		var latest time.Time
		for cursor, first := "", true; first || cursor != ""; first = false {
			page, err := e.DueHandoffs(ctx, shard, at, limit, cursor)
			if err != nil {
				return nil, fmt.Errorf("list shard %d: %w", shard, err)
			}
			if len(page.Due) > limit {
				return nil, fmt.Errorf("a page of shard %d has %d entries, the limit is %d", shard, len(page.Due), limit)
			}
			for _, d := range page.Due {
				if d.DueAt.Before(latest) {
					return nil, fmt.Errorf("shard %d lists %s after %s", shard, d.DueAt, latest)
				}
				latest = d.DueAt
				if d.Ref.Workspace != e.Workspace {
					continue
				}
				if _, twice := all[d.Ref]; twice {
					return nil, fmt.Errorf("the index lists task %s twice", d.Ref)
				}
				all[d.Ref] = d.DueAt
			}
			cursor = page.Cursor
		}
	}
	return all, nil
}

// checkIndex asks that the index has every task exactly while it is pending or
// running, under the due time that stands on it.
func (e *Env) checkIndex(ctx context.Context) error {
	listed, err := e.listDue(ctx, farFuture(), 100)
	if err != nil {
		return err
	}
	var f faults
	for ref, dueAt := range listed {
		t, err := e.Get(ctx, ref)
		if err != nil {
			f.add(fmt.Errorf("the index lists task %s: %w", ref, err))
			continue
		}
		if t.Status.Ended() {
			if !e.KeepsRemoved {
				f.add(fmt.Errorf("the index lists the %s task %s", t.Status, ref))
			}
			continue
		}
		f.add(equal("the due time in the index", dueAt, t.HandoffDueAt))
	}
	f.add(e.checkListed(ctx, listed))
	return f.err()
}

// checkListed asks for the other half: every task that is not over is listed.
func (e *Env) checkListed(ctx context.Context, listed map[worktask.Ref]time.Time) error {
	var f faults
	for _, ref := range e.seeded {
		t, err := e.Get(ctx, ref)
		if err != nil {
			return fmt.Errorf("read seeded task: %w", err)
		}
		if _, found := listed[ref]; !found && !t.Status.Ended() {
			f.add(fmt.Errorf("the index does not list the %s task %s", t.Status, ref))
		}
	}
	return f.err()
}

func handoffCases() []Case {
	return []Case{
		{"Handoffs/dueMeansNowOrEarlier", dueMeansNowOrEarlier},
		{"Handoffs/CaseH5PagesToTheEnd", pagesToTheEnd},
		{"Handoffs/resumesAfterBumps", resumesAfterBumps},
		{"Handoffs/endedTaskLeavesTheIndex", endedTaskLeavesTheIndex},
		{"Handoffs/endedTaskIsNotBumped", endedTaskIsNotBumped},
		{"Handoffs/badCursor", badIndexCursor},
	}
}

func dueMeansNowOrEarlier(ctx context.Context, e *Env) error {
	offsets := []time.Duration{-time.Millisecond, 0, time.Millisecond}
	want := map[worktask.Ref]time.Time{}
	for _, offset := range offsets {
		t := task(e.ref())
		t.HandoffDueAt = now().Add(offset)
		if err := e.seed(ctx, t); err != nil {
			return err
		}
		if offset <= 0 {
			want[t.Ref] = storedTime(t.HandoffDueAt)
		}
	}
	got, err := e.listDue(ctx, now(), 10)
	if err != nil {
		return err
	}
	return equal("what is due now", got, want)
}

// pagesToTheEnd: a reader that stops at a short page, or takes the limit for
// the number of results, misses the one task that is overdue.
func pagesToTheEnd(ctx context.Context, e *Env) error {
	total, limit := e.pick(500, 60), e.pick(100, 10)
	ties := 7
	if e.UnsteadyTies {
		ties = 1
	}
	want := map[worktask.Ref]time.Time{}
	conversationID := e.id()
	for i := range total {
		t := task(e.refIn(conversationID))
		t.HandoffDueAt = now().Add(time.Duration(i/ties) * time.Second)
		if err := e.seed(ctx, t); err != nil {
			return err
		}
		want[t.Ref] = storedTime(t.HandoffDueAt)
	}
	got, err := e.listDue(ctx, farFuture(), limit/taskflow.HandoffShards)
	if err != nil {
		return err
	}
	return equal("the pages of the index together", got, want)
}

// resumesAfterBumps: the entries of a page move while it is worked on, and the
// sweep goes on from its cursor without losing any. Where the engine loses its
// place, that is asserted.
func resumesAfterBumps(ctx context.Context, e *Env) error {
	left := map[worktask.Ref]bool{}
	for i := range e.pick(120, 40) {
		t := task(e.ref())
		t.HandoffDueAt = now().Add(time.Duration(i) * time.Millisecond)
		if err := e.seed(ctx, t); err != nil {
			return err
		}
		left[t.Ref] = true
	}
	at := now().Add(time.Second)
	for shard := range taskflow.HandoffShards {
		for cursor, first := "", true; first || cursor != ""; first = false {
			page, err := e.DueHandoffs(ctx, shard, at, 3, cursor)
			if err != nil {
				return fmt.Errorf("list shard %d: %w", shard, err)
			}
			if err := e.bumpAll(ctx, page.Due, left); err != nil {
				return err
			}
			cursor = page.Cursor
		}
	}
	if missed := len(left) > 0; missed != e.LosesPlace {
		return fmt.Errorf("the sweep has missed %d tasks; that it misses any is known of this engine: %t", len(left), e.LosesPlace)
	}
	return nil
}

func (e *Env) bumpAll(ctx context.Context, due []taskflow.DueHandoff, left map[worktask.Ref]bool) error {
	for _, d := range due {
		if !left[d.Ref] {
			continue // another case's
		}
		bump := worktask.Bump{Seen: d.DueAt, Due: now().Add(time.Hour)}
		if _, err := e.Apply(ctx, d.Ref, bump); err != nil {
			return fmt.Errorf("bump %s: %w", d.Ref, err)
		}
		delete(left, d.Ref)
	}
	return nil
}

// endedTaskLeavesTheIndex asserts the deviation of engines that keep entries,
// too: one that was repaired shall be noticed.
func endedTaskLeavesTheIndex(ctx context.Context, e *Env) error {
	t := task(e.ref())
	if err := e.seed(ctx, t); err != nil {
		return err
	}
	if _, err := e.Apply(ctx, t.Ref, worktask.Cancel{Now: now()}); err != nil {
		return fmt.Errorf("cancel: %w", err)
	}
	listed, err := e.listDue(ctx, farFuture(), 10)
	if err != nil {
		return err
	}
	if _, found := listed[t.Ref]; found != e.KeepsRemoved {
		return fmt.Errorf("the index lists the cancelled task: %t, this engine is known for %t", found, e.KeepsRemoved)
	}
	return nil
}

// endedTaskIsNotBumped: should a due time ever outlive its task, bumping it must
// not keep it alive.
func endedTaskIsNotBumped(ctx context.Context, e *Env) error {
	var f faults
	for _, s := range endedStates() {
		t := s.make(e.ref())
		t.HandoffDueAt = now()
		if err := e.seed(ctx, t); err != nil {
			return err
		}
		before := stored(t)
		f.add(e.wantUntouched(ctx, "of a task "+s.name, worktask.Bump{Seen: now(), Due: farFuture()}, before))
	}
	return f.err()
}

func badIndexCursor(ctx context.Context, e *Env) error {
	var f faults
	for _, cursor := range []string{"x", "!", "e30", "eyJwayI6IlcjYSNDI2MifQ"} {
		_, err := e.DueHandoffs(ctx, 0, now(), 10, cursor)
		f.add(wantError("cursor "+cursor, err, storeerror.ErrBadCursor))
	}
	return f.err()
}
