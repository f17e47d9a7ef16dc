package world

import (
	"fmt"
	"strings"
	"time"

	"github.com/replyonce/replyonce/shared/worktask"
)

// look notes the state of the world by what decides about the next write: for
// each task its counts and where the clock stands in its times, for each
// process what it is about to do, and how many messages there are.
func (v *watch) look() {
	var text strings.Builder
	snapshot := v.w.memory.Snapshot()
	now := v.w.Now()
	for _, ref := range v.w.tasks() {
		v.describe(&text, snapshot.Tasks[ref], now)
	}
	for _, c := range v.w.atGates() {
		mine := snapshot.Tasks[c.ref].AssignmentID == c.process.invocation.id
		fmt.Fprintf(&text, "|%s %s %t %t", c.process.host.role, c.name, mine, c.process.isFrozen())
	}
	visible, hidden := v.w.inQueue()
	fmt.Fprintf(&text, "|%d %d", min(len(visible), 3), min(len(hidden), 3))
	v.coverage.State(text.String())
}

func (v *watch) describe(text *strings.Builder, t worktask.Task, now time.Time) {
	if t.Status.Ended() {
		fmt.Fprintf(text, "|%s %s", t.Status, t.FailureReason)
		return
	}
	b := t.Budget
	fmt.Fprintf(text, "|%s %d %d %d %t %t", t.Status, b.AttemptsLeft, b.CallsLeft, b.CallsKnown, t.CallOpen, t.OperationID != "")
	fmt.Fprintf(text, " %d %d %d", when(t.NextAttemptAt, now), when(t.HandoffDueAt, now), when(t.Deadline, now))
	if t.Status == worktask.Running {
		fmt.Fprintf(text, " %d %d", when(t.LeaseExpiresAt, now), when(t.LeaseExpiresAt.Add(v.w.Timers.SkewMargin), now))
	}
}

// when is before, at or after.
func when(t, now time.Time) int { return now.Compare(t) }
