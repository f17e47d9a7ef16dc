package tracing

import (
	"context"
	"errors"
	"strings"
	"sync"
	"time"

	"github.com/aws/aws-lambda-go/lambda"
	"github.com/go-json-experiment/json"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"

	"github.com/replyonce/replyonce/shared/conversation"
	"github.com/replyonce/replyonce/shared/idempotency"
	"github.com/replyonce/replyonce/shared/keyed"
	"github.com/replyonce/replyonce/shared/storeerror"
	"github.com/replyonce/replyonce/shared/telemetry"
	"github.com/replyonce/replyonce/shared/worktask"
)

// Requests makes a span of each request that accepts a task or repeats one that
// did, and flushes at the end of every invocation. Which task it was turns out
// in the middle of the request, so the span is made at its end, with the time of
// its start; what it has below it needs only its id, which is known.
func (t *Tracer) Requests(next lambda.Handler) lambda.Handler {
	if t == nil {
		return next
	}
	return requests{next, t}
}

type requests struct {
	next   lambda.Handler
	tracer *Tracer
}

// Invoke implements lambda.Handler.
func (h requests) Invoke(ctx context.Context, payload []byte) ([]byte, error) {
	defer h.tracer.Flush(ctx)
	seen := &acceptance{started: h.tracer.now()}
	answer, err := h.next.Invoke(context.WithValue(ctx, acceptanceKey{}, seen), payload)
	h.tracer.accepted(ctx, seen, payload, answer)
	return answer, err
}

// acceptance is what the stores saw of a keyed request.
type acceptance struct {
	started time.Time

	mu        sync.Mutex
	attempted string // target of the write that this request made or tried
	ref       worktask.Ref
	record    idempotency.Record
	replayed  bool
}

type acceptanceKey struct{}

func acceptanceOf(ctx context.Context) *acceptance {
	seen, _ := ctx.Value(acceptanceKey{}).(*acceptance)
	return seen
}

// wrote remembers the task of a write that has landed, or may have.
func (a *acceptance) wrote(record idempotency.Record, ref worktask.Ref, landed bool) {
	if a == nil {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.attempted = record.Target
	if landed {
		a.record, a.ref, a.replayed = record, ref, false
	}
}

// found remembers the task that stands under the key.
func (a *acceptance) found(record idempotency.Record) {
	ref, isTask := taskOf(record)
	if a == nil || !isTask {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.record, a.ref, a.replayed = record, ref, record.Target != a.attempted
}

// taskOf reads the task that a record points to.
func taskOf(record idempotency.Record) (worktask.Ref, bool) {
	ids, isConversation := strings.CutPrefix(record.Target, conversation.Path(""))
	id, task, isTask := strings.Cut(ids, "/tasks/")
	if !isConversation || !isTask {
		return worktask.Ref{}, false
	}
	return conversation.TaskRef(record.Scope.Workspace, id, task), true
}

// accepted makes the span of the request, if it was about a task.
func (t *Tracer) accepted(ctx context.Context, seen *acceptance, payload, answer []byte) {
	seen.mu.Lock()
	defer seen.mu.Unlock()
	if seen.ref.ID == "" {
		return
	}
	if !seen.replayed {
		ctx = asRoot(ctx, seen.ref)
	} else {
		ctx = within(ctx, seen.ref)
	}
	if !TraceID(seen.ref.ID).IsValid() {
		return
	}
	_, span := t.tracer.Start(ctx, "accept", trace.WithTimestamp(seen.started), trace.WithSpanKind(trace.SpanKindServer),
		trace.WithAttributes(of(seen.ref)...), trace.WithAttributes(invocation(ctx)...))
	defer func() { span.End(trace.WithTimestamp(t.now())) }()
	status := statusOf(answer)
	span.SetAttributes(
		attribute.String(telemetry.KeyOperation, seen.record.Scope.Operation),
		attribute.String(telemetry.KeyIdempotencyKey, string(seen.record.Key)),
		attribute.String(telemetry.KeyGatewayRequestID, gatewayRequestID(payload)),
		attribute.Bool(keyReplayed, seen.replayed), attribute.Int(keyHTTPStatus, status),
	)
	if status >= 500 || status == 0 {
		span.SetStatus(codes.Error, "")
	}
}

// gatewayRequestID is the request's own id, of a repeat another one than the task has.
func gatewayRequestID(payload []byte) string {
	var event struct {
		RequestContext struct {
			RequestID string `json:"requestId"`
		} `json:"requestContext"`
	}
	if err := json.Unmarshal(payload, &event); err != nil {
		return ""
	}
	return event.RequestContext.RequestID
}

// statusOf is the HTTP status of an answer; 0: there is none.
func statusOf(answer []byte) int {
	var response struct {
		StatusCode int `json:"statusCode"`
	}
	if err := json.Unmarshal(answer, &response); err != nil {
		return 0
	}
	return response.StatusCode
}

// Conversations makes a span of every transaction that accepts a task.
func (t *Tracer) Conversations(next conversation.Store) conversation.Store {
	if t == nil {
		return next
	}
	return tracedConversations{next, t}
}

type tracedConversations struct {
	conversation.Store
	tracer *Tracer
}

// AcceptMessage implements conversation.Store.
func (s tracedConversations) AcceptMessage(ctx context.Context, record idempotency.Record, m conversation.Message, t worktask.Task) error {
	started := s.tracer.now()
	err := s.Store.AcceptMessage(ctx, record, m, t)
	s.wrote(ctx, started, record, t, err)
	return err
}

// AcceptTask implements conversation.Store.
func (s tracedConversations) AcceptTask(ctx context.Context, record idempotency.Record, t worktask.Task) error {
	started := s.tracer.now()
	err := s.Store.AcceptTask(ctx, record, t)
	s.wrote(ctx, started, record, t, err)
	return err
}

// wrote makes the span of a transaction afterwards: one that was refused because
// the key is taken would begin the trace of a task that never was.
func (s tracedConversations) wrote(ctx context.Context, started time.Time, record idempotency.Record, t worktask.Task, err error) {
	unknown := errors.Is(err, storeerror.ErrWriteUnknown) || errors.Is(err, storeerror.ErrConflict)
	acceptanceOf(ctx).wrote(record, t.Ref, err == nil)
	if (err != nil && !unknown) || !TraceID(t.ID).IsValid() {
		return
	}
	_, span := s.tracer.tracer.Start(within(ctx, t.Ref), "accept_write", trace.WithTimestamp(started), trace.WithSpanKind(trace.SpanKindClient),
		trace.WithAttributes(of(t.Ref)...))
	if unknown {
		failed(span, classOf(err))
	}
	span.End(trace.WithTimestamp(s.tracer.now()))
}

// Records watches the look for what a key made.
func (t *Tracer) Records(next keyed.Records) keyed.Records {
	if t == nil {
		return next
	}
	return watchedRecords{next}
}

type watchedRecords struct{ next keyed.Records }

// Record implements keyed.Records.
func (r watchedRecords) Record(ctx context.Context, scope idempotency.Scope, key idempotency.Key) (idempotency.Record, error) {
	record, err := r.next.Record(ctx, scope, key)
	if err == nil {
		acceptanceOf(ctx).found(record)
	}
	return record, err
}
