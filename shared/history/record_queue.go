package history

import (
	"context"
	"time"

	"github.com/replyonce/replyonce/shared/taskflow"
	"github.com/replyonce/replyonce/shared/worktask"
)

// Queue records what the actor publishes.
func (a *Actor) Queue(inner taskflow.Queue) taskflow.Queue { return recordedQueue{a, inner} }

type recordedQueue struct {
	actor *Actor
	inner taskflow.Queue
}

// Publish records every failure as a lost acknowledgement: the message may be
// in the queue all the same.
func (q recordedQueue) Publish(ctx context.Context, ref worktask.Ref) error {
	sent := q.actor.Record(Event{Kind: PublishSent, Task: RefOf(ref)})
	err := q.inner.Publish(withOperation(ctx, sent), ref)
	done := Event{Kind: PublishDone, Op: sent, Task: RefOf(ref), Outcome: Landed}
	if err != nil {
		done.Outcome, done.Detail = Lost, err.Error()
	}
	q.actor.Record(done)
	return err //nolint:wrapcheck // a recorder changes nothing
}

// Handoffs records what the actor reads in the index of due handoffs.
func (a *Actor) Handoffs(inner taskflow.Handoffs) taskflow.Handoffs {
	return recordedHandoffs{a, inner}
}

type recordedHandoffs struct {
	actor *Actor
	inner taskflow.Handoffs
}

func (h recordedHandoffs) DueHandoffs(ctx context.Context, shard int, now time.Time, limit int, cursor string) (taskflow.DuePage, error) {
	page, err := h.inner.DueHandoffs(ctx, shard, now, limit, cursor)
	e := Event{Kind: IndexRead}
	e.Outcome, e.Detail = outcomeOf(err)
	for _, d := range page.Due {
		e.Due = append(e.Due, Due{RefOf(d.Ref), MillisOf(d.DueAt)})
	}
	if err != nil || len(e.Due) > 0 { // an idle sweep reads eight empty pages
		h.actor.Record(e)
	}
	return page, err //nolint:wrapcheck // a recorder changes nothing
}

// Sweep records one run of the dispatcher.
func (a *Actor) Sweep(dispatch func() taskflow.Sweep) taskflow.Sweep {
	begun := a.Record(Event{Kind: SweepBegun})
	swept := dispatch()
	described := SweepOf(swept)
	a.Record(Event{Kind: SweepDone, Op: begun, Sweep: &described})
	return swept
}

// Runner makes one attempt at a delivered task.
type Runner interface {
	Run(ctx context.Context, d taskflow.Delivery) taskflow.Action
}

// Runner records deliveries and what the worker wants done with the message.
// Where the queue's own events are not recorded, wanting a message deleted
// stands for its deletion.
func (a *Actor) Runner(inner Runner) Runner { return recordedRunner{a, inner} }

type recordedRunner struct {
	actor *Actor
	inner Runner
}

func (r recordedRunner) Run(ctx context.Context, d taskflow.Delivery) taskflow.Action {
	message := Message{ID: MessageID(ctx), ReceiveCount: d.ReceiveCount}
	ref := RefOf(d.Ref)
	delivered := r.actor.Record(Event{Kind: Delivered, Task: ref, Message: &message})
	hold := d.Hold
	d.Hold = func(ctx context.Context) {
		hold(ctx)
		r.actor.Record(Event{Kind: Hidden, Task: ref, Message: &Message{ID: message.ID}, Detail: "narrowed to the lease"})
	}
	action := r.inner.Run(ctx, d)
	r.actor.Record(Event{Kind: Handled, Op: delivered, Task: ref, Message: &Message{
		ID: message.ID, ReceiveCount: d.ReceiveCount, Action: action.Kind.String(), AfterMS: action.After.Milliseconds(),
	}})
	return action
}

type messageID struct{}

// WithMessageID names the message whose delivery ctx belongs to, so that a
// recorded delivery can be told from others of the same task.
func WithMessageID(ctx context.Context, id string) context.Context {
	return context.WithValue(ctx, messageID{}, id)
}

// MessageID is the name that WithMessageID gave, or "".
func MessageID(ctx context.Context) string {
	id, _ := ctx.Value(messageID{}).(string)
	return id
}
