package tracing

import (
	"context"
	"errors"

	"github.com/aws/aws-lambda-go/lambdacontext"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"

	"github.com/replyonce/replyonce/shared/taskflow"
	"github.com/replyonce/replyonce/shared/telemetry"
	"github.com/replyonce/replyonce/shared/worktask"
)

// Runner makes one attempt at a delivered task.
type Runner interface {
	Run(ctx context.Context, d taskflow.Delivery) taskflow.Action
}

// Runner makes a span of every attempt.
func (t *Tracer) Runner(next Runner) Runner {
	if t == nil {
		return next
	}
	return tracedRunner{next, t}
}

type tracedRunner struct {
	next   Runner
	tracer *Tracer
}

// Run implements [Runner]. The claim adds what is known with it.
func (r tracedRunner) Run(ctx context.Context, d taskflow.Delivery) taskflow.Action {
	ctx, span := r.tracer.start(ctx, d.Ref, "attempt", trace.SpanKindConsumer, attribute.Int(telemetry.KeyReceiveCount, d.ReceiveCount))
	defer span.End()
	span.SetAttributes(invocation(ctx)...)
	action := r.next.Run(ctx, d)
	span.SetAttributes(attribute.String(keyAction, action.Kind.String()))
	return action
}

// invocation names the invocation, whose id stands in Lambda's own log lines.
func invocation(ctx context.Context) []attribute.KeyValue {
	lambda, ok := lambdacontext.FromContext(ctx)
	if !ok {
		return nil
	}
	return []attribute.KeyValue{attribute.String(keyInvocation, lambda.AwsRequestID)}
}

// Kind makes spans of the steps of an attempt that are the kind's own.
func (t *Tracer) Kind(next taskflow.Kind) taskflow.Kind {
	if t == nil {
		return next
	}
	return tracedKind{next, t}
}

type tracedKind struct {
	next   taskflow.Kind
	tracer *Tracer
}

// Prepare implements taskflow.Kind.
func (k tracedKind) Prepare(ctx context.Context, t worktask.Task) (taskflow.Work, error) {
	ctx, span := k.tracer.start(ctx, t.Ref, "prepare", trace.SpanKindInternal, step(t)...)
	defer span.End()
	work, err := k.next.Prepare(ctx, t)
	if err != nil {
		failed(span, classOf(err))
		if permanent, ok := errors.AsType[*taskflow.PermanentError](err); ok {
			span.SetAttributes(attribute.String(telemetry.KeyReason, string(permanent.Reason)))
		}
		return nil, err
	}
	return tracedWork{work, t, k.tracer}, nil
}

func step(t worktask.Task) []attribute.KeyValue {
	return []attribute.KeyValue{
		attribute.Int64(telemetry.KeyAssignmentVersion, t.AssignmentVersion), attribute.String(telemetry.KeyKind, t.Kind),
	}
}

type tracedWork struct {
	next   taskflow.Work
	task   worktask.Task
	tracer *Tracer
}

// Call implements taskflow.Work.
func (w tracedWork) Call(ctx context.Context, save func(ctx context.Context, operationID string) error) worktask.Outcome {
	ctx, span := w.tracer.start(ctx, w.task.Ref, "call", trace.SpanKindClient, step(w.task)...)
	defer span.End()
	o := w.next.Call(ctx, save)
	end(ctx, span, o)
	return o
}

// LookUp implements taskflow.Work.
func (w tracedWork) LookUp(ctx context.Context, operationID string) worktask.Outcome {
	ctx, span := w.tracer.start(ctx, w.task.Ref, "look_up", trace.SpanKindClient, step(w.task)...)
	defer span.End()
	o := w.next.LookUp(ctx, operationID)
	end(ctx, span, o)
	return o
}

// outcomes are the words for the ends of a call.
var outcomes = map[worktask.OutcomeKind]string{
	worktask.Answered: "answered", worktask.Rejected: "rejected", worktask.Ambiguous: "unknown", worktask.Retryable: "retryable",
	worktask.Permanent: "permanent", worktask.OperationRuns: "operation_runs", worktask.OperationLost: "operation_lost",
}

// end tells how a call ended, of the answer its size and its price.
func end(ctx context.Context, span trace.Span, o worktask.Outcome) {
	span.SetAttributes(
		attribute.String(keyOutcome, outcomes[o.Kind]),
		attribute.Int64(keyTokensIn, o.Report.Tokens.Input), attribute.Int64(keyTokensOut, o.Report.Tokens.Output),
	)
	if o.Kind == worktask.Answered {
		span.SetAttributes(attribute.Int(telemetry.KeyBytes, len(o.Result.Body)))
	} else {
		failed(span, outcomes[o.Kind])
	}
	if o.Reason != "" {
		span.SetAttributes(attribute.String(telemetry.KeyReason, string(o.Reason)))
	}
	if o.Report.ProviderRequestID != "" {
		span.SetAttributes(attribute.String(telemetry.KeyProviderRequestID, o.Report.ProviderRequestID))
	}
	if ctx.Err() != nil {
		span.SetAttributes(attribute.Bool("cancelled", true))
	}
}
