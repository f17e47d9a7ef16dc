package history

import (
	"context"
	"errors"

	"github.com/replyonce/replyonce/shared/storeerror"
	"github.com/replyonce/replyonce/shared/taskflow"
	"github.com/replyonce/replyonce/shared/worktask"
)

// Tasks records the writes and strong reads that the actor makes through inner.
// Layers that inject faults belong between it and the store: the sender then is
// recorded as it sees them.
func (a *Actor) Tasks(inner taskflow.Tasks) taskflow.Tasks { return recordedTasks{a, inner} }

type recordedTasks struct {
	actor *Actor
	inner taskflow.Tasks
}

func (s recordedTasks) Apply(ctx context.Context, ref worktask.Ref, tr worktask.Transition) (worktask.Task, error) {
	sent := s.actor.Record(writeEvent(WriteSent, ref, tr))
	t, err := s.inner.Apply(withOperation(ctx, sent), ref, tr)
	done := Event{Kind: WriteDone, Op: sent, Task: RefOf(ref)}
	done.Outcome, done.Detail = outcomeOf(err)
	switch refused, isRefused := errors.AsType[*taskflow.ConditionError](err); {
	case err == nil:
		done.Item = itemPointer(t)
	case isRefused && refused.Seen != nil:
		done.Item = itemPointer(*refused.Seen)
	}
	s.actor.Record(done)
	return t, err //nolint:wrapcheck // a recorder changes nothing
}

func (s recordedTasks) Get(ctx context.Context, ref worktask.Ref) (worktask.Task, error) {
	sent := s.actor.Record(Event{Kind: ReadSent, Task: RefOf(ref)})
	t, err := s.inner.Get(withOperation(ctx, sent), ref)
	done := Event{Kind: ReadDone, Op: sent, Task: RefOf(ref)}
	done.Outcome, done.Detail = outcomeOf(err)
	if err == nil {
		done.Item = itemPointer(t)
	}
	s.actor.Record(done)
	return t, err //nolint:wrapcheck // a recorder changes nothing
}

func writeEvent(kind Kind, ref worktask.Ref, tr worktask.Transition) Event {
	e := Event{Kind: kind, Task: RefOf(ref)}
	w, err := WriteOf(tr)
	if err != nil {
		w = Write{Transition: tr.Name()}
		e.Detail = err.Error()
	}
	e.Write = &w
	return e
}

func itemPointer(t worktask.Task) *Item {
	item := ItemOf(t)
	return &item
}

// outcomeOf reads a store's error. A conflict says nothing of the write, so it
// counts as a lost acknowledgement.
func outcomeOf(err error) (Outcome, string) {
	if err == nil {
		return Landed, ""
	}
	_, refused := errors.AsType[*taskflow.ConditionError](err)
	switch {
	case refused, refusedIndex(err), errors.Is(err, storeerror.ErrRecordExists), errors.Is(err, storeerror.ErrExists):
		return RefusedBy, err.Error()
	case errors.Is(err, storeerror.ErrWriteUnknown), errors.Is(err, storeerror.ErrConflict):
		return Lost, err.Error()
	case errors.Is(err, storeerror.ErrUnavailable):
		return Unavailable, err.Error()
	case errors.Is(err, storeerror.ErrNotFound):
		return Missing, err.Error()
	}
	return Failed, err.Error()
}
