package dynamostore

import (
	"fmt"

	"github.com/replyonce/replyonce/shared/dynamoschema"
	"github.com/replyonce/replyonce/shared/worktask"
)

// taskItem is a task as it is created. The index attributes are there while
// somebody must look at the task, which is while it has a due time.
func taskItem(t worktask.Task) item {
	w := newItem(dynamoschema.EntryKey(t.Workspace, t.Scope, t.ID))
	w.text(dynamoschema.Entry, dynamoschema.EntryTask)
	w.text(dynamoschema.Kind, t.Kind)
	w.text(dynamoschema.Caller, t.Caller)
	w.text(dynamoschema.Input, t.Input)
	w.text(dynamoschema.GatewayRequestID, t.GatewayRequestID)
	w.text(dynamoschema.WaitsFor, t.WaitsFor)
	w.text(dynamoschema.Status, string(t.Status))
	w.number(dynamoschema.AssignmentVersion, t.AssignmentVersion)
	w.text(dynamoschema.LeaseOwner, t.AssignmentID)
	w.millis(dynamoschema.LeaseExpiresAt, t.LeaseExpiresAt)
	writeBudget(w, t)
	w.millis(dynamoschema.AcceptedAt, t.AcceptedAt)
	w.millis(dynamoschema.NextAttemptAt, t.NextAttemptAt)
	w.millis(dynamoschema.DeadlineAt, t.Deadline)
	if !t.HandoffDueAt.IsZero() {
		w.millis(dynamoschema.HandoffDueAt, t.HandoffDueAt)
		w.count(dynamoschema.HandoffShard, dynamoschema.ShardOf(t.ID))
	}
	w.text(dynamoschema.ReleaseMode, string(t.Released))
	w.number(dynamoschema.ReleaseVersion, t.ReleasedVersion)
	writeEnd(w, t)
	return w.item
}

func writeBudget(w itemWriter, t worktask.Task) {
	w.number(dynamoschema.AttemptLimit, int64(t.Budget.AttemptLimit))
	w.count(dynamoschema.AttemptsLeft, t.Budget.AttemptsLeft)
	w.number(dynamoschema.CallLimit, int64(t.Budget.CallLimit))
	w.count(dynamoschema.CallsLeft, t.Budget.CallsLeft)
	w.number(dynamoschema.CallsKnown, int64(t.Budget.CallsKnown))
	w.number(dynamoschema.UnknownRepeats, int64(t.Budget.UnknownRepeats))
	if t.Money.Counted() {
		w.number(dynamoschema.MoneyLimit, t.Money.Limit)
		w.item[dynamoschema.MoneyLeft] = number(t.Money.Left)
		w.item[dynamoschema.CallMoney] = number(t.Money.Call)
	}
	w.text(dynamoschema.OnUnknown, string(t.OnUnknown))
	w.flag(dynamoschema.CallOpen, t.CallOpen)
	w.text(dynamoschema.OperationID, t.OperationID)
}

func writeEnd(w itemWriter, t worktask.Task) {
	w.text(dynamoschema.ResultBody, t.Result.Body)
	w.text(dynamoschema.ResultObjectKey, t.Result.ObjectKey)
	w.number(dynamoschema.ResultBytes, t.Result.Bytes)
	w.text(dynamoschema.ResultSHA256, t.Result.SHA256)
	w.text(dynamoschema.FailureReason, string(t.FailureReason))
	w.text(dynamoschema.EndedBy, t.EndedBy)
	w.millis(dynamoschema.EndedAt, t.EndedAt)
	w.number(dynamoschema.InputTokens, t.Tokens.Input)
	w.number(dynamoschema.OutputTokens, t.Tokens.Output)
	w.text(dynamoschema.ProviderRequestID, t.ProviderRequestID)
}

// taskFrom reads what taskItem and the transitions wrote.
func taskFrom(it item) (worktask.Task, error) {
	r := &itemReader{item: it}
	ref, err := refFrom(r)
	if err != nil {
		return worktask.Task{}, err
	}
	t := worktask.Task{
		Ref:               ref,
		Kind:              r.text(dynamoschema.Kind),
		Caller:            r.text(dynamoschema.Caller),
		Input:             r.text(dynamoschema.Input),
		GatewayRequestID:  r.text(dynamoschema.GatewayRequestID),
		Status:            worktask.Status(r.required(dynamoschema.Status)),
		AssignmentVersion: r.number(dynamoschema.AssignmentVersion),
		AssignmentID:      r.text(dynamoschema.LeaseOwner),
		LeaseExpiresAt:    r.millis(dynamoschema.LeaseExpiresAt),
		OnUnknown:         worktask.UnknownPolicy(r.text(dynamoschema.OnUnknown)),
		CallOpen:          r.flag(dynamoschema.CallOpen),
		OperationID:       r.text(dynamoschema.OperationID),
		WaitsFor:          r.text(dynamoschema.WaitsFor),
		AcceptedAt:        r.millis(dynamoschema.AcceptedAt),
		NextAttemptAt:     r.millis(dynamoschema.NextAttemptAt),
		Deadline:          r.millis(dynamoschema.DeadlineAt),
		HandoffDueAt:      r.millis(dynamoschema.HandoffDueAt),
		Released:          worktask.ReleaseMode(r.text(dynamoschema.ReleaseMode)),
		ReleasedVersion:   r.number(dynamoschema.ReleaseVersion),
	}
	readBudget(r, &t)
	readEnd(r, &t)
	if r.err != nil {
		return worktask.Task{}, fmt.Errorf("decode task %s: %w", ref, r.err)
	}
	return t, nil
}

func readBudget(r *itemReader, t *worktask.Task) {
	t.Budget = worktask.Budget{
		AttemptLimit:   r.count(dynamoschema.AttemptLimit),
		CallLimit:      r.count(dynamoschema.CallLimit),
		AttemptsLeft:   r.count(dynamoschema.AttemptsLeft),
		CallsLeft:      r.count(dynamoschema.CallsLeft),
		CallsKnown:     r.count(dynamoschema.CallsKnown),
		UnknownRepeats: r.count(dynamoschema.UnknownRepeats),
	}
	t.Money = worktask.Money{
		Limit: r.number(dynamoschema.MoneyLimit), Left: r.number(dynamoschema.MoneyLeft), Call: r.number(dynamoschema.CallMoney),
	}
}

func readEnd(r *itemReader, t *worktask.Task) {
	t.Result = worktask.Result{
		Body:      r.text(dynamoschema.ResultBody),
		ObjectKey: r.text(dynamoschema.ResultObjectKey),
		Bytes:     r.number(dynamoschema.ResultBytes),
		SHA256:    r.text(dynamoschema.ResultSHA256),
	}
	t.FailureReason = worktask.Reason(r.text(dynamoschema.FailureReason))
	t.EndedBy = r.text(dynamoschema.EndedBy)
	t.EndedAt = r.millis(dynamoschema.EndedAt)
	t.Tokens = worktask.Tokens{Input: r.number(dynamoschema.InputTokens), Output: r.number(dynamoschema.OutputTokens)}
	t.ProviderRequestID = r.text(dynamoschema.ProviderRequestID)
}

// refFrom reads the address of a log entry from its key.
func refFrom(r *itemReader) (worktask.Ref, error) {
	k := dynamoschema.Key{PK: r.text(dynamoschema.PK), SK: r.text(dynamoschema.SK)}
	workspace, scope, id, err := dynamoschema.ParseEntryKey(k)
	if err != nil {
		return worktask.Ref{}, fmt.Errorf("decode log entry: %w", err)
	}
	return worktask.Ref{Workspace: workspace, Scope: scope, ID: id}, nil
}
