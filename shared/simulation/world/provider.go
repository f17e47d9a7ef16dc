package world

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/replyonce/replyonce/shared/history"
	"github.com/replyonce/replyonce/shared/reply"
	"github.com/replyonce/replyonce/shared/storeerror"
	"github.com/replyonce/replyonce/shared/taskflow"
	"github.com/replyonce/replyonce/shared/worktask"
)

// kind does the work of reply tasks: it asks the world's provider, whose log is
// outside of all processes.
type kind struct{ p *process }

// work is one prepared attempt.
type work struct {
	p    *process
	task worktask.Task
}

// await is a request that the provider has, or a look-up of its operation.
type await struct {
	task      worktask.Task
	requestID string
	received  int64 // the event of its receipt
	lookUp    bool
	operation string
	truth     *truth
}

// truth is what the provider knows of a request. It is honest: what it once told
// to be executed it never calls refused, nor the other way round.
type truth struct{ executed, refused bool }

// ending is how the provider ended a request or a look-up.
type ending struct {
	outcome   worktask.Outcome
	operation string // of a request that goes on under this id
}

// Prepare implements taskflow.Kind.
func (k kind) Prepare(ctx context.Context, t worktask.Task) (taskflow.Work, error) {
	if _, err := k.p.do(ctx, &call{class: classPrepare, name: "prepare", ref: t.Ref}); err != nil {
		return nil, err
	}
	return work{k.p, t}, nil
}

var errUnreadable = errors.New("the document is gone")

func (w *World) answerPrepare(c *call, f Fault) {
	switch f { //nolint:exhaustive // the others cannot happen to this class
	case Refused:
		w.watch.concludes(c.process, worktask.Outcome{Kind: worktask.Rejected})
		w.reply(c, answer{err: fmt.Errorf("%w: refused by the network", storeerror.ErrUnavailable)})
	case Permanent:
		w.watch.concludes(c.process, worktask.Outcome{Kind: worktask.Permanent})
		w.reply(c, answer{err: &taskflow.PermanentError{Reason: worktask.DocumentUnreadable, Err: errUnreadable}})
	case DieBefore:
		w.kill(c.process, false)
	default:
		w.reply(c, answer{})
	}
}

// Call implements taskflow.Work.
func (k work) Call(ctx context.Context, save func(context.Context, string) error) worktask.Outcome {
	v, err := k.p.do(ctx, &call{class: classSend, name: "send", ref: k.task.Ref, about: k.task})
	if err != nil {
		return worktask.Outcome{Kind: worktask.Rejected} // never sent
	}
	if e, isEnding := v.(ending); isEnding {
		return e.outcome
	}
	request, _ := v.(*await)
	for {
		v, err = k.p.do(ctx, &call{class: classAwait, name: "await", ref: k.task.Ref, about: request})
		e, _ := v.(ending)
		switch {
		case err != nil:
			return worktask.Outcome{Kind: worktask.Ambiguous}
		case e.operation == "":
			return e.outcome
		}
		request.operation = e.operation
		if err := save(ctx, e.operation); err != nil {
			return worktask.Outcome{Kind: worktask.Ambiguous}
		}
	}
}

// LookUp implements taskflow.Work.
func (k work) LookUp(ctx context.Context, operationID string) worktask.Outcome {
	v, err := k.p.do(ctx, &call{class: classAwait, name: "look_up", ref: k.task.Ref, about: k.p.world.looked(k.task, operationID)})
	if e, ok := v.(ending); ok && err == nil {
		return e.outcome
	}
	return worktask.Outcome{Kind: worktask.OperationRuns} // nothing was learned
}

// looked is a look-up of an operation.
func (w *World) looked(t worktask.Task, operationID string) *await {
	w.mu.Lock()
	defer w.mu.Unlock()
	known := w.truths[operationID]
	if known == nil {
		known = &truth{} // of an id that a broken part has made up
	}
	return &await{task: t, lookUp: true, operation: operationID, truth: known}
}

// retryAfters are what an overloaded provider asks for.
var retryAfters = []time.Duration{0, 5 * time.Second, 90 * time.Second, 20 * time.Hour}

// answerSend is the provider's side of a request's arrival.
func (w *World) answerSend(c *call, f Fault, parameter int) {
	t, _ := c.about.(worktask.Task)
	switch f { //nolint:exhaustive // the others cannot happen to this class
	case Refused:
		w.conclude(c, worktask.Outcome{Kind: worktask.Rejected})
	case DieBefore:
		w.kill(c.process, false)
	case Overloaded:
		request := w.received(t)
		w.answered(request, 429)
		w.conclude(c, worktask.Outcome{
			Kind: worktask.Rejected, RetryAfter: retryAfters[parameter%len(retryAfters)],
			Report: worktask.Report{ProviderRequestID: request.requestID},
		})
	case DieAfter:
		w.begun(w.received(t))
		w.kill(c.process, false)
	default:
		request := w.received(t)
		w.begun(request)
		w.reply(c, answer{value: request})
	}
}

// received is the provider's own log of a request. The provider knows neither
// process nor assignment.
func (w *World) received(t worktask.Task) *await {
	w.requests++
	request := &await{task: t, requestID: fmt.Sprintf("request-%d", w.requests), truth: &truth{}}
	request.received = w.provider.Record(history.Event{
		Kind: history.CallReceived, Task: history.RefOf(t.Ref), Call: &history.Call{RequestID: request.requestID, PromptSHA256: history.Hash(t.Input)},
	})
	return request
}

func (w *World) begun(a *await) {
	w.provider.Record(history.Event{
		Kind: history.CallStarted, Op: a.received, Task: history.RefOf(a.task.Ref), Call: &history.Call{RequestID: a.requestID},
	})
}

func (w *World) answered(a *await, status int) {
	if a.lookUp {
		return
	}
	about := history.Call{RequestID: a.requestID, OperationID: a.operation, Status: status}
	w.provider.Record(history.Event{Kind: history.CallAnswered, Op: a.received, Task: history.RefOf(a.task.Ref), Call: &about})
	if status == 0 {
		return
	}
	delivered := about
	w.provider.Record(history.Event{Kind: history.CallDelivered, Op: a.received, Task: history.RefOf(a.task.Ref), Call: &delivered})
}

// answerAwait ends a request, or a look-up, as the step says.
func (w *World) answerAwait(c *call, f Fault, parameter int) {
	a, _ := c.about.(*await)
	report := worktask.Report{
		Tokens: worktask.Tokens{Input: 10, Output: 7}, ProviderRequestID: a.requestID,
		Cost: worktask.Cost{Known: w.CallMoney > 0, Micros: w.CallMoney * 2 / 5},
	}
	switch f = a.truth.honest(f); f { //nolint:exhaustive // the others cannot happen to this class
	case DieBefore:
		w.answered(a, 0)
		w.kill(c.process, false)
	case Cut:
		w.answered(a, 0)
		w.conclude(c, worktask.Outcome{Kind: worktask.Ambiguous, RetryAfter: retryAfters[parameter%len(retryAfters)]})
	case Empty:
		w.end(c, a, worktask.Outcome{Kind: worktask.Retryable, Reason: worktask.EmptyReply, Report: report})
	case Permanent:
		report.Cost = worktask.Cost{} // it tells no price
		w.end(c, a, worktask.Outcome{Kind: worktask.Permanent, Reason: worktask.Declined, Report: report})
	case Overloaded:
		w.answered(a, 429)
		w.conclude(c, worktask.Outcome{Kind: worktask.Rejected, RetryAfter: retryAfters[parameter%len(retryAfters)]})
	case Runs:
		w.end(c, a, worktask.Outcome{Kind: worktask.OperationRuns, RetryAfter: time.Second})
	case Forgotten:
		w.end(c, a, worktask.Outcome{Kind: worktask.OperationLost})
	case NotExecuted:
		w.end(c, a, worktask.Outcome{Kind: worktask.Rejected})
	case Unreadable:
		w.end(c, a, worktask.Outcome{Kind: worktask.Ambiguous})
	case Operation:
		if a.operation != "" { // it has told its id already
			w.answerAwait(c, None, parameter)
			return
		}
		w.mu.Lock()
		w.truths["operation-"+a.requestID] = a.truth
		w.mu.Unlock()
		w.reply(c, answer{value: ending{operation: "operation-" + a.requestID}})
	case Large:
		w.end(c, a, w.text(report, taskflow.InlineResultLimit))
	default:
		w.end(c, a, w.text(report, 0))
	}
}

// honest is what the provider tells in place of something that it denied before,
// and what it has told from now on.
func (t *truth) honest(f Fault) Fault {
	switch f { //nolint:exhaustive // the others tell nothing of a request
	case Overloaded, NotExecuted:
		if t.executed {
			return None
		}
		t.refused = true
	case None, Empty, Permanent, Large:
		if t.refused {
			return NotExecuted
		}
		t.executed = true
	}
	return f
}

func (w *World) end(c *call, a *await, outcome worktask.Outcome) {
	w.answered(a, 200)
	w.conclude(c, outcome)
}

func (w *World) conclude(c *call, outcome worktask.Outcome) {
	w.watch.concludes(c.process, outcome)
	w.reply(c, answer{value: ending{outcome: outcome}})
}

// text is an answer that no other answer equals.
func (w *World) text(report worktask.Report, padding int) worktask.Outcome {
	w.answers++
	body := reply.Result{Text: fmt.Sprintf("answer %d%s", w.answers, strings.Repeat(" x", padding/2)), Provider: "simulated"}.Encode()
	return worktask.Outcome{Kind: worktask.Answered, Result: worktask.Result{Body: body}, Report: report}
}
