package scenarios

import (
	"context"

	"github.com/replyonce/replyonce/shared/worktask"
)

// scenario is one situation.
type scenario struct {
	name  string
	about string // what is counted
	// policy is what follows an unknown outcome; empty: retry.
	policy worktask.UnknownPolicy
	play   func(ctx context.Context, w *world) error

	status   worktask.Status // of the task in the end
	calls    int64           // that the provider has received in the end
	maxWrite int             // write units
}

// maxSaved is the promise for the usual case; the bounds of the other scenarios
// are what they took when they were written down, so that a dearer write does
// not slip in.
const (
	maxSaved       = 11
	maxSubmitReads = 2
)

var all = []scenario{
	{
		name: "first send to saved", about: "one question from Send to the saved reply",
		play: counted(send, deliver), status: worktask.Completed, calls: 1, maxWrite: maxSaved,
	},
	{
		name: "follow-up question", about: "the same with two earlier questions and replies in the prompt",
		play: followUp, status: worktask.Completed, calls: 3, maxWrite: maxSaved,
	},
	{
		name: "first send, policy stop", about: "the same where a call that may have run is never repeated",
		policy: worktask.StopUnknown, play: counted(send, deliver), status: worktask.Completed, calls: 1, maxWrite: maxSaved + 1,
	},
	{
		name: "repeat while running", about: "the second send alone, while the worker waits for the provider",
		play: repeatWhileRunning, status: worktask.Completed, calls: 1, maxWrite: 6,
	},
	{
		name: "repeat after success", about: "the second send alone, after the reply was saved",
		play: inOrder(send, deliver, counted(repeat)), status: worktask.Completed, calls: 1, maxWrite: 6,
	},
	{
		name: "crash before the call", about: "the worker dies with the task in hand, another takes over",
		play: counted(send, crash(beforeCall), leaseEnds, deliver), status: worktask.Completed, calls: 1, maxWrite: 13,
	},
	{
		name: "crash after the call", about: "the worker dies with the answer in hand, another takes over and asks again",
		play: counted(send, crash(afterCall), leaseEnds, deliver), status: worktask.Completed, calls: 2, maxWrite: 13,
	},
	{
		name: "cancel while waiting", about: "Stop before a worker has begun, and the message that is delivered after it",
		play: counted(send, cancel, deliver), status: worktask.Cancelled, calls: 0, maxWrite: 10,
	},
	{
		name: "cancel during the call", about: "Stop while the provider works, and the answer that comes all the same",
		play: cancelDuringCall, status: worktask.Cancelled, calls: 1, maxWrite: 12,
	},
	{
		name: "regenerate", about: "another reply to a question that has one, from the button to the saved reply",
		play: inOrder(send, deliver, counted(regenerate, deliver)), status: worktask.Completed, calls: 2, maxWrite: 9,
	},
	{
		name: "lost handoff", about: "the message never arrives, the dispatcher publishes again",
		play: counted(send, loseMessage, dispatch, deliver), status: worktask.Completed, calls: 1, maxWrite: 14,
	},
	{
		name: "idle dispatcher", about: "one sweep with nothing due",
		play: inOrder(send, deliver, counted(dispatch)), status: worktask.Completed, calls: 1, maxWrite: 0,
	},
}

// act is one step of a play.
type act func(ctx context.Context, w *world) error

func send(ctx context.Context, w *world) error        { return w.send(ctx) }
func repeat(ctx context.Context, w *world) error      { return w.repeat(ctx) }
func regenerate(ctx context.Context, w *world) error  { return w.regenerate(ctx) }
func cancel(ctx context.Context, w *world) error      { return w.cancel(ctx) }
func deliver(ctx context.Context, w *world) error     { return w.deliver(ctx) }
func leaseEnds(ctx context.Context, w *world) error   { return w.leaseEnds(ctx) }
func loseMessage(ctx context.Context, w *world) error { return w.loseMessage(ctx) }
func dispatch(ctx context.Context, w *world) error    { return w.dispatch(ctx) }

// inOrder plays acts until one fails.
func inOrder(acts ...act) act {
	return func(ctx context.Context, w *world) error {
		for _, a := range acts {
			if err := a(ctx, w); err != nil {
				return err
			}
		}
		return nil
	}
}

// counted counts what the acts cost.
func counted(acts ...act) act {
	return func(ctx context.Context, w *world) error {
		return w.count(func() error { return inOrder(acts...)(ctx, w) })
	}
}

// Where in a call a scenario steps in.
func beforeCall(p *provider, hook func()) { p.beforeCall = hook }
func afterCall(p *provider, hook func())  { p.afterCall = hook }

// crash delivers to a worker that dies there.
func crash(where func(*provider, func())) act {
	return func(ctx context.Context, w *world) error {
		where(w.provider, w.dies)
		return w.deliver(ctx)
	}
}

// duringCall delivers, and plays the act while the provider works.
func duringCall(a act) act {
	return func(ctx context.Context, w *world) error {
		var err error
		afterCall(w.provider, func() { err = a(ctx, w) })
		if failed := w.deliver(ctx); failed != nil {
			return failed
		}
		return err
	}
}

var repeatWhileRunning = inOrder(send, duringCall(counted(repeat)))

var cancelDuringCall = counted(send, duringCall(cancel))

// followUp asks twice and then a third time with the two turns as history.
func followUp(ctx context.Context, w *world) error {
	var history []string
	for range 2 {
		if err := inOrder(send, deliver)(ctx, w); err != nil {
			return err
		}
		history = append(history, w.task.ID)
	}
	return w.count(func() error {
		if err := w.send(ctx, history...); err != nil {
			return err
		}
		return w.deliver(ctx)
	})
}
