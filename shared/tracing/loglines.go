package tracing

import (
	"context"
	"log/slog"
	"strings"

	"go.opentelemetry.io/otel/codes"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
)

// MessageSpan is the message of log lines that are spans.
const MessageSpan = "span"

// logLines writes each span to the log as it ends, so that those of a process
// that is killed later are there. In CloudWatch Logs Insights a task's trace is
//
//	filter msg = "span" and trace_id = "…" | sort start asc
type logLines struct{ log *slog.Logger }

// OnStart implements the SDK's SpanProcessor.
func (logLines) OnStart(context.Context, sdktrace.ReadWriteSpan) {}

// OnEnd implements the SDK's SpanProcessor.
func (l logLines) OnEnd(s sdktrace.ReadOnlySpan) {
	attrs := make([]slog.Attr, 0, 8+len(s.Attributes()))
	attrs = append(attrs, slog.String("span", s.Name()), slog.String("span_kind", s.SpanKind().String()),
		slog.String("trace_id", s.SpanContext().TraceID().String()), slog.String("span_id", s.SpanContext().SpanID().String()))
	if s.Parent().SpanID().IsValid() {
		attrs = append(attrs, slog.String("parent_span_id", s.Parent().SpanID().String()))
	}
	attrs = append(attrs, slog.Time("start", s.StartTime()), slog.Duration("duration_ms", s.EndTime().Sub(s.StartTime())))
	if s.Status().Code == codes.Error {
		attrs = append(attrs, slog.Bool("failed", true))
	}
	for _, a := range s.Attributes() {
		attrs = append(attrs, slog.Any(strings.ReplaceAll(string(a.Key), ".", "_"), a.Value.AsInterface()))
	}
	l.log.LogAttrs(context.Background(), slog.LevelInfo, MessageSpan, attrs...)
}

// Shutdown implements the SDK's SpanProcessor.
func (logLines) Shutdown(context.Context) error { return nil }

// ForceFlush implements the SDK's SpanProcessor.
func (logLines) ForceFlush(context.Context) error { return nil }

func (logLines) flush(context.Context) {}
