package mutants

import (
	"context"
	"fmt"
	"strings"

	"github.com/replyonce/replyonce/shared/history"
	"github.com/replyonce/replyonce/shared/history/check"
	"github.com/replyonce/replyonce/shared/simulation/world"
	"github.com/replyonce/replyonce/shared/storeerror"
	"github.com/replyonce/replyonce/shared/taskflow"
	"github.com/replyonce/replyonce/shared/worktask"
)

func works() []Mutant {
	return []Mutant{
		{
			Name: "client library that sends requests twice", Breaks: string(check.P8), Within: 600,
			Wrong: "a request whose end nobody saw is repeated inside one attempt, without a record",
			Wire: func() world.Wiring {
				return world.Wiring{Kind: func(k taskflow.Kind) taskflow.Kind { return twice{k} }}
			},
		},
		{
			Name: "look-up that starts again", Breaks: string(check.P8), Within: 600,
			Wrong: "a saved operation is not looked up but called for once more",
			Wire: func() world.Wiring {
				return world.Wiring{Kind: func(k taskflow.Kind) taskflow.Kind { return callsAgain{k} }}
			},
		},
	}
}

// twice sends a request again when it did not see the end of the first.
type twice struct{ taskflow.Kind }

func (k twice) Prepare(ctx context.Context, t worktask.Task) (taskflow.Work, error) {
	work, err := k.Kind.Prepare(ctx, t)
	return twiceWork{work}, err
}

type twiceWork struct{ taskflow.Work }

func (w twiceWork) Call(ctx context.Context, save func(context.Context, string) error) worktask.Outcome {
	o := w.Work.Call(ctx, save)
	if o.Kind == worktask.Ambiguous && ctx.Err() == nil {
		return w.Work.Call(ctx, save)
	}
	return o
}

// callsAgain answers a look-up by a call.
type callsAgain struct{ taskflow.Kind }

func (k callsAgain) Prepare(ctx context.Context, t worktask.Task) (taskflow.Work, error) {
	work, err := k.Kind.Prepare(ctx, t)
	return callsAgainWork{work}, err
}

type callsAgainWork struct{ taskflow.Work }

func (w callsAgainWork) LookUp(ctx context.Context, _ string) worktask.Outcome {
	return w.Call(ctx, func(context.Context, string) error { return nil })
}

// countedByQueue leaves the budget on the task alone and gives up on a message
// that was received too often.
func countedByQueue() world.Wiring {
	w := with(func(c worktask.Claim, t worktask.Task) worktask.Task {
		budget := t.Budget
		t = c.Apply(t)
		t.Budget = budget
		return t
	})()
	w.Runner = func(p world.RunnerParts) history.Runner { return bounded{p.Runner} }
	return w
}

type bounded struct{ taskflow.Runner }

func (b bounded) Run(ctx context.Context, d taskflow.Delivery) taskflow.Action {
	if d.ReceiveCount > b.Timers.Attempts {
		return taskflow.Action{Kind: taskflow.Delete}
	}
	return b.Runner.Run(ctx, d)
}

// sharedObjects keeps one object per task, whoever writes it.
func sharedObjects() func(world.Backing) world.Backing {
	kept := map[string][]byte{}
	return func(inner world.Backing) world.Backing { return objects{inner, kept} }
}

type objects struct {
	world.Backing
	kept map[string][]byte
}

func ofTask(key string) string { return key[:strings.LastIndex(key, "/")] }

func (o objects) PutObject(_ context.Context, key string, body []byte) error {
	o.kept[ofTask(key)] = body
	return nil
}

func (o objects) GetObject(_ context.Context, key string) ([]byte, error) {
	body, found := o.kept[ofTask(key)]
	if !found {
		return nil, fmt.Errorf("get object %s: %w", key, storeerror.ErrNotFound)
	}
	return body, nil
}
