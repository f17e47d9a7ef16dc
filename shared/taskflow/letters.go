package taskflow

import (
	"context"
	"errors"
	"log/slog"

	"github.com/replyonce/replyonce/shared/storeerror"
	"github.com/replyonce/replyonce/shared/telemetry"
	"github.com/replyonce/replyonce/shared/worktask"
)

// Letters are the messages that were delivered too often or cannot be read.
type Letters interface {
	// Look reads up to most of them and leaves all where they are: the tasks that
	// they name, and how many name none.
	Look(ctx context.Context, most int) (tasks []worktask.Ref, unreadable int, err error)
}

// TaskReader reads a task as [Tasks] does.
type TaskReader interface {
	Get(ctx context.Context, ref worktask.Ref) (worktask.Task, error)
}

// LetterWatch tells how many dead letters have a task that has not ended. The
// queue's own count does not: it holds letters of tasks that ended long ago for
// two weeks, and most of the time nobody waits for any of them. A letter whose
// task is open means that twenty deliveries did not get it done, while a person
// still waits.
//
// Only a look at the tasks can tell the two apart, and it has to be repeated: a
// letter is counted for as long as its task is open, and no longer. A consumer of
// the dead-letter queue would have to delete or to keep moving what an operator
// should find there; a worker that counts its last delivery is not there to do so
// when it is killed by the message, which is how letters die most often. So the
// dispatcher looks, at every tick, at a bounded number of letters, and removes
// none: sending them again is an operator's decision, and the task itself is
// published or ended by the dispatcher's sweep without them.
type LetterWatch struct {
	Letters Letters
	Tasks   TaskReader
	Log     *slog.Logger
	Metrics telemetry.Metrics
	Most    int // letters that one look reads
}

// Look reports the gauge. When it cannot know, it reports nothing: no number is
// better than one that says that all is well.
func (w *LetterWatch) Look(ctx context.Context) {
	named, unreadable, err := w.Letters.Look(ctx, w.Most)
	if err != nil {
		w.Log.Warn("looking at dead letters failed", telemetry.KeyError, err)
		return
	}
	looked := len(named) + unreadable
	open := map[worktask.Ref]bool{}
	for _, ref := range named {
		if open[ref] {
			continue
		}
		t, err := w.Tasks.Get(ctx, ref)
		switch {
		case errors.Is(err, storeerror.ErrNotFound):
			unreadable++ // names a task that never was, or is purged
		case err != nil:
			w.Log.Warn("reading the task of a dead letter failed", telemetry.KeyTaskID, ref.ID, telemetry.KeyError, err)
			return
		case !t.Status.Ended():
			open[ref] = true
			w.Log.Warn("dead letter of an open task", telemetry.KeyWorkspace, ref.Workspace, telemetry.KeyTaskID, ref.ID,
				telemetry.KeyTaskStatus, string(t.Status), telemetry.KeyAssignmentVersion, t.AssignmentVersion)
		}
	}
	if looked >= w.Most && len(open) == 0 {
		// Letters of open tasks may be among those that were not looked at.
		w.Log.Warn("too many dead letters to tell whether a task of any is open", telemetry.KeyCount, looked)
	} else {
		w.Metrics.Gauge(telemetry.OpenDeadLetters, float64(len(open)))
	}
	if unreadable > 0 {
		w.Log.Warn("dead letters without a task", telemetry.KeyCount, unreadable)
	}
}
