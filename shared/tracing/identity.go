package tracing

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"math/rand/v2"

	"github.com/oklog/ulid/v2"
	"go.opentelemetry.io/otel/trace"

	"github.com/replyonce/replyonce/shared/worktask"
)

// TraceID is the trace of a task: the 16 bytes of the ULID that is its id. It is
// not valid for an id that is none.
//
// The last eight bytes of a ULID are random, which is what W3C Trace Context
// (https://www.w3.org/TR/trace-context-2/#random-trace-id-flag) and samplers by
// trace id ask for.
func TraceID(task string) trace.TraceID {
	id, err := ulid.ParseStrict(task)
	if err != nil {
		return trace.TraceID{}
	}
	return trace.TraceID(id)
}

// rootID is the id of the span that a task's others stand under: any process can
// name it before, and without, the span itself.
func rootID(task string) trace.SpanID {
	sum := sha256.Sum256([]byte("replyonce accept " + task))
	return trace.SpanID(sum[:8])
}

// rootOf is the context of that span.
func rootOf(task string) trace.SpanContext {
	return trace.NewSpanContext(trace.SpanContextConfig{
		TraceID: TraceID(task), SpanID: rootID(task), TraceFlags: trace.FlagsSampled, Remote: true,
	})
}

// within puts the context into the trace of the task: under the span that is
// there, when it is of that trace, else under the accepting request.
func within(ctx context.Context, ref worktask.Ref) context.Context {
	if trace.SpanContextFromContext(ctx).TraceID() == TraceID(ref.ID) {
		return ctx
	}
	return trace.ContextWithRemoteSpanContext(ctx, rootOf(ref.ID))
}

type rootKey struct{}

// asRoot lets the next span be the one that the others stand under.
func asRoot(ctx context.Context, ref worktask.Ref) context.Context {
	ctx = trace.ContextWithSpanContext(ctx, trace.SpanContext{})
	return context.WithValue(ctx, rootKey{}, ref.ID)
}

// ids gives spans their ids: random ones, but for the root of a task's trace.
type ids struct{}

// NewIDs implements the SDK's IDGenerator. It is asked for the root only, because
// every other span has a parent.
func (ids) NewIDs(ctx context.Context) (trace.TraceID, trace.SpanID) {
	if task, ok := ctx.Value(rootKey{}).(string); ok {
		return TraceID(task), rootID(task)
	}
	var id trace.TraceID
	binary.NativeEndian.PutUint64(id[:8], nonZero())
	binary.NativeEndian.PutUint64(id[8:], nonZero())
	return id, spanID()
}

// NewSpanID implements the SDK's IDGenerator.
func (ids) NewSpanID(context.Context, trace.TraceID) trace.SpanID { return spanID() }

func spanID() trace.SpanID {
	var id trace.SpanID
	binary.NativeEndian.PutUint64(id[:], nonZero())
	return id
}

// nonZero: an id of zeros is none.
func nonZero() uint64 {
	for {
		if n := rand.Uint64(); n != 0 { //nolint:gosec // ids of spans need no secrecy
			return n
		}
	}
}
