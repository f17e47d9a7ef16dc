package history

import (
	"fmt"
	"time"

	"github.com/replyonce/replyonce/shared/worktask"
)

// Write is a transition with its inputs, as plain data.
type Write struct {
	Transition string `json:"transition"` // the transition's name

	// Of claims: the new assignment. Of the other writes of a worker: the
	// assignment that they are fenced by.
	AssignmentID      string `json:"assignment_id,omitzero"`
	AssignmentVersion int64  `json:"assignment_version,omitzero"`
	LookupOnly        bool   `json:"lookup_only,omitzero"`
	CallMoney         int64  `json:"call_money,omitzero"` // that the assignment's call has taken

	Money    bool   `json:"money,omitzero"`     // claim: takes the money of a call
	Ready    string `json:"ready,omitzero"`     // claim: what was seen ready
	WaitsFor string `json:"waits_for,omitzero"` // end: what the task waits for in vain

	Now        Millis `json:"now,omitzero"`         // the writer's clock
	LeaseUntil Millis `json:"lease_until,omitzero"` // claims, renew
	MarginMS   int64  `json:"margin_ms,omitzero"`   // claims, end
	ReserveMS  int64  `json:"reserve_ms,omitzero"`  // claims

	Mode   string `json:"mode,omitzero"`     // release
	NextAt Millis `json:"next_at,omitzero"`  // release
	DueAt  Millis `json:"due_at,omitzero"`   // release, bump
	SeenAt Millis `json:"seen_due,omitzero"` // bump: the due time that was read

	Reason string `json:"reason,omitzero"`     // fail, end
	Known  bool   `json:"call_known,omitzero"` // fail
	By     string `json:"by,omitzero"`         // end

	OperationID string `json:"operation_id,omitzero"` // save_operation
	Result      Saved  `json:"result,omitzero"`       // complete

	InputTokens       int64  `json:"input_tokens,omitzero"` // complete, fail, release
	OutputTokens      int64  `json:"output_tokens,omitzero"`
	ProviderRequestID string `json:"provider_request_id,omitzero"`
	CostKnown         bool   `json:"cost_known,omitzero"`
	Cost              int64  `json:"cost,omitzero"`
}

// The names of the transitions, as package worktask gives them.
const (
	Claim         = "claim"
	LookupClaim   = "claim_lookup"
	Begin         = "begin"
	Renew         = "renew"
	SaveOperation = "save_operation"
	Complete      = "complete"
	Release       = "release"
	Fail          = "fail"
	End           = "end"
	Cancel        = "cancel"
	Bump          = "bump"
)

// Imitation is implemented by a transition that stands for another one and
// behaves differently, such as a deliberately broken one. It is recorded as the
// one that it stands for, so that a checker sees what was wanted.
type Imitation interface {
	worktask.Transition
	Original() worktask.Transition
}

// WriteOf describes a transition. Transitions that the engine does not have
// give an error.
func WriteOf(tr worktask.Transition) (Write, error) {
	for {
		imitation, ok := tr.(Imitation)
		if !ok {
			break
		}
		tr = imitation.Original()
	}
	w := Write{Transition: tr.Name()}
	switch tr := tr.(type) {
	case worktask.Claim:
		w.claim(tr.AssignmentID, tr.Now, tr.LeaseUntil, tr.Margin, tr.Reserve)
		w.Money, w.Ready = tr.Money, tr.Ready
	case worktask.LookupClaim:
		w.claim(tr.AssignmentID, tr.Now, tr.LeaseUntil, tr.Margin, tr.Reserve)
	case worktask.Beginning:
		w.fence(tr.Assignment(), tr.Now())
	case worktask.Renewal:
		w.fence(tr.Assignment(), tr.Now())
		w.LeaseUntil = MillisOf(tr.Until())
	case worktask.OperationSave:
		w.fence(tr.Assignment(), tr.Now())
		w.OperationID = tr.OperationID()
	case worktask.Completion:
		w.fence(tr.Assignment(), tr.Now())
		w.Result = SavedOf(tr.Result())
		w.report(tr.Report())
	case worktask.Failure:
		w.fence(tr.Assignment(), tr.Now())
		w.Reason, w.Known = string(tr.Reason()), tr.Known()
		w.report(tr.Report())
	case worktask.Release:
		w.fence(tr.Assignment(), tr.Now())
		w.Mode, w.NextAt, w.DueAt = string(tr.Mode()), MillisOf(tr.NextAt()), MillisOf(tr.DueAt())
		w.report(tr.Report())
	case worktask.End:
		w.Reason, w.By, w.Now, w.MarginMS = string(tr.Reason), tr.By, MillisOf(tr.Now), tr.Margin.Milliseconds()
		w.WaitsFor = tr.WaitsFor
	case worktask.Cancel:
		w.Now = MillisOf(tr.Now)
	case worktask.Bump:
		w.SeenAt, w.DueAt = MillisOf(tr.Seen), MillisOf(tr.Due)
	default:
		return Write{}, fmt.Errorf("record write %s: transition %T is unknown", tr.Name(), tr)
	}
	return w, nil
}

func (w *Write) claim(id string, now, until time.Time, margin, reserve time.Duration) {
	w.AssignmentID, w.Now, w.LeaseUntil = id, MillisOf(now), MillisOf(until)
	w.MarginMS, w.ReserveMS = margin.Milliseconds(), reserve.Milliseconds()
}

func (w *Write) fence(a worktask.Assignment, now time.Time) {
	w.AssignmentID, w.AssignmentVersion, w.LookupOnly, w.Now = a.ID(), a.Version(), a.LookupOnly(), MillisOf(now)
	w.CallMoney = a.CallMoney()
}

func (w *Write) report(r worktask.Report) {
	w.InputTokens, w.OutputTokens, w.ProviderRequestID = r.Tokens.Input, r.Tokens.Output, r.ProviderRequestID
	w.CostKnown, w.Cost = r.Cost.Known, r.Cost.Micros
}

// Fenced reports whether the write is one of a worker under its assignment.
func (w Write) Fenced() bool {
	switch w.Transition {
	case Begin, Renew, SaveOperation, Complete, Release, Fail:
		return true
	}
	return false
}

// Claims reports whether the write takes a task.
func (w Write) Claims() bool { return w.Transition == Claim || w.Transition == LookupClaim }

// Engine is the transition in the engine's own values, with the hash in place
// of a result's body.
func (w Write) Engine(ref Ref) (worktask.Transition, error) {
	now, until := w.Now.Time(), w.LeaseUntil.Time()
	margin, reserve := time.Duration(w.MarginMS)*time.Millisecond, time.Duration(w.ReserveMS)*time.Millisecond
	report := worktask.Report{
		Tokens: worktask.Tokens{Input: w.InputTokens, Output: w.OutputTokens}, ProviderRequestID: w.ProviderRequestID,
		Cost: worktask.Cost{Known: w.CostKnown, Micros: w.Cost},
	}
	switch w.Transition {
	case Claim:
		return worktask.Claim{AssignmentID: w.AssignmentID, Now: now, LeaseUntil: until, Margin: margin, Reserve: reserve, Money: w.Money, Ready: w.Ready}, nil
	case LookupClaim:
		return worktask.LookupClaim{AssignmentID: w.AssignmentID, Now: now, LeaseUntil: until, Margin: margin, Reserve: reserve}, nil
	case End:
		return worktask.End{Reason: worktask.Reason(w.Reason), By: w.By, Now: now, Margin: margin, WaitsFor: w.WaitsFor}, nil
	case Cancel:
		return worktask.Cancel{Now: now}, nil
	case Bump:
		return worktask.Bump{Seen: w.SeenAt.Time(), Due: w.DueAt.Time()}, nil
	}
	a, ok := w.assignment(ref)
	if !ok {
		return nil, fmt.Errorf("write %q of task %s names no assignment", w.Transition, ref)
	}
	switch w.Transition {
	case Begin:
		return a.Begin(now), nil
	case Renew:
		return a.Renew(now, until), nil
	case SaveOperation:
		return a.SaveOperation(now, w.OperationID), nil
	case Complete:
		return a.Complete(now, w.Result.result(), report), nil
	case Release:
		return a.Release(now, worktask.ReleaseMode(w.Mode), w.NextAt.Time(), w.DueAt.Time(), report), nil
	case Fail:
		return a.Fail(now, worktask.Reason(w.Reason), w.Known, report), nil
	}
	return nil, fmt.Errorf("write %q of task %s is unknown", w.Transition, ref)
}

// assignment is had the only way there is: from a task on which a claim has
// put it.
func (w Write) assignment(ref Ref) (worktask.Assignment, bool) {
	claimed := worktask.Task{
		Ref: ref.Parts(), Status: worktask.Running, AssignmentID: w.AssignmentID, AssignmentVersion: w.AssignmentVersion,
		Money: worktask.Money{Call: w.CallMoney},
	}
	if w.LookupOnly {
		claimed.OperationID = "saved"
	}
	return worktask.AssignmentOf(claimed, w.AssignmentID)
}
