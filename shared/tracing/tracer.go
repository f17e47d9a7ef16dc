package tracing

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"github.com/replyonce/replyonce/shared/telemetry"
	"github.com/replyonce/replyonce/shared/worktask"
)

// scope names this package as the maker of the spans.
const scope = "github.com/replyonce/replyonce/shared/tracing"

// maxValueBytes bounds a text in an attribute: ids and words are shorter.
const maxValueBytes = 256

// Options are the fixed parts of a function's traces.
type Options struct {
	Function string // name of the function
	Version  string // of the build
	Config   Config
	// Secrets reads Config.HeadersSecret; it may be nil when there is none.
	Secrets SecretReader
	Log     *slog.Logger
	Now     func() time.Time
	// Client sends to a collector; nil: one of the package's own.
	Client *http.Client
}

// Tracer makes the spans of a function. A nil Tracer is a valid one that traces
// nothing: its wrappers return what they were given.
type Tracer struct {
	tracer trace.Tracer
	out    exporter
	now    func() time.Time
}

// exporter takes spans as they end.
type exporter interface {
	sdktrace.SpanProcessor
	// flush hands over what has not been; it keeps to the time that it has by
	// its own settings and by ctx, and reports failures itself.
	flush(ctx context.Context)
}

// New makes a tracer, nil when nobody is to get the spans.
func New(o Options) *Tracer {
	var out exporter
	switch o.Config.Exporter {
	case ToLog:
		out = logLines{o.Log}
	case ToOTLP:
		c := newCollector(o)
		c.prepare()
		out = c
	case ToNobody:
		return nil
	default:
		return nil
	}
	limits := sdktrace.NewSpanLimits()
	limits.AttributeValueLengthLimit = maxValueBytes
	provider := sdktrace.NewTracerProvider(
		sdktrace.WithIDGenerator(ids{}),
		sdktrace.WithSampler(sdktrace.TraceIDRatioBased(o.Config.Ratio)),
		sdktrace.WithRawSpanLimits(limits),
		sdktrace.WithSpanProcessor(out),
		sdktrace.WithResource(resourceOf(o)),
		sdktrace.WithoutPanicRecording(), // its value may quote what a person wrote
	)
	return &Tracer{tracer: provider.Tracer(scope), out: out, now: o.Now}
}

func resourceOf(o Options) *resource.Resource {
	return resource.NewSchemaless(
		attribute.String("service.namespace", "replyonce"), attribute.String("service.name", o.Function),
		attribute.String("service.version", o.Version),
	)
}

// Keys of attributes that are not names of log attributes too.
const (
	keyOutcome    = "outcome"
	keyAction     = "action"
	keyReplayed   = "replayed"
	keyInvocation = "faas.invocation_id"
	keyHTTPStatus = "http.response.status_code"
	keyTokensIn   = "input_tokens"
	keyTokensOut  = "output_tokens"
)

// start begins a span in the trace of the task. A task whose id names no trace
// gets a span that goes nowhere.
func (t *Tracer) start(ctx context.Context, ref worktask.Ref, name string, kind trace.SpanKind, attributes ...attribute.KeyValue) (context.Context, trace.Span) {
	if !TraceID(ref.ID).IsValid() {
		return ctx, trace.SpanFromContext(context.Background())
	}
	return t.tracer.Start(within(ctx, ref), name, trace.WithSpanKind(kind), trace.WithAttributes(of(ref)...), trace.WithAttributes(attributes...))
}

// of are the attributes that every span of a task has.
func of(ref worktask.Ref) []attribute.KeyValue {
	return []attribute.KeyValue{
		attribute.String(telemetry.KeyWorkspace, ref.Workspace), attribute.String(telemetry.KeyTaskID, ref.ID),
	}
}

// failed marks a span whose work was not done. The class says why in a word; the
// error itself is in the log.
func failed(span trace.Span, class string) {
	span.SetAttributes(attribute.String(keyOutcome, class))
	span.SetStatus(codes.Error, class)
}

// flushReserve is what a flush leaves of the invocation's time.
const flushReserve = 200 * time.Millisecond

// Flush hands over the spans that have ended, before an invocation returns: the
// process is frozen after it. It waits for the exporter's own short time, less
// when the invocation has less.
func (t *Tracer) Flush(ctx context.Context) {
	if t == nil {
		return
	}
	deadline, limited := ctx.Deadline()
	ctx = context.WithoutCancel(ctx)
	if limited {
		var cancel context.CancelFunc
		ctx, cancel = context.WithDeadline(ctx, deadline.Add(-flushReserve))
		defer cancel()
	}
	t.out.flush(ctx)
}

// Flushing is the handler with a flush at the end of each invocation.
func Flushing[In, Out any](t *Tracer, handle func(context.Context, In) (Out, error)) func(context.Context, In) (Out, error) {
	if t == nil {
		return handle
	}
	return func(ctx context.Context, in In) (Out, error) {
		defer t.Flush(ctx)
		return handle(ctx, in)
	}
}
