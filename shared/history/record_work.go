package history

import (
	"context"

	"github.com/replyonce/replyonce/shared/taskflow"
	"github.com/replyonce/replyonce/shared/worktask"
)

// Kind records the requests and look-ups that the actor makes through inner, as
// the worker sees them.
func (a *Actor) Kind(inner taskflow.Kind) taskflow.Kind { return recordedKind{a, inner} }

type recordedKind struct {
	actor *Actor
	inner taskflow.Kind
}

func (k recordedKind) Prepare(ctx context.Context, t worktask.Task) (taskflow.Work, error) {
	work, err := k.inner.Prepare(ctx, t)
	if err != nil {
		return work, err //nolint:wrapcheck // a recorder changes nothing
	}
	return recordedWork{k.actor, work, t}, nil
}

type recordedWork struct {
	actor *Actor
	inner taskflow.Work
	task  worktask.Task // as claimed
}

func (w recordedWork) Call(ctx context.Context, save func(context.Context, string) error) worktask.Outcome {
	call := w.call()
	sent := w.actor.Record(Event{Kind: CallSent, Task: RefOf(w.task.Ref), Call: &call})
	o := w.inner.Call(withOperation(ctx, sent), save)
	w.ended(CallEnded, sent, "", o)
	return o
}

func (w recordedWork) LookUp(ctx context.Context, operationID string) worktask.Outcome {
	call := w.call()
	call.OperationID = operationID
	sent := w.actor.Record(Event{Kind: LookupSent, Task: RefOf(w.task.Ref), Call: &call})
	o := w.inner.LookUp(withOperation(ctx, sent), operationID)
	w.ended(LookupEnded, sent, operationID, o)
	return o
}

func (w recordedWork) call() Call {
	return Call{AssignmentID: w.task.AssignmentID, AssignmentVersion: w.task.AssignmentVersion}
}

func (w recordedWork) ended(kind Kind, sent int64, operationID string, o worktask.Outcome) {
	call := w.call()
	call.OperationID = operationID
	call.Outcome, call.Result = CallOutcome(o.Kind), SavedOf(o.Result)
	call.CostKnown, call.Cost = o.Report.Cost.Known, o.Report.Cost.Micros
	w.actor.Record(Event{Kind: kind, Op: sent, Task: RefOf(w.task.Ref), Call: &call})
}

// Evidence records what the actor keeps of answers that were not saved. Reads
// pass unrecorded.
func (a *Actor) Evidence(inner taskflow.EvidenceStore) taskflow.EvidenceStore {
	return recordedEvidence{inner, a}
}

type recordedEvidence struct {
	taskflow.EvidenceStore
	actor *Actor
}

func (s recordedEvidence) PutEvidence(ctx context.Context, e worktask.Evidence) error {
	described := EvidenceOf(e)
	sent := s.actor.Record(Event{Kind: EvidenceSent, Task: RefOf(e.Ref), Evidence: &described})
	err := s.EvidenceStore.PutEvidence(withOperation(ctx, sent), e)
	done := Event{Kind: EvidenceDone, Op: sent, Task: RefOf(e.Ref)}
	done.Outcome, done.Detail = outcomeOf(err)
	s.actor.Record(done)
	return err //nolint:wrapcheck // a recorder changes nothing
}

// Objects records the bodies that the actor writes. Reads pass unrecorded.
func (a *Actor) Objects(inner taskflow.Objects) taskflow.Objects { return recordedObjects{inner, a} }

type recordedObjects struct {
	taskflow.Objects
	actor *Actor
}

func (s recordedObjects) PutObject(ctx context.Context, key string, body []byte) error {
	object := Object{Key: key, SHA256: Hash(string(body)), Bytes: int64(len(body))}
	sent := s.actor.Record(Event{Kind: ObjectSent, Object: &object})
	err := s.Objects.PutObject(withOperation(ctx, sent), key, body)
	done := Event{Kind: ObjectDone, Op: sent}
	done.Outcome, done.Detail = outcomeOf(err)
	s.actor.Record(done)
	return err //nolint:wrapcheck // a recorder changes nothing
}
