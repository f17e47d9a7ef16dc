package history

import (
	"time"

	"github.com/replyonce/replyonce/shared/idempotency"
	"github.com/replyonce/replyonce/shared/taskflow"
	"github.com/replyonce/replyonce/shared/worktask"
)

// Creation is a creating transaction: an idempotency record and what it makes.
type Creation struct {
	What   string `json:"what"` // one of the Creates constants
	Record Record `json:"record"`
	Item   *Item  `json:"item,omitzero"` // the task that is made, if one is
	// Version is the version of a document that is made, if one is.
	Version *Version `json:"version,omitzero"`
}

// What a creating transaction makes beside its record.
const (
	CreatesConversation = "conversation"
	CreatesMessage      = "message" // and its reply task
	CreatesTask         = "task"    // one more for an older message
	CreatesVersion      = "version" // of a document, and its index task if it needs one
)

// Record is an idempotency record.
type Record struct {
	Workspace   string `json:"workspace"`
	Caller      string `json:"caller"`
	Operation   string `json:"operation"`
	Key         string `json:"key"`
	Fingerprint string `json:"fingerprint"`
	Target      string `json:"target"` // where what was made is read
	CreatedAt   Millis `json:"created_at"`
	ReplayUntil Millis `json:"replay_until"`
	PurgeAfter  Millis `json:"purge_after"`
}

// RecordOf describes a record.
func RecordOf(r idempotency.Record) Record {
	return Record{
		Workspace: r.Scope.Workspace, Caller: r.Scope.Caller, Operation: r.Scope.Operation, Key: string(r.Key),
		Fingerprint: r.Fingerprint.String(), Target: r.Target,
		CreatedAt: MillisOf(r.CreatedAt), ReplayUntil: MillisOf(r.ReplayUntil), PurgeAfter: MillisOf(r.PurgeAfter),
	}
}

// Address is what no two keys of different scopes share.
func (r Record) Address() string {
	return idempotency.Scope{Workspace: r.Workspace, Caller: r.Caller, Operation: r.Operation}.Address(idempotency.Key(r.Key))
}

// Evidence is what is kept of an answer that was not saved.
type Evidence struct {
	AssignmentID      string `json:"assignment_id"`
	AssignmentVersion int64  `json:"assignment_version"`
	Bytes             int64  `json:"bytes"`
	SHA256            string `json:"sha256"`
	InputTokens       int64  `json:"input_tokens,omitzero"`
	OutputTokens      int64  `json:"output_tokens,omitzero"`
	ProviderRequestID string `json:"provider_request_id,omitzero"`
}

// EvidenceOf describes evidence.
func EvidenceOf(e worktask.Evidence) Evidence {
	return Evidence{
		AssignmentID: e.AssignmentID, AssignmentVersion: e.AssignmentVersion, Bytes: e.Bytes, SHA256: e.SHA256,
		InputTokens: e.Tokens.Input, OutputTokens: e.Tokens.Output, ProviderRequestID: e.ProviderRequestID,
	}
}

// Object is a body in object storage.
type Object struct {
	Key    string `json:"key"`
	SHA256 string `json:"sha256"`
	Bytes  int64  `json:"bytes"`
}

// Message is a queue message, or what is to become of one.
type Message struct {
	ID           string `json:"id,omitzero"`
	ReceiveCount int    `json:"receive_count,omitzero"`
	Action       string `json:"action,omitzero"`   // handled: delete, wait or back
	AfterMS      int64  `json:"after_ms,omitzero"` // how long it stays hidden
}

// Call is a request to the provider, or one event of its life.
type Call struct {
	RequestID string `json:"request_id,omitzero"` // the provider's name for it
	// The assignment that makes it; a provider does not know it.
	AssignmentID      string `json:"assignment_id,omitzero"`
	AssignmentVersion int64  `json:"assignment_version,omitzero"`
	Key               string `json:"key,omitzero"` // the provider's idempotency key
	PromptSHA256      string `json:"prompt_sha256,omitzero"`
	OperationID       string `json:"operation_id,omitzero"`
	Generation        int    `json:"generation,omitzero"` // of this prompt, from 1
	Replayed          bool   `json:"replayed,omitzero"`   // answered by the key of an earlier request
	Status            int    `json:"status,omitzero"`     // HTTP
	Outcome           string `json:"outcome,omitzero"`    // what a worker knows, or what the provider decided
	CostKnown         bool   `json:"cost_known,omitzero"`
	Cost              int64  `json:"cost,omitzero"` // in millionths of the currency, as a worker knows it
	Result            Saved  `json:"result,omitzero"`
}

// The outcomes of a call as a worker knows them.
const (
	CallAnswer    = "answered"
	CallRejected  = "rejected"
	CallUnknown   = "unknown"
	CallRetryable = "retryable"
	CallPermanent = "permanent"
	CallRuns      = "operation_runs"
	CallMissing   = "operation_lost"
)

// CallOutcome names an outcome.
func CallOutcome(kind worktask.OutcomeKind) string {
	switch kind {
	case worktask.Answered:
		return CallAnswer
	case worktask.Rejected:
		return CallRejected
	case worktask.Ambiguous:
		return CallUnknown
	case worktask.Retryable:
		return CallRetryable
	case worktask.Permanent:
		return CallPermanent
	case worktask.OperationRuns:
		return CallRuns
	case worktask.OperationLost:
		return CallMissing
	}
	return CallUnknown
}

// Clock is a step of a process's wall clock.
type Clock struct {
	OffsetMS int64 `json:"offset_ms"` // from the run's clock, after the step
}

// Request is what a caller asks for. Workspace and caller are those of the
// caller's token. Fingerprint tells the inputs of keyed requests apart; it needs
// no particular form, because only those under one key are compared.
type Request struct {
	Workspace   string `json:"workspace"`
	Caller      string `json:"caller"`
	Operation   string `json:"operation"` // submit, regenerate, read, cancel …
	Key         string `json:"key,omitzero"`
	Fingerprint string `json:"fingerprint,omitzero"`
	IfNoneMatch string `json:"if_none_match,omitzero"`
}

// Operations of callers that are not keyed. The keyed ones have the names that
// package conversation gives them.
const (
	OperationRead   = "read"
	OperationCancel = "cancel"

	OperationReadDocument = "read_document"
	OperationReadVersion  = "read_version"
)

// Address is that of the record which a keyed request makes or finds.
func (r Request) Address() string {
	return Record{Workspace: r.Workspace, Caller: r.Caller, Operation: r.Operation, Key: r.Key}.Address()
}

// Answer is what a caller got.
type Answer struct {
	Status   int    `json:"status"` // HTTP; 0: the connection ended without an answer
	Code     string `json:"code,omitzero"`
	Replayed bool   `json:"replayed,omitzero"`
	Location string `json:"location,omitzero"`
	ETag     string `json:"etag,omitzero"`
	View     *View  `json:"view,omitzero"` // the task in the body

	Document *DocumentView `json:"document,omitzero"` // the document in the body
	Text     *TextView     `json:"text,omitzero"`     // the version that was asked for, with the text in the body
}

// View is a task as callers see it.
type View struct {
	Status            string `json:"status"`
	AssignmentVersion int64  `json:"assignment_version"`
	AttemptsLeft      int    `json:"attempts_left"`
	Calls             int    `json:"calls"`
	CallsLeft         int    `json:"calls_left"`
	CallsKnown        int    `json:"calls_known"`
	CallsUnknown      int    `json:"calls_unknown"`
	RefusedAnswers    int    `json:"refused_answers"`
	Failure           string `json:"failure,omitzero"`
	ReplySHA256       string `json:"reply_sha256,omitzero"` // of the text that is shown
}

// Sweep is what one run of the dispatcher did.
type Sweep struct {
	Seen      int  `json:"seen"`
	Published int  `json:"published"`
	Ended     int  `json:"ended"`
	Deferred  int  `json:"deferred"`
	Failed    int  `json:"failed"`
	Complete  bool `json:"complete"` // every shard was read to its end
}

// SweepOf describes a sweep.
func SweepOf(s taskflow.Sweep) Sweep {
	return Sweep{s.Seen, s.Published, s.Ended, s.Deferred, s.Failed, s.Complete}
}

// Due is an entry of the index of due handoffs.
type Due struct {
	Task Ref    `json:"task"`
	At   Millis `json:"due_at"`
}

// Limits are the times that promises speak of.
type Limits struct {
	LeaseMS    int64 `json:"lease_ms"`
	MarginMS   int64 `json:"margin_ms"`
	DispatchMS int64 `json:"dispatch_ms"`
	// SkewMS is how far clocks of processes were ever off from the run's clock.
	SkewMS int64 `json:"skew_ms,omitzero"`
}

// LimitsOf takes them from the timers of the run.
func LimitsOf(t worktask.Timers) Limits {
	return Limits{
		LeaseMS: t.Lease.Milliseconds(), MarginMS: t.SkewMargin.Milliseconds(), DispatchMS: t.DispatchEvery.Milliseconds(),
	}
}

// Recovery is the recovery interval: lease, margin and one period of the
// dispatcher.
func (l Limits) Recovery() time.Duration {
	return time.Duration(l.LeaseMS+l.MarginMS+l.DispatchMS) * time.Millisecond
}
