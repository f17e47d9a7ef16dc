package operator

import (
	"time"

	"github.com/replyonce/replyonce/shared/conversation"
	"github.com/replyonce/replyonce/shared/tracing"
	"github.com/replyonce/replyonce/shared/worktask"
)

// Report is a task as an operator sees it. Names are those of logs and of the API.
type Report struct {
	Workspace    string `json:"workspace"`
	Conversation string `json:"conversation"`
	TaskID       string `json:"task_id"`
	Path         string `json:"path"`
	Kind         string `json:"kind"`

	Status        string     `json:"status"`
	FailureReason string     `json:"failure_reason,omitzero"`
	Assessment    Assessment `json:"assessment"`

	AcceptedAt    Moment `json:"accepted_at"`
	DeadlineAt    Moment `json:"deadline_at"`
	NextAttemptAt Moment `json:"next_attempt_at,omitzero"` // of a pending task
	HandoffDueAt  Moment `json:"handoff_due_at,omitzero"`  // until it ends
	HandoffShard  *int   `json:"handoff_shard,omitempty"`
	EndedAt       Moment `json:"ended_at,omitzero"`
	EndedBy       string `json:"ended_by,omitzero"` // an assignment id, user, worker or dispatcher

	Assignment AssignmentReport `json:"assignment"`
	Budget     BudgetReport     `json:"budget"`
	Spend      SpendReport      `json:"spend"`
	// AttemptLog has the attempts whose end nobody saw, as the API shows them.
	AttemptLog []conversation.AttemptView `json:"attempt_log,omitempty"`

	Message     *MessageReport     `json:"message,omitzero"`
	Reply       *ReplyReport       `json:"reply,omitzero"`
	Retry       *Decision          `json:"retry,omitzero"` // of a task that an operator made
	Idempotency *IdempotencyReport `json:"idempotency,omitzero"`

	GatewayRequestID  string `json:"gateway_request_id,omitzero"`
	ProviderRequestID string `json:"provider_request_id,omitzero"` // of the latest answer
	TraceID           string `json:"trace_id,omitzero"`
}

// AssignmentReport is who has the task, or had it last.
type AssignmentReport struct {
	Version        int64  `json:"assignment_version"` // grows at each claim and at a cancel
	ID             string `json:"lease_owner,omitzero"`
	LeaseExpiresAt Moment `json:"lease_expires_at,omitzero"`
	// Released is how the latest attempt that gave the task back has ended, at
	// which version.
	Released        string `json:"released,omitzero"`
	ReleasedVersion int64  `json:"released_version,omitzero"`
}

// BudgetReport is what may still be spent.
type BudgetReport struct {
	Attempts       int    `json:"attempts"`
	AttemptsLeft   int    `json:"attempts_left"`
	Calls          int    `json:"calls"`
	CallsLeft      int    `json:"calls_left"`
	UnknownRepeats int    `json:"unknown_repeats"`
	OnUnknown      string `json:"on_unknown"`
	CallOpen       bool   `json:"call_open"`             // under the policy stop: a request may be under way
	OperationID    string `json:"operation_id,omitzero"` // looked up before anything is called again
}

// SpendReport is what the task has cost, as far as anybody saw it.
type SpendReport struct {
	Calls          int             `json:"calls"`
	CallsKnown     int             `json:"calls_known"`
	CallsUnknown   int             `json:"calls_unknown"`
	InputTokens    int64           `json:"input_tokens"`
	OutputTokens   int64           `json:"output_tokens"`
	RefusedAnswers []RefusedAnswer `json:"refused_answers"`
}

// RefusedAnswer is evidence of an answer that came too late to be saved.
type RefusedAnswer struct {
	AssignmentVersion int64  `json:"assignment_version"`
	Bytes             int64  `json:"bytes"`
	SHA256            string `json:"sha256"`
	InputTokens       int64  `json:"input_tokens"`
	OutputTokens      int64  `json:"output_tokens"`
	ProviderRequestID string `json:"provider_request_id,omitzero"`
	At                Moment `json:"at"`
}

// MessageReport is the question. Text and caller are there only when asked for.
type MessageReport struct {
	ID              string `json:"id,omitzero"`
	Bytes           int    `json:"bytes,omitzero"`
	Document        string `json:"document,omitzero"`
	DocumentVersion int    `json:"document_version,omitzero"`
	History         int    `json:"history,omitzero"` // earlier turns in the prompt
	Problem         string `json:"problem,omitzero"`
	Caller          string `json:"caller,omitzero"`
	Text            string `json:"text,omitzero"`
}

// ReplyReport is the saved reply. What is within it is there only when asked for.
type ReplyReport struct {
	Bytes     int64  `json:"bytes"` // as it is stored, JSON around the text
	SHA256    string `json:"sha256,omitzero"`
	ObjectKey string `json:"object_key,omitzero"`
	Problem   string `json:"problem,omitzero"`
	CutShort  bool   `json:"cut_short,omitzero"`
	Provider  string `json:"provider,omitzero"`
	Model     string `json:"model,omitzero"`
	Text      string `json:"text,omitzero"`
}

// IdempotencyReport is the record of the call that made the task.
type IdempotencyReport struct {
	Key          string `json:"idempotency_key"`
	Found        bool   `json:"found"`
	Operation    string `json:"operation,omitzero"`
	Target       string `json:"target,omitzero"`
	MadeThisTask bool   `json:"made_this_task"`
	CreatedAt    Moment `json:"created_at,omitzero"`
	ReplayUntil  Moment `json:"replay_until,omitzero"`
	ReplayOver   bool   `json:"replay_over"` // repeats are answered 410
	PurgeAfter   Moment `json:"purge_after,omitzero"`
}

func newReport(t worktask.Task, judge Judge, now time.Time) Report {
	r := Report{
		Workspace: t.Workspace, Conversation: conversationOf(t.Ref), TaskID: t.ID,
		Path: taskPath(t.Ref), Kind: t.Kind,
		Status: string(t.Status), FailureReason: string(t.FailureReason), Assessment: judge.Assess(t, now),
		AcceptedAt: Moment(t.AcceptedAt), DeadlineAt: Moment(t.Deadline), HandoffDueAt: Moment(t.HandoffDueAt),
		EndedAt: Moment(t.EndedAt), EndedBy: t.EndedBy,
		Assignment: AssignmentReport{
			Version: t.AssignmentVersion, ID: t.AssignmentID, LeaseExpiresAt: Moment(t.LeaseExpiresAt),
			Released: string(t.Released), ReleasedVersion: t.ReleasedVersion,
		},
		Budget: BudgetReport{
			Attempts: t.Budget.Attempts(), AttemptsLeft: t.Budget.AttemptsLeft, Calls: t.Budget.Calls(), CallsLeft: t.Budget.CallsLeft,
			UnknownRepeats: t.Budget.UnknownRepeats, OnUnknown: string(t.OnUnknown), CallOpen: t.CallOpen, OperationID: t.OperationID,
		},
		Spend: SpendReport{
			Calls: t.Budget.Calls(), CallsKnown: t.Budget.CallsKnown, CallsUnknown: t.UnknownCalls(),
			InputTokens: t.Tokens.Input, OutputTokens: t.Tokens.Output, RefusedAnswers: []RefusedAnswer{},
		},
		Reply: replyReport(t.Result), Retry: decisionOf(t),
		GatewayRequestID: t.GatewayRequestID, ProviderRequestID: t.ProviderRequestID,
	}
	if trace := tracing.TraceID(t.ID); trace.IsValid() {
		r.TraceID = trace.String()
	}
	if t.Status == worktask.Pending {
		r.NextAttemptAt = Moment(t.NextAttemptAt)
	}
	if !t.Status.Ended() {
		shard := shardOf(t.Ref)
		r.HandoffShard = &shard
	}
	return r
}

func replyReport(saved worktask.Result) *ReplyReport {
	if !saved.Present() {
		return nil
	}
	r := &ReplyReport{Bytes: int64(len(saved.Body)), ObjectKey: saved.ObjectKey, SHA256: saved.SHA256}
	if saved.ObjectKey != "" {
		r.Bytes = saved.Bytes
	}
	return r
}
