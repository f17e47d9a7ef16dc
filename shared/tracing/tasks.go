package tracing

import (
	"context"
	"errors"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"

	"github.com/replyonce/replyonce/shared/storeerror"
	"github.com/replyonce/replyonce/shared/taskflow"
	"github.com/replyonce/replyonce/shared/telemetry"
	"github.com/replyonce/replyonce/shared/worktask"
)

// Tasks makes a span of every write to a task, under the transition's name; the
// dispatcher's look at a due task, which moves its due time on, is "dispatch".
func (t *Tracer) Tasks(next taskflow.Tasks) taskflow.Tasks {
	if t == nil {
		return next
	}
	return tracedTasks{next, t}
}

type tracedTasks struct {
	taskflow.Tasks
	tracer *Tracer
}

// spanDispatch is the name of the span of a dispatcher's bump.
const spanDispatch = "dispatch"

// Apply implements taskflow.Tasks.
func (s tracedTasks) Apply(ctx context.Context, ref worktask.Ref, tr worktask.Transition) (worktask.Task, error) {
	name := tr.Name()
	if _, isBump := tr.(worktask.Bump); isBump {
		name = spanDispatch
	}
	attempt := trace.SpanFromContext(ctx)
	ctx, span := s.tracer.start(ctx, ref, name, trace.SpanKindClient)
	defer span.End()
	after, err := s.Tasks.Apply(ctx, ref, tr)
	if err != nil {
		refused(span, tr, err)
		return after, err
	}
	span.SetAttributes(written(tr, after, s.tracer.now())...)
	if isClaim(tr) {
		attempt.SetAttributes(held(after)...)
	}
	return after, nil
}

func isClaim(tr worktask.Transition) bool {
	switch tr.(type) {
	case worktask.Claim, worktask.LookupClaim:
		return true
	}
	return false
}

// held are the attributes of whoever has the task.
func held(t worktask.Task) []attribute.KeyValue {
	return []attribute.KeyValue{
		attribute.Int64(telemetry.KeyAssignmentVersion, t.AssignmentVersion), attribute.Int(telemetry.KeyAttempt, t.Budget.Attempts()),
		attribute.String(telemetry.KeyLeaseOwner, t.AssignmentID), attribute.String(telemetry.KeyGatewayRequestID, t.GatewayRequestID),
	}
}

// written tells of a write that has landed.
func written(tr worktask.Transition, after worktask.Task, now time.Time) []attribute.KeyValue {
	attributes := []attribute.KeyValue{
		attribute.Int64(telemetry.KeyAssignmentVersion, after.AssignmentVersion), attribute.String(telemetry.KeyTaskStatus, string(after.Status)),
	}
	reason := ""
	switch tr := tr.(type) {
	case worktask.Claim, worktask.LookupClaim:
		if after.AssignmentVersion > 1 && after.ReleasedVersion != after.AssignmentVersion-1 {
			reason = "worker_lost"
		}
	case worktask.Release:
		reason = string(tr.Mode())
	case worktask.Failure:
		reason = string(tr.Reason())
	case worktask.End:
		reason = string(tr.Reason)
	case worktask.Bump:
		reason = whyDue(after, now)
	}
	if reason != "" {
		attributes = append(attributes, attribute.String(telemetry.KeyReason, reason))
	}
	return attributes
}

// whyDue says why the dispatcher came upon a task, by the task as it is.
func whyDue(t worktask.Task, now time.Time) string {
	switch {
	case t.LeaseValid(now):
		return "lease_held"
	case t.Status == worktask.Running:
		return "worker_lost"
	case t.NextAttemptAt.After(now):
		return "retry_later"
	case t.AssignmentVersion > 0:
		return "retry_due"
	}
	return "handoff_lost"
}

// refused tells of a write that has not landed, or may have. That a fence refuses
// a write is no fault: somebody else was first.
func refused(span trace.Span, tr worktask.Transition, err error) {
	condition, isCondition := errors.AsType[*taskflow.ConditionError](err)
	if !isCondition {
		failed(span, classOf(err))
		return
	}
	span.SetAttributes(attribute.String(keyOutcome, "refused"))
	if condition.Seen == nil {
		return
	}
	if cause := tr.Permitted(*condition.Seen); cause != nil {
		// One of the engine's sentences, as in the log.
		span.SetAttributes(attribute.String(telemetry.KeyReason, cause.Error()))
	}
	span.SetAttributes(attribute.Int64(telemetry.KeyAssignmentVersion, condition.Seen.AssignmentVersion))
}

// classOf puts an error into a word; its text may hold anything.
func classOf(err error) string {
	switch {
	case errors.Is(err, storeerror.ErrWriteUnknown):
		return "write_unknown"
	case errors.Is(err, storeerror.ErrUnavailable):
		return "unavailable"
	case errors.Is(err, storeerror.ErrNotFound):
		return "not_found"
	case errors.Is(err, storeerror.ErrConflict):
		return "conflict"
	case errors.Is(err, context.DeadlineExceeded):
		return "timeout"
	case errors.Is(err, context.Canceled):
		return "cancelled"
	}
	return "error"
}

// Queue makes a span of every handoff that is published.
func (t *Tracer) Queue(next taskflow.Queue) taskflow.Queue {
	if t == nil {
		return next
	}
	return tracedQueue{next, t}
}

type tracedQueue struct {
	next   taskflow.Queue
	tracer *Tracer
}

// Publish implements taskflow.Queue.
func (q tracedQueue) Publish(ctx context.Context, ref worktask.Ref) error {
	ctx, span := q.tracer.start(ctx, ref, "handoff", trace.SpanKindProducer)
	defer span.End()
	err := q.next.Publish(ctx, ref)
	if err != nil {
		failed(span, classOf(err))
	}
	return err
}
