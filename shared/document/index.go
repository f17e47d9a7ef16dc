package document

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/replyonce/replyonce/shared/identity"
	"github.com/replyonce/replyonce/shared/indexing"
	"github.com/replyonce/replyonce/shared/taskflow"
	"github.com/replyonce/replyonce/shared/telemetry"
	"github.com/replyonce/replyonce/shared/worktask"
)

// WholeBytes is the longest text that is read whole: it fits a prompt, and an
// index of it would only take time. Longer ones are indexed first.
const WholeBytes = 64 << 10

// IndexTasks makes the tasks that index versions, and says how they are.
type IndexTasks struct {
	Pipeline string // that new tasks are made for; every worker must have it
	Timers   worktask.Timers
	Tasks    taskflow.Tasks
	Queue    taskflow.Queue
	Log      *slog.Logger
	Metrics  telemetry.Metrics
}

// origin is where a version's bytes are, and who has brought them.
type origin struct {
	caller           identity.Caller
	gatewayRequestID string
	object           string // empty: the version's own text
	fileName         string
	mediaType        string
}

// How much longer tasks of documents may take than replies. Nobody is charged for
// their runs, and repeating one hurts nothing: what bounds them is how long somebody
// waits. For an index that is whoever wants to ask; an erasure is a promise that was
// made, and must outlive an outage of days.
const (
	indexDeadline = 6    // an hour, by the default timers
	eraseDeadline = 1000 // a week

	patientAttempts = 100
	patientCalls    = 5000 // more than the longest wait between two attempts leaves room for
)

// patient are the timers and the budget of a task of a document.
func patient(timers worktask.Timers, times time.Duration) worktask.Timers {
	timers.TaskDeadline *= times
	timers.Attempts, timers.Calls = patientAttempts, patientCalls
	// A run whose end nobody saw is no unknown outcome: attempts alone bound it.
	timers.UnknownRepeats = patientAttempts
	return timers
}

// toIndex makes v a version that a task indexes.
func (s Service) toIndex(v Version, o origin) Version {
	in := indexing.Input{
		Version: v.Number, Pipeline: s.Index.Pipeline, Source: o.object, FileName: o.fileName, MediaType: o.mediaType,
		Bytes: int64(v.Bytes), SHA256: v.SHA256,
	}
	ref := worktask.Ref{Workspace: v.Workspace, Scope: ScopeOf(v.Document), ID: s.NewID()}
	t := worktask.NewTask(ref, indexing.Kind, o.caller.ID, in.Encode(), o.gatewayRequestID, worktask.RetryUnknown, v.CreatedAt, patient(s.Index.Timers, indexDeadline))
	v.State = Indexing
	v.Index = Index{Pipeline: in.Pipeline, Task: ref.ID, MediaType: o.mediaType, FileName: o.fileName, Object: o.object}
	v.IndexTask = &t
	return v
}

// publishTimeout bounds the immediate publication. It is best effort: the due
// time on the task brings the handoff back, and the caller waits meanwhile.
const publishTimeout = 2 * time.Second

// publish hands the index task of a version over that was just made.
func (s Service) publish(ctx context.Context, v Version) {
	if v.IndexTask != nil {
		s.publishTask(ctx, *v.IndexTask)
	}
}

func (s Service) publishTask(ctx context.Context, t worktask.Task) {
	log := s.Index.Log.With(telemetry.KeyWorkspace, t.Workspace, telemetry.KeyTaskID, t.ID)
	s.Index.Metrics.Count(telemetry.Accepted, 1)
	log.Info("task accepted", telemetry.KeyKind, t.Kind, telemetry.KeyGatewayRequestID, t.GatewayRequestID)
	ctx, cancel := context.WithTimeoutCause(ctx, publishTimeout, fmt.Errorf("publish timed out after %s", publishTimeout))
	defer cancel()
	if err := s.Index.Queue.Publish(ctx, t.Ref); err != nil {
		log.Warn("handoff not published, the dispatcher will", telemetry.KeyError, err)
	}
}
