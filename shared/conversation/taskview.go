package conversation

import (
	"fmt"
	"slices"
	"time"

	"github.com/replyonce/replyonce/shared/document"
	"github.com/replyonce/replyonce/shared/reply"
	"github.com/replyonce/replyonce/shared/worktask"
)

// TaskView is a reply task as callers see it. It has nothing of the lease: a
// renewal changes nothing that anybody sees, nor the ETag of a read.
type TaskView struct {
	ID                string        `json:"id"`
	Conversation      string        `json:"conversation"`
	Message           string        `json:"message"`
	Kind              string        `json:"kind"`
	Status            string        `json:"status"`
	CreatedAt         Time          `json:"created_at"`
	DeadlineAt        Time          `json:"deadline_at"`
	EndedAt           Time          `json:"ended_at,omitzero"`
	AssignmentVersion int64         `json:"assignment_version"`
	Attempts          int           `json:"attempts"`
	AttemptsLeft      int           `json:"attempts_left"`
	Calls             int           `json:"calls"`
	CallsLeft         int           `json:"calls_left"`
	NextAttemptAt     Time          `json:"next_attempt_at,omitzero"` // of a pending task that was given back
	WaitingFor        *WaitingView  `json:"waiting_for,omitzero"`     // of a pending task that cannot begin yet
	PreviousAttempt   string        `json:"previous_attempt,omitzero"`
	OnUnknown         string        `json:"on_unknown"`
	Reply             *ReplyView    `json:"reply,omitzero"`
	Failure           *FailureView  `json:"failure,omitzero"`
	Spend             TaskSpendView `json:"spend"`
	// AttemptLog has the attempts whose end nobody saw, oldest first.
	AttemptLog []AttemptView `json:"attempt_log,omitempty"`
}

// ReplyView is a saved reply.
type ReplyView struct {
	Text          string `json:"text"`
	CutShort      bool   `json:"cut_short"`
	Provider      string `json:"provider"`
	Model         string `json:"model"`
	LanguageModel bool   `json:"language_model"`
}

// FailureView says why a task failed.
type FailureView struct {
	Reason string `json:"reason"`
}

// TaskSpendView is what the task cost, as far as anybody saw it.
type TaskSpendView struct {
	Calls          int             `json:"calls"`         // recorded, never fewer than the provider saw
	CallsKnown     int             `json:"calls_known"`   // whose end was seen
	CallsUnknown   int             `json:"calls_unknown"` // whose end nobody saw
	InputTokens    int64           `json:"input_tokens"`
	OutputTokens   int64           `json:"output_tokens"`
	RefusedAnswers []RefusedAnswer `json:"refused_answers"`
	// CallsSaved is how many calls a look-up made unnecessary, at most one: the reply
	// is that of an operation whose worker was lost.
	CallsSaved int        `json:"calls_saved"`
	Money      *MoneyView `json:"money"` // null: nothing is priced
}

// RefusedAnswer is an answer that came and was not saved, because the task had
// gone to another worker or had ended.
type RefusedAnswer struct {
	AssignmentVersion int64  `json:"assignment_version"`
	Bytes             int64  `json:"bytes"`
	SHA256            string `json:"sha256"`
	InputTokens       int64  `json:"input_tokens"`
	OutputTokens      int64  `json:"output_tokens"`
	At                Time   `json:"at"`
}

// Why the current or coming attempt of a task is not its first.
const (
	PreviousWorkerLost = "worker_lost" // the worker stopped answering
	PreviousRejected   = "rejected"    // the provider gave no usable answer, and said so
	PreviousUnknown    = "unknown"     // nobody saw how the call ended
)

// WaitingView is what a task waits for: a version that is not ready yet.
type WaitingView struct {
	Version int `json:"version"`
}

// waitingOf is nil for a task that can be worked on, or is.
func waitingOf(t worktask.Task) *WaitingView {
	if t.Status != worktask.Pending || t.WaitsFor == "" {
		return nil
	}
	_, number, err := document.ParseAwaitName(t.WaitsFor)
	if err != nil {
		return nil // of a release that waits for more
	}
	return &WaitingView{Version: number}
}

// Ended reports whether the task will not change any more.
func (v TaskView) Ended() bool { return worktask.Status(v.Status).Ended() }

// Time is written in RFC 3339, UTC, with milliseconds.
type Time time.Time

const timeLayout = "2006-01-02T15:04:05.000Z"

// IsZero lets a time that is not there be left out.
func (t Time) IsZero() bool { return time.Time(t).IsZero() }

// MarshalText implements encoding.TextMarshaler.
func (t Time) MarshalText() ([]byte, error) {
	return []byte(time.Time(t).UTC().Format(timeLayout)), nil
}

// details is what hangs on a task beside its item.
type details struct {
	result   *reply.Result
	evidence []worktask.Evidence
	attempts []worktask.AttemptRecord
	pricing  pricing
}

// viewOf shows a task. It is a pure function of what is stored, so two reads of
// an unchanged task are equal byte for byte.
func viewOf(t worktask.Task, d details) (TaskView, error) {
	input, err := reply.DecodeInput(t.Input)
	if err != nil {
		return TaskView{}, fmt.Errorf("show task %s: %w", t.Ref, err)
	}
	v := TaskView{
		ID: t.ID, Conversation: conversationOfScope(t.Scope), Message: input.Message, Kind: t.Kind, Status: string(t.Status),
		CreatedAt: Time(t.AcceptedAt), DeadlineAt: Time(t.Deadline), EndedAt: Time(t.EndedAt),
		AssignmentVersion: t.AssignmentVersion,
		Attempts:          t.Budget.Attempts(), AttemptsLeft: t.Budget.AttemptsLeft,
		Calls: t.Budget.Calls(), CallsLeft: t.Budget.CallsLeft,
		PreviousAttempt: previousAttempt(t), OnUnknown: string(t.OnUnknown),
		Spend: spendOf(t, d), AttemptLog: AttemptLog(t, d.attempts),
	}
	v.Spend.Money = d.pricing.of(t, input)
	if t.Status == worktask.Pending && t.NextAttemptAt.After(t.AcceptedAt) {
		v.NextAttemptAt = Time(t.NextAttemptAt)
	}
	v.WaitingFor = waitingOf(t)
	if d.result != nil {
		v.Reply = &ReplyView{
			Text: d.result.Text, CutShort: d.result.CutShort, Provider: d.result.Provider,
			Model: d.result.Model, LanguageModel: d.result.LanguageModel,
		}
	}
	if t.Status == worktask.Failed {
		v.Failure = &FailureView{Reason: string(t.FailureReason)}
	}
	return v, nil
}

// previousAttempt tells a retry from a takeover: a release leaves its mode and
// version on the task, a worker that died leaves nothing.
func previousAttempt(t worktask.Task) string {
	switch {
	case t.Status == worktask.Pending && t.AssignmentVersion > 0 && t.ReleasedVersion == t.AssignmentVersion:
		return releasedBecause(t.Released)
	case t.Status != worktask.Running || t.AssignmentVersion <= 1:
		return ""
	case t.ReleasedVersion == t.AssignmentVersion-1:
		return releasedBecause(t.Released)
	}
	return PreviousWorkerLost
}

func releasedBecause(mode worktask.ReleaseMode) string {
	switch mode {
	case worktask.ReleaseRejected, worktask.ReleaseFailed:
		return PreviousRejected
	case worktask.ReleaseUnknown, worktask.ReleaseLookupLost:
		return PreviousUnknown
	case worktask.ReleaseLookup: // the operation goes on; nothing was lost
		return ""
	}
	return ""
}

// savedByLookUp reports whether the reply is that of an operation whose worker was
// lost: without the look-up the call would have been made again. A task that was
// begun anew has another operation, or none, by then.
func savedByLookUp(t worktask.Task, attempts []worktask.AttemptRecord) bool {
	return t.Status == worktask.Completed && t.OperationID != "" && slices.ContainsFunc(attempts, func(r worktask.AttemptRecord) bool {
		return r.Outcome == worktask.AttemptWorkerLost && r.OperationID == t.OperationID
	})
}

func spendOf(t worktask.Task, d details) TaskSpendView {
	spend := TaskSpendView{
		Calls: t.Budget.Calls(), CallsKnown: t.Budget.CallsKnown, CallsUnknown: t.UnknownCalls(),
		InputTokens: t.Tokens.Input, OutputTokens: t.Tokens.Output, RefusedAnswers: []RefusedAnswer{},
	}
	if savedByLookUp(t, d.attempts) {
		spend.CallsSaved = 1
	}
	for _, e := range d.evidence {
		spend.RefusedAnswers = append(spend.RefusedAnswers, RefusedAnswer{
			AssignmentVersion: e.AssignmentVersion, Bytes: e.Bytes, SHA256: e.SHA256,
			InputTokens: e.Tokens.Input, OutputTokens: e.Tokens.Output, At: Time(e.At),
		})
	}
	return spend
}
