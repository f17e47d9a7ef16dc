package worktask

import (
	"fmt"
	"time"
)

// Status is where a task is in its life.
type Status string

// The states of a task. Completed, Failed and Cancelled are ends.
const (
	Pending   Status = "pending"
	Running   Status = "running"
	Completed Status = "completed"
	Failed    Status = "failed"
	Cancelled Status = "cancelled"
)

// Ended reports whether no transition leaves the status.
func (s Status) Ended() bool { return s == Completed || s == Failed || s == Cancelled }

// UnknownPolicy says what follows a call whose end nobody saw.
type UnknownPolicy string

const (
	// RetryUnknown repeats the call within the task's budget: the provider may
	// do the work twice, at most one result is saved.
	RetryUnknown UnknownPolicy = "retry"
	// StopUnknown never repeats a call that may have run: the task fails with
	// the reason OutcomeUnknown and somebody decides.
	StopUnknown UnknownPolicy = "stop"
)

// UnknownPolicies lists every policy.
func UnknownPolicies() []UnknownPolicy { return []UnknownPolicy{RetryUnknown, StopUnknown} }

// Reason says why a task failed. The list is closed: page, alarms and metrics
// have one text for each.
type Reason string

// The reasons of a failed task.
const (
	DeadlineOver          Reason = "deadline"
	AttemptsExhausted     Reason = "attempts_exhausted"
	OutcomeUnknown        Reason = "outcome_unknown"
	Declined              Reason = "declined"
	EmptyReply            Reason = "empty_reply"
	InputTooLarge         Reason = "input_too_large"
	ReplyTooLarge         Reason = "reply_too_large"
	ProviderQuota         Reason = "provider_quota"
	ProviderRefused       Reason = "provider_refused"
	ProviderMisconfigured Reason = "provider_misconfigured"
	DocumentUnreadable    Reason = "document_unreadable"
	BudgetExhausted       Reason = "budget_exhausted"
)

// Reasons lists every Reason, in the order of the documentation.
func Reasons() []Reason {
	return []Reason{
		DeadlineOver, AttemptsExhausted, OutcomeUnknown, Declined, EmptyReply, InputTooLarge, ReplyTooLarge,
		ProviderQuota, ProviderRefused, ProviderMisconfigured, DocumentUnreadable, BudgetExhausted,
	}
}

// Who ended a task, where it was not a worker that held it. A worker that ends
// its own task writes its assignment id.
const (
	EndedByUser       = "user"
	EndedByDispatcher = "dispatcher"
	EndedByWorker     = "worker"
)

// Ref addresses a task. Workspace is the tenant. Scope is what the task belongs
// to within it (for a reply its conversation): stores keep a task beside its
// scope, so that nobody can address a task of another workspace.
type Ref struct {
	Workspace string
	Scope     string
	ID        string
}

// String is for errors and logs.
func (r Ref) String() string { return fmt.Sprintf("%s/%s/%s", r.Workspace, r.Scope, r.ID) }

// Task is one piece of work as the store has it. Times are UTC and have
// millisecond precision once stored.
type Task struct {
	Ref
	Kind   string
	Caller string // who asked; only this caller sees a reply task
	Input  string // opaque to the engine, set at accept, never changed
	Status Status

	// AssignmentVersion is the fencing token: it grows by one at each claim,
	// takeover and cancel. AssignmentID is unique per claim; both stay on the
	// task after its end, so that a writer recognises its own write.
	AssignmentVersion int64
	AssignmentID      string
	LeaseExpiresAt    time.Time // zero before the first claim

	Budget    Budget
	Money     Money
	OnUnknown UnknownPolicy
	// CallOpen is set just before a request under StopUnknown, so that a dead
	// worker's task tells "claimed, nothing sent" from "may have been sent".
	CallOpen bool
	// OperationID is the provider's durable handle of a running operation: the
	// next claim looks it up and must not start another.
	OperationID string

	// WaitsFor names what must be ready before the task can be claimed; empty:
	// nothing. It is opaque to the engine and goes with the first claim.
	WaitsFor string

	AcceptedAt    time.Time
	NextAttemptAt time.Time
	Deadline      time.Time
	// HandoffDueAt is when somebody must look at the task next. It is zero
	// exactly when the task has ended.
	HandoffDueAt time.Time

	// Released is how the latest attempt gave the task back, at which version;
	// it tells a retry from the takeover of a dead worker.
	Released ReleaseMode
	// ReleasedVersion is the assignment version that released; 0: never.
	ReleasedVersion int64

	Result        Result // the slot; present exactly when completed
	FailureReason Reason
	EndedBy       string // assignment id, or one of the EndedBy constants
	EndedAt       time.Time

	Tokens            Tokens
	GatewayRequestID  string // of the submit, for support
	ProviderRequestID string // of the latest answer, for support
}

// Result is what a completed task has saved. A small body is on the task; a
// large one is an object under ObjectKey. Bytes and SHA256 (hex) describe the
// body in both cases when ObjectKey is set, and readers check them.
type Result struct {
	Body      string
	ObjectKey string
	Bytes     int64
	SHA256    string
}

// Present reports whether the slot is filled. An empty body is no result.
func (r Result) Present() bool { return r.Body != "" || r.ObjectKey != "" }

// Tokens is what providers reported as used, summed over the calls whose end
// was seen.
type Tokens struct {
	Input  int64
	Output int64
}

// Add returns the sum.
func (t Tokens) Add(o Tokens) Tokens { return Tokens{t.Input + o.Input, t.Output + o.Output} }

// LeaseValid reports whether the lease holds at now. The lease is half open: at
// its end it is over.
func (t Task) LeaseValid(now time.Time) bool {
	return t.Status == Running && millis(now) < millis(t.LeaseExpiresAt)
}

// claimableAt reports whether the state and the clocks allow a claim: pending
// and due, or running with a lease that ended at least margin ago. Between the
// end of the lease and margin neither the holder nor a successor may act.
func (t Task) claimableAt(now time.Time, margin time.Duration) bool {
	switch t.Status {
	case Pending:
		return millis(t.NextAttemptAt) <= millis(now)
	case Running:
		return t.leaseOverFor(now, margin)
	case Completed, Failed, Cancelled:
		return false
	}
	return false
}

func (t Task) leaseOverFor(now time.Time, margin time.Duration) bool {
	return t.Status == Running && millis(t.LeaseExpiresAt) <= millis(now)-margin.Milliseconds()
}

// millis is the precision in which stores keep and compare times.
func millis(t time.Time) int64 { return t.UnixMilli() }
