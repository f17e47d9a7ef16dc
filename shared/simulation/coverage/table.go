package coverage

import (
	"time"

	"github.com/replyonce/replyonce/shared/worktask"
)

// Row is an event of the decision table.
type Row string

// The events. FailedRetry and LookupAgain are no rows of their own in the table
// of calls: an answer without a usable text is a rejection that costs an
// attempt, and a look-up that learns nothing is released like a rejection.
const (
	Delivered        Row = "message delivered"
	BeforeRequest    Row = "before the request (stop)"
	Heartbeat        Row = "heartbeat"
	Answer           Row = "answer"
	RejectedRetry    Row = "rejected, budget left"
	RejectedLast     Row = "rejected, nothing left"
	FailedRetry      Row = "no usable answer, budget left"
	AmbiguousRetry   Row = "ambiguous, retry, budget left"
	AmbiguousLast    Row = "ambiguous, stop or nothing left"
	PermanentFailure Row = "permanent, declined, too long"
	LookupAgain      Row = "operation still runs"
	Watchdog         Row = "watchdog"
	SaveID           Row = "operation id"
	OwnUnknown       Row = "own write's result unknown"
	LateWrite        Row = "delayed first try arrives"
	DispatcherHit    Row = "dispatcher hit"
	CancelRequest    Row = "cancel"
	RepeatSubmit     Row = "repeat of submit"
	WorkerDies       Row = "worker dies"
)

// Rows lists the events in the order of the table.
func Rows() []Row {
	return []Row{
		Delivered, BeforeRequest, Heartbeat, Answer, RejectedRetry, RejectedLast, FailedRetry, AmbiguousRetry, AmbiguousLast,
		PermanentFailure, LookupAgain, SaveID, Watchdog, OwnUnknown, LateWrite, DispatcherHit, CancelRequest, RepeatSubmit, WorkerDies,
	}
}

// Column is the state of the task when the event meets it, by the clock of
// whoever acts.
type Column string

// The states.
const (
	PendingReady Column = "pending, ready"
	PendingEarly Column = "pending, too early"
	OtherValid   Column = "running, lease valid, other's"
	MineValid    Column = "running, lease valid, mine"
	InMargin     Column = "lease end … + margin"
	Expired      Column = "running, expired"
	Over         Column = "over"
	Ended        Column = "ended"
	Absent       Column = "absent"
)

// Columns lists the states in the order of the table.
func Columns() []Column {
	return []Column{PendingReady, PendingEarly, OtherValid, MineValid, InMargin, Expired, Over, Ended, Absent}
}

func (c Column) short() string {
	return map[Column]string{
		PendingReady: "ready", PendingEarly: "early", OtherValid: "other's", MineValid: "mine", InMargin: "margin",
		Expired: "expired", Over: "over", Ended: "ended", Absent: "absent",
	}[c]
}

// Cell is an event in a state.
type Cell struct {
	Row    Row
	Column Column
}

func (c Cell) String() string { return string(c.Row) + " × " + string(c.Column) }

// ColumnOf finds the state of a task. id is the assignment of whoever acts,
// empty for those who have none; now is their clock.
func ColumnOf(t worktask.Task, id string, now time.Time, margin time.Duration) Column {
	pending := t.Status == worktask.Pending
	expired := t.Status == worktask.Running && !now.Before(t.LeaseExpiresAt.Add(margin))
	switch {
	case t.Status.Ended():
		return Ended
	case (pending || expired) && over(t, now):
		return Over
	case pending && t.NextAttemptAt.After(now):
		return PendingEarly
	case pending:
		return PendingReady
	case expired:
		return Expired
	case !t.LeaseValid(now):
		return InMargin
	case id != "" && t.AssignmentID == id:
		return MineValid
	}
	return OtherValid
}

// over is the second bracket of the condition of the write that ends.
func over(t worktask.Task, now time.Time) bool {
	_, over := worktask.EndFor(t, worktask.EndedByWorker, now, 0)
	return over
}

// Edge is a change of a task by a write.
type Edge struct {
	From  worktask.Status
	Write string // with the mode of a release and the reason of an end
	To    worktask.Status
}

func (e Edge) String() string { return string(e.From) + " -" + e.Write + "-> " + string(e.To) }

// NoTask is where accept begins.
const NoTask worktask.Status = "none"

// Edges lists every change that the engine permits.
func Edges() []Edge {
	p, r, c, f, x := worktask.Pending, worktask.Running, worktask.Completed, worktask.Failed, worktask.Cancelled
	return []Edge{
		{NoTask, "accept", p},
		{p, "claim", r},
		{r, "claim", r},
		{p, "claim_lookup", r},
		{r, "claim_lookup", r},
		{r, "begin", r},
		{r, "renew", r},
		{r, "save_operation", r},
		{r, "complete", c},
		{r, "release rejected", p},
		{r, "release failed", p},
		{r, "release unknown", p},
		{r, "release lookup", p},
		{r, "release lookup_lost", p},
		{r, "fail", f},
		{p, "end deadline", f},
		{p, "end attempts_exhausted", f},
		{r, "end deadline", f},
		{r, "end attempts_exhausted", f},
		{r, "end outcome_unknown", f},
		{r, "end budget_exhausted", f},
		{p, "cancel", x},
		{r, "cancel", x},
		{p, "bump", p},
		{r, "bump", r},
	}
}
