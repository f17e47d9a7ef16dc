package world

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/replyonce/replyonce/shared/conversation"
	"github.com/replyonce/replyonce/shared/history"
	"github.com/replyonce/replyonce/shared/idempotency"
	"github.com/replyonce/replyonce/shared/identity"
	"github.com/replyonce/replyonce/shared/inputcheck"
	"github.com/replyonce/replyonce/shared/keyed"
	"github.com/replyonce/replyonce/shared/storeerror"
	"github.com/replyonce/replyonce/shared/telemetry"
	"github.com/replyonce/replyonce/shared/worktask"
)

// Caller is who asks.
type Caller = identity.Caller

// press is one press of Send or Regenerate: its inputs and its key. Whoever
// presses sends it as often as it takes.
type press struct {
	user    int
	key     idempotency.Key
	message string // that is answered once more; empty: a new message
	text    string
	version int

	task     worktask.Ref // that it made, as far as its user knows
	answered string       // the message that its task answers, likewise
}

// question is the same for every press: two presses with one text are two
// wishes.
const question = "Why?"

func (p *press) operation() string {
	if p.message != "" {
		return conversation.OperationRegenerate
	}
	return conversation.OperationSubmit
}

// canonical describes the inputs as the use cases do.
func (p *press) canonical() *idempotency.Canonical {
	c := idempotency.NewCanonical(p.operation()).Path("conversation", conversationOf(p.user))
	if p.message != "" {
		return c.Path("message", p.message)
	}
	return c.String("text", p.text).String("document", documentID).Integer("version", int64(p.version)).List("history", nil)
}

// send makes the request of a press.
func (w *World) send(p *press) {
	user := users[p.user]
	request := history.Request{
		Workspace: user.Workspace, Caller: user.ID, Operation: p.operation(), Key: string(p.key), Fingerprint: p.canonical().Fingerprint().String(),
	}
	w.ask(user, history.RefOf(p.task), request, func(ctx context.Context, s conversation.Service) (response, func()) {
		accepted, err := w.accept(ctx, s, p)
		if err != nil {
			return w.failed(err), nil
		}
		status := http.StatusAccepted
		if accepted.Outcome.Replayed {
			status = http.StatusOK
		}
		ref := conversation.TaskRef(user.Workspace, conversationOf(p.user), accepted.Task.ID)
		a := history.Answer{Status: status, Replayed: accepted.Outcome.Replayed, Location: accepted.Location, View: viewOf(accepted.Task)}
		return response{a, ref}, func() { p.task, p.answered = ref, accepted.Task.Message }
	})
}

// identity is the caller as the API knows it from its authorizer.
func (w *World) identity(user Caller) Caller {
	if w.wiring.Identity != nil {
		return w.wiring.Identity(user)
	}
	return user
}

func (w *World) accept(ctx context.Context, s conversation.Service, p *press) (conversation.Accepted, error) {
	user := w.identity(users[p.user])
	if p.message != "" {
		in := conversation.RegenerateInput{Conversation: conversationOf(p.user), Message: p.message}
		return s.Regenerate(ctx, user, p.key, in)
	}
	in := conversation.SubmitInput{Conversation: conversationOf(p.user), Text: p.text, Document: documentID, Version: p.version}
	if w.wiring.Submit != nil {
		return w.wiring.Submit(SubmitParts{ctx, s, s.Creator.Records, user, p.key, in})
	}
	return s.Submit(ctx, user, p.key, in)
}

// cancel asks to end a task. by may be a user whose task it is not.
func (w *World) cancel(by int, ref worktask.Ref) {
	user := users[by]
	request := history.Request{Workspace: user.Workspace, Caller: user.ID, Operation: history.OperationCancel}
	w.ask(user, history.RefOf(ref), request, func(ctx context.Context, s conversation.Service) (response, func()) {
		view, err := s.Cancel(ctx, w.identity(user), conversationOfTask(ref), ref.ID)
		if err != nil {
			return w.failed(err), nil
		}
		return response{history.Answer{Status: http.StatusOK, View: viewOf(view)}, ref}, nil
	})
}

// read asks for a task.
func (w *World) read(by int, ref worktask.Ref) {
	user := users[by]
	request := history.Request{Workspace: user.Workspace, Caller: user.ID, Operation: history.OperationRead}
	w.ask(user, history.RefOf(ref), request, func(ctx context.Context, s conversation.Service) (response, func()) {
		view, err := s.Task(ctx, w.identity(user), conversationOfTask(ref), ref.ID)
		if err != nil {
			return w.failed(err), nil
		}
		return response{history.Answer{Status: http.StatusOK, View: viewOf(view)}, ref}, nil
	})
}

// ask runs a request in an API process of its own. A process that dies leaves
// its caller without an answer.
func (w *World) ask(user Caller, task history.Ref, request history.Request, do func(context.Context, conversation.Service) (response, func())) {
	person := w.recorder.Actor(user.ID)
	sent := person.Record(history.Event{Kind: history.RequestSent, Task: task, Request: &request})
	answered := func(a history.Answer, ref history.Ref) {
		person.Record(history.Event{Kind: history.RequestAnswered, Op: sent, Task: ref, Answer: &a})
	}
	front := w.host(API)
	p := w.boot(&host{name: fmt.Sprintf("%s-%d", front.name, sent), role: API, offset: front.offset}, w.Timers.APILimit)
	p.invocation = invocation{ref: task.Parts(), operate: request.Operation}
	p.onDeath = func() { answered(history.Answer{}, task) }
	p.invoke(context.Background(), w.Timers.APILimit, func(ctx context.Context) {
		a, learn := do(ctx, w.service(p))
		p.barrier("answered")
		p.returns(ctx, "answer", func() {
			about := task
			if a.task != (worktask.Ref{}) {
				about = history.RefOf(a.task)
			}
			answered(a.Answer, about)
			if learn != nil {
				learn()
			}
		})
	})
}

func (w *World) service(p *process) conversation.Service {
	t := w.tools(p)
	return conversation.Service{
		Store: t.threads, Documents: t.store, Writer: p.writer(t), Evidence: p.actor.Evidence(t.store), Objects: t.store, Queue: t.queue,
		Creator: keyed.Creator{
			Records: t.records, Windows: idempotency.Windows{Replay: w.Timers.ReplayWindow, Purge: w.Timers.PurgeAfter},
			Now: p.now, Pause: p.pause,
		},
		Money: worktask.NewMoney(w.MoneyLimit, w.CallMoney),
		NewID: w.newID, Now: p.now, Timers: w.Timers, OnUnknown: w.Policy, Log: w.log, Metrics: telemetry.NoMetrics{},
	}
}

// response is an answer and the task that it shows; none: the one asked for.
type response struct {
	history.Answer
	task worktask.Ref
}

// failed is the answer to a request that failed, as the API gives it.
func (w *World) failed(err error) response { return response{Answer: answerTo(err)} }

func answerTo(err error) history.Answer {
	var mismatch *idempotency.MismatchError
	var over *idempotency.WindowOverError
	var gone *keyed.GoneError
	var ended *conversation.EndedError
	var field *inputcheck.FieldError
	switch {
	case errors.As(err, &mismatch):
		return history.Answer{Status: http.StatusUnprocessableEntity, Code: "idempotency_key_reused"}
	case errors.As(err, &over):
		return history.Answer{Status: http.StatusGone, Code: "idempotency_window_over", Location: over.Location}
	case errors.As(err, &gone):
		return history.Answer{Status: http.StatusGone, Code: "gone", Location: gone.Location}
	case errors.As(err, &ended):
		return history.Answer{Status: http.StatusConflict, Code: "task_ended", View: viewOf(ended.Task)}
	case errors.As(err, &field):
		return history.Answer{Status: http.StatusBadRequest, Code: field.Code}
	case errors.Is(err, storeerror.ErrNotFound):
		return history.Answer{Status: http.StatusNotFound, Code: "not_found"}
	case errors.Is(err, keyed.ErrUnresolved):
		return history.Answer{Status: http.StatusConflict, Code: "in_progress"}
	case errors.Is(err, storeerror.ErrUnavailable), errors.Is(err, storeerror.ErrWriteUnknown), errors.Is(err, storeerror.ErrConflict),
		errors.Is(err, context.DeadlineExceeded):
		return history.Answer{Status: http.StatusServiceUnavailable, Code: "store_unavailable"}
	}
	return history.Answer{Status: http.StatusInternalServerError, Code: "internal"}
}

func viewOf(v conversation.TaskView) *history.View {
	view := &history.View{
		Status: v.Status, AssignmentVersion: v.AssignmentVersion, AttemptsLeft: v.AttemptsLeft, Calls: v.Calls, CallsLeft: v.CallsLeft,
		CallsKnown: v.Spend.CallsKnown, CallsUnknown: v.Spend.CallsUnknown, RefusedAnswers: len(v.Spend.RefusedAnswers),
	}
	if v.Failure != nil {
		view.Failure = v.Failure.Reason
	}
	if v.Reply != nil {
		view.ReplySHA256 = history.Hash(v.Reply.Text)
	}
	return view
}

// conversationOfTask is the conversation that a reply task belongs to.
func conversationOfTask(ref worktask.Ref) string {
	return strings.TrimPrefix(ref.Scope, conversation.Scope(""))
}
