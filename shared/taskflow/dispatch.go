package taskflow

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/replyonce/replyonce/shared/storeerror"
	"github.com/replyonce/replyonce/shared/telemetry"
	"github.com/replyonce/replyonce/shared/worktask"
)

// Dispatcher publishes handoffs that are due and ends tasks that are over,
// whether or not any worker runs. An index entry is a hint; the conditional
// write on the task decides.
type Dispatcher struct {
	Writer   Writer
	Handoffs Handoffs
	Queue    Queue
	Timers   worktask.Timers
	Now      func() time.Time // the same clock as the Writer's
	Jitter   func() float64   // in [0, 1)
	Log      *slog.Logger
	Metrics  telemetry.Metrics
	PageSize int

	// cursors is where a sweep that ran out of time stopped, by shard. It lives
	// as long as the process: entries at the front that cannot be moved must
	// not keep the rest from being reached.
	mu      sync.Mutex
	cursors [HandoffShards]string
}

// Sweep is what one run of the dispatcher did.
type Sweep struct {
	Seen      int  // index entries
	Published int  // handoffs published
	Ended     int  // tasks ended
	Deferred  int  // due times moved without publishing
	Failed    int  // entries that could not be handled; they stay due
	Complete  bool // every shard was read to its end
	OldestDue time.Duration
}

func (s *Sweep) add(o Sweep) {
	s.Seen += o.Seen
	s.Published += o.Published
	s.Ended += o.Ended
	s.Deferred += o.Deferred
	s.Failed += o.Failed
	s.Complete = s.Complete && o.Complete
	s.OldestDue = max(s.OldestDue, o.OldestDue)
}

// Dispatch reads all shards once, each to its end, unless ctx ends before; the
// next run goes on from there.
func (d *Dispatcher) Dispatch(ctx context.Context) Sweep {
	sweeps := make([]Sweep, HandoffShards)
	var shards sync.WaitGroup
	for shard := range HandoffShards {
		shards.Go(func() { sweeps[shard] = d.shard(ctx, shard) })
	}
	shards.Wait()
	total := Sweep{Complete: true}
	for _, s := range sweeps {
		total.add(s)
	}
	d.Metrics.Gauge(telemetry.OldestDueHandoffAge, total.OldestDue.Seconds())
	d.Metrics.Count(telemetry.HandoffsRepublished, total.Published)
	d.Log.Info("handoffs dispatched", telemetry.KeyCount, total.Seen, "published", total.Published, "ended", total.Ended,
		"deferred", total.Deferred, "failed", total.Failed, "complete", total.Complete)
	return total
}

func (d *Dispatcher) shard(ctx context.Context, shard int) Sweep {
	var s Sweep
	cursor := d.cursor(shard)
	now := d.Now()
	for {
		page, err := d.Handoffs.DueHandoffs(ctx, shard, now, d.PageSize, cursor)
		if err != nil {
			d.Log.Warn("reading due handoffs failed", telemetry.KeyHandoffShard, shard, telemetry.KeyError, err)
			d.stopAt(shard, cursor)
			return s
		}
		for _, due := range page.Due {
			if ctx.Err() != nil {
				d.stopAt(shard, cursor)
				return s
			}
			s.Seen++
			s.OldestDue = max(s.OldestDue, now.Sub(due.DueAt))
			d.handle(ctx, due, &s)
		}
		if cursor = page.Cursor; cursor == "" {
			d.stopAt(shard, "")
			s.Complete = true
			return s
		}
	}
}

func (d *Dispatcher) cursor(shard int) string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.cursors[shard]
}

func (d *Dispatcher) stopAt(shard int, cursor string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.cursors[shard] = cursor
}

// handle is the row "dispatcher hit" of the decision table.
func (d *Dispatcher) handle(ctx context.Context, due DueHandoff, s *Sweep) {
	log := d.Log.With(telemetry.KeyWorkspace, due.Ref.Workspace, telemetry.KeyTaskID, due.Ref.ID)
	t, err := d.Writer.Tasks.Get(ctx, due.Ref)
	switch {
	case errors.Is(err, storeerror.ErrNotFound):
		log.Warn("index entry names no task")
		return
	case err != nil:
		log.Warn("reading a due task failed", telemetry.KeyError, err)
		s.Failed++
		return
	}
	now := d.Now()
	if t.Status.Ended() || t.HandoffDueAt.After(now) {
		return // the entry is older than the task
	}
	if held(t, now, d.Timers.SkewMargin) {
		d.postpone(ctx, t, t.LeaseExpiresAt.Add(d.Timers.SkewMargin), s, log)
		return
	}
	if end, over := worktask.EndFor(t, worktask.EndedByDispatcher, now, d.Timers.SkewMargin); over {
		d.end(ctx, t, end, s, log)
		return
	}
	if t.Status == worktask.Pending && t.NextAttemptAt.After(now) {
		d.postpone(ctx, t, t.NextAttemptAt.Add(d.Timers.HandoffGrace), s, log)
		return
	}
	d.publish(ctx, t, now, s, log)
}

// held reports whether a running task's lease holds or ended less than the
// margin ago: nobody may act on it yet.
func held(t worktask.Task, now time.Time, margin time.Duration) bool {
	return t.Status == worktask.Running && now.Before(t.LeaseExpiresAt.Add(margin))
}

func (d *Dispatcher) end(ctx context.Context, t worktask.Task, end worktask.End, s *Sweep, log *slog.Logger) {
	ended, err := d.Writer.Write(ctx, t.Ref, end)
	if err != nil {
		d.failed(err, "ending a task failed", s, log)
		return
	}
	s.Ended++
	reportFailed(log, d.Metrics, ended)
}

// publish moves the due time on before it publishes:
//
//	published first, then moved: two dispatchers publish twice, always.
//	moved, then dead before publishing: due again one grace later.
//
// The new due time is spread a little, so that two dispatchers do not take each
// other's equal value for their own write. It is never later than the deadline:
// at that instant somebody has to end the task.
func (d *Dispatcher) publish(ctx context.Context, t worktask.Task, now time.Time, s *Sweep, log *slog.Logger) {
	spread := time.Duration(d.Jitter() * float64(min(d.Timers.HandoffGrace/10, time.Second)))
	due := now.Add(d.Timers.HandoffGrace + spread)
	if t.Deadline.Before(due) {
		due = t.Deadline
	}
	if !d.bump(ctx, t, due, s, log) {
		return
	}
	if err := d.Queue.Publish(ctx, t.Ref); err != nil {
		log.Warn("publishing a handoff failed, it is due again after the grace", telemetry.KeyError, err)
		s.Failed++
		return
	}
	s.Published++
	log.Info("handoff republished", telemetry.KeyAssignmentVersion, t.AssignmentVersion)
}

// postpone moves the due time of a task that nobody may touch yet.
func (d *Dispatcher) postpone(ctx context.Context, t worktask.Task, until time.Time, s *Sweep, log *slog.Logger) {
	if d.bump(ctx, t, until, s, log) {
		s.Deferred++
	}
}

func (d *Dispatcher) bump(ctx context.Context, t worktask.Task, until time.Time, s *Sweep, log *slog.Logger) bool {
	_, err := d.Writer.Write(ctx, t.Ref, worktask.Bump{Seen: t.HandoffDueAt, Due: until})
	if err != nil {
		d.failed(err, "moving a due time failed", s, log)
		return false
	}
	return true
}

// failed tells a refusal, which means that somebody else acted, from a fault.
func (d *Dispatcher) failed(err error, what string, s *Sweep, log *slog.Logger) {
	if _, refused := errors.AsType[*worktask.RefusedError](err); refused {
		return
	}
	s.Failed++
	log.Warn(what, telemetry.KeyError, err)
}
