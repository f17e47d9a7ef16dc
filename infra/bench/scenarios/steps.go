package scenarios

import (
	"context"

	"github.com/replyonce/replyonce/infra/bench/units"
	"github.com/replyonce/replyonce/shared/taskflow"
	"github.com/replyonce/replyonce/shared/worktask"
)

// Steps that requests are made for. Writes to a task are named after their
// transition: "claim", "complete" and so on.
const (
	stepSubmit     = "submit"
	stepRegenerate = "regenerate"
	stepCancel     = "cancel"
	stepReceive    = "receive" // the event source polls
	stepWork       = "work"    // the worker, besides prompt and task writes
	stepPrompt     = "prompt"  // reading what the prompt is made of
	stepDelete     = "delete"  // the event source deletes what is done
	stepDispatch   = "dispatch"
)

// namedTasks names the requests of a write after its transition.
type namedTasks struct{ taskflow.Tasks }

func (t namedTasks) Apply(ctx context.Context, ref worktask.Ref, tr worktask.Transition) (worktask.Task, error) {
	return t.Tasks.Apply(units.In(ctx, tr.Name()), ref, tr)
}

// namedKind names the reads of a prompt.
type namedKind struct{ taskflow.Kind }

func (k namedKind) Prepare(ctx context.Context, t worktask.Task) (taskflow.Work, error) {
	return k.Kind.Prepare(units.In(ctx, stepPrompt), t)
}
