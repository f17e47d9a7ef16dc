package world

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/replyonce/replyonce/shared/simulation/coverage"
	"github.com/replyonce/replyonce/shared/worktask"
)

// watch looks on and counts what was met. Nothing depends on it.
type watch struct {
	w        *World
	coverage *coverage.Coverage
}

// invocation is what the watch knows of a process.
type invocation struct {
	ref     worktask.Ref
	id      string               // of the last assignment that it asked for
	called  bool                 // its attempt has come to the request
	outcome worktask.OutcomeKind // of its attempt
	dog     bool                 // the lease was nearly over
	unknown bool                 // it does not know the end of its last write
	operate string               // of a request: what is asked for
}

func newWatch(w *World) *watch { return &watch{w, coverage.New()} }

// clock is the time as the process believes it to be.
func (p *process) clock() time.Time { return p.world.Now().Add(p.host.offset) }

// column is the state of a task as the process would judge it.
func (v *watch) column(ref worktask.Ref, id string, now time.Time) coverage.Column {
	t, err := v.w.memory.Get(context.Background(), ref)
	if err != nil {
		return coverage.Absent
	}
	return coverage.ColumnOf(t, id, now, v.w.Timers.SkewMargin)
}

// arrives reports whether the call reaches its aim under the fault.
func arrives(f Fault) bool {
	switch f { //nolint:exhaustive // the others arrive
	case Refused, LostBefore, Late, DieBefore, Conflict:
		return false
	}
	return true
}

// meet counts the cell that a call meets at its gate.
func (v *watch) meet(c *call, f Fault) {
	p := c.process
	in := &p.invocation
	if id := assignmentOf(c.tr); id != "" {
		in.id = id
	}
	if c.class == classSend {
		in.called = true
	}
	if arrives(f) {
		v.meetArrival(c, f)
	}
	switch f { //nolint:exhaustive // the others tell their sender the end
	case LostBefore, LostAfter, Late, SecondTry, Conflict, ConflictLanded:
		in.unknown = c.class == classWrite || c.class == classAccept
	default:
		if c.class == classWrite || c.class == classRead {
			in.unknown = false
		}
	}
}

func (v *watch) meetArrival(c *call, f Fault) {
	in := &c.process.invocation
	switch c.class { //nolint:exhaustive // the others meet no task
	case classWrite:
		column := v.column(c.ref, in.id, c.process.clock())
		for _, row := range v.rows(c) {
			v.coverage.Cell(row, column)
		}
		if f == SecondTry && c.name == "claim" {
			v.secondClaim(c)
		}
	case classRead:
		v.meetRead(c)
	case classAccept:
		v.meetAccept(c)
	}
}

// secondClaim is a claim that met itself.
func (v *watch) secondClaim(c *call) {
	if t, err := v.w.memory.Get(context.Background(), c.ref); err == nil && c.tr.Permitted(t) == nil {
		v.coverage.Cell(coverage.Delivered, coverage.MineValid)
	}
}

func assignmentOf(tr worktask.Transition) string {
	switch tr := tr.(type) {
	case worktask.Claim:
		return tr.AssignmentID
	case worktask.LookupClaim:
		return tr.AssignmentID
	}
	return ""
}

// rows are the events that a write stands for.
func (v *watch) rows(c *call) []coverage.Row {
	in := c.process.invocation
	switch tr := c.tr.(type) {
	case worktask.Claim, worktask.LookupClaim:
		return []coverage.Row{coverage.Delivered}
	case worktask.Beginning:
		return []coverage.Row{coverage.BeforeRequest}
	case worktask.Renewal:
		return []coverage.Row{coverage.Heartbeat}
	case worktask.OperationSave:
		return []coverage.Row{coverage.SaveID}
	case worktask.Completion:
		return []coverage.Row{coverage.Answer}
	case worktask.Release:
		return in.withWatchdog(releaseRow(tr.Mode()))
	case worktask.Failure:
		return in.withWatchdog(in.failureRow(tr))
	case worktask.Cancel:
		return []coverage.Row{coverage.CancelRequest}
	}
	return nil
}

func (in invocation) withWatchdog(row coverage.Row) []coverage.Row {
	if in.dog {
		return []coverage.Row{row, coverage.Watchdog}
	}
	return []coverage.Row{row}
}

func releaseRow(mode worktask.ReleaseMode) coverage.Row {
	switch mode {
	case worktask.ReleaseRejected:
		return coverage.RejectedRetry
	case worktask.ReleaseFailed:
		return coverage.FailedRetry
	case worktask.ReleaseLookup:
		return coverage.LookupAgain
	case worktask.ReleaseUnknown, worktask.ReleaseLookupLost:
		return coverage.AmbiguousRetry
	}
	return coverage.AmbiguousRetry
}

func (in invocation) failureRow(f worktask.Failure) coverage.Row {
	switch {
	case !f.Known(), f.Reason() == worktask.OutcomeUnknown:
		return coverage.AmbiguousLast
	case in.outcome == worktask.Rejected, in.outcome == worktask.Retryable:
		return coverage.RejectedLast
	}
	return coverage.PermanentFailure
}

// meetRead counts strong reads: after a write whose end is not known, by a
// dispatcher that has found an index entry, and before a cancel.
func (v *watch) meetRead(c *call) {
	if c.name != "get" {
		return
	}
	p := c.process
	in := &p.invocation
	column := v.column(c.ref, in.id, p.clock())
	switch {
	case in.unknown:
		v.coverage.Cell(coverage.OwnUnknown, column)
		if p.host.role == Worker && !in.called && column == coverage.MineValid {
			v.coverage.Cell(coverage.Delivered, column)
		}
	case p.host.role == Dispatcher:
		v.coverage.Cell(coverage.DispatcherHit, column)
	case p.host.role == API && in.operate == "cancel" && (column == coverage.Absent || column == coverage.Ended):
		v.coverage.Cell(coverage.CancelRequest, column)
	}
}

// meetAccept counts a repeat by the state of the task that the key has made.
func (v *watch) meetAccept(c *call) {
	a, ok := c.about.(accepting)
	if !ok {
		return
	}
	for _, r := range v.w.memory.Snapshot().Records {
		if r.Scope != a.record.Scope || r.Key != a.record.Key || !a.record.CreatedAt.Before(r.ReplayUntil) {
			continue
		}
		if r.Fingerprint != a.record.Fingerprint {
			continue
		}
		id := r.Target[strings.LastIndex(r.Target, "/")+1:]
		v.coverage.Cell(coverage.RepeatSubmit, v.column(worktask.Ref{Workspace: c.ref.Workspace, Scope: c.ref.Scope, ID: id}, "", v.w.Now()))
		return
	}
}

// lands counts a write that arrives after its sender has gone on.
func (v *watch) lands(c *call) {
	if c.class != classWrite {
		return
	}
	id := assignmentOf(c.tr)
	if id == "" {
		id = c.process.invocation.id
	}
	v.coverage.Cell(coverage.LateWrite, v.column(c.ref, id, v.w.Now()))
}

// dies counts the death of a worker.
func (v *watch) dies(p *process) {
	if p.host.role == Worker {
		v.coverage.Cell(coverage.WorkerDies, v.column(p.invocation.ref, p.invocation.id, p.clock()))
	}
}

// concludes is the end of a call as its process learns it.
func (v *watch) concludes(p *process, o worktask.Outcome) { p.invocation.outcome = o.Kind }

// gaveUp is a call that its process waits for no longer.
func (v *watch) gaveUp(c *call) {
	in := &c.process.invocation
	switch c.class { //nolint:exhaustive // the others change nothing that is counted
	case classAwait, classSend:
		in.outcome = worktask.Ambiguous
		var lost *worktask.RefusedError
		cause := context.Cause(c.ctx)
		in.dog = !errors.As(cause, &lost) && strings.Contains(cause.Error(), "lease")
	case classWrite:
		in.unknown = true
	}
}

// sight is a task as the store has it, if it is there.
type sight struct {
	task  worktask.Task
	found bool
}

// before is the task ahead of a write.
func (v *watch) before(c *call) sight {
	if c.class != classWrite && c.class != classAccept {
		return sight{}
	}
	t, err := v.w.memory.Get(context.Background(), c.ref)
	return sight{t, err == nil}
}

// after counts the edge that a write took, if it changed anything.
func (v *watch) after(c *call, before sight) {
	if now := v.before(c); now != before {
		v.coverage.Edge(before.status(), edgeName(c), now.status())
	}
}

func (s sight) status() worktask.Status {
	if !s.found {
		return coverage.NoTask
	}
	return s.task.Status
}

func edgeName(c *call) string {
	switch tr := c.tr.(type) {
	case worktask.Release:
		return "release " + string(tr.Mode())
	case worktask.End:
		return "end " + string(tr.Reason)
	case nil:
		return "accept"
	}
	return c.name
}
