package history

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"time"

	"github.com/replyonce/replyonce/shared/worktask"
)

// Ref addresses a task: workspace, scope and id with "/" between them.
type Ref string

// RefOf is the Ref of a task's address.
func RefOf(r worktask.Ref) Ref {
	if r == (worktask.Ref{}) {
		return ""
	}
	return Ref(r.String())
}

// Parts takes the address apart; the missing ones of a malformed Ref are empty.
func (r Ref) Parts() worktask.Ref {
	workspace, rest, _ := strings.Cut(string(r), "/")
	scope, id, _ := strings.Cut(rest, "/")
	return worktask.Ref{Workspace: workspace, Scope: scope, ID: id}
}

// Millis is an instant in the precision that stores keep, in milliseconds since
// 1970. Zero is no time.
type Millis int64

// MillisOf cuts a time.
func MillisOf(t time.Time) Millis {
	if t.IsZero() {
		return 0
	}
	return Millis(t.UnixMilli())
}

// Time is the instant in UTC; the zero time for zero.
func (m Millis) Time() time.Time {
	if m == 0 {
		return time.Time{}
	}
	return time.UnixMilli(int64(m)).UTC()
}

// Add moves the instant.
func (m Millis) Add(d time.Duration) Millis { return m + Millis(d.Milliseconds()) }

const millisLayout = "2006-01-02T15:04:05.000Z"

func (m Millis) String() string { return m.Time().Format(millisLayout) }

// MarshalText implements encoding.TextMarshaler.
func (m Millis) MarshalText() ([]byte, error) { return []byte(m.String()), nil }

// UnmarshalText implements encoding.TextUnmarshaler.
func (m *Millis) UnmarshalText(text []byte) error {
	t, err := time.Parse(millisLayout, string(text))
	if err != nil {
		return fmt.Errorf("instant %q: %w", text, err)
	}
	*m = MillisOf(t)
	return nil
}

// Item is a task as the store has it. Two items are equal exactly when all that
// is stored is equal, texts by their hashes.
type Item struct {
	Kind              string `json:"kind,omitzero"`
	Caller            string `json:"caller,omitzero"`
	InputSHA256       string `json:"input_sha256,omitzero"`
	Status            string `json:"status"`
	AssignmentVersion int64  `json:"assignment_version"`
	AssignmentID      string `json:"assignment_id,omitzero"`
	LeaseExpiresAt    Millis `json:"lease_expires_at,omitzero"`
	AttemptLimit      int    `json:"attempt_limit"`
	CallLimit         int    `json:"call_limit"`
	AttemptsLeft      int    `json:"attempts_left"`
	CallsLeft         int    `json:"calls_left"`
	CallsKnown        int    `json:"calls_known"`
	UnknownRepeats    int    `json:"unknown_repeats"`
	MoneyLimit        int64  `json:"money_limit,omitzero"`
	MoneyLeft         int64  `json:"money_left,omitzero"`
	CallMoney         int64  `json:"call_money,omitzero"`
	OnUnknown         string `json:"on_unknown"`
	CallOpen          bool   `json:"call_open,omitzero"`
	OperationID       string `json:"operation_id,omitzero"`
	WaitsFor          string `json:"waits_for,omitzero"`
	AcceptedAt        Millis `json:"accepted_at,omitzero"`
	NextAttemptAt     Millis `json:"next_attempt_at,omitzero"`
	Deadline          Millis `json:"deadline_at,omitzero"`
	HandoffDueAt      Millis `json:"handoff_due_at,omitzero"`
	Released          string `json:"released,omitzero"`
	ReleasedVersion   int64  `json:"released_version,omitzero"`
	Result            Saved  `json:"result,omitzero"`
	FailureReason     string `json:"failure_reason,omitzero"`
	EndedBy           string `json:"ended_by,omitzero"`
	EndedAt           Millis `json:"ended_at,omitzero"`
	InputTokens       int64  `json:"input_tokens,omitzero"`
	OutputTokens      int64  `json:"output_tokens,omitzero"`
	GatewayRequestID  string `json:"gateway_request_id,omitzero"`
	ProviderRequestID string `json:"provider_request_id,omitzero"`
}

// Saved is a result by what identifies it.
type Saved struct {
	SHA256    string `json:"sha256,omitzero"` // hex, of the body
	Bytes     int64  `json:"bytes,omitzero"`  // of the body
	ObjectKey string `json:"object_key,omitzero"`
}

// Present reports whether there is a result.
func (s Saved) Present() bool { return s != Saved{} }

// SavedOf is a task's result without its text.
func SavedOf(r worktask.Result) Saved {
	if r.ObjectKey != "" {
		return Saved{SHA256: r.SHA256, Bytes: r.Bytes, ObjectKey: r.ObjectKey}
	}
	if r.Body == "" {
		return Saved{}
	}
	return Saved{SHA256: Hash(r.Body), Bytes: int64(len(r.Body))}
}

// result stands for the result in the engine's own values: the hash in place of
// the body.
func (s Saved) result() worktask.Result {
	if s.ObjectKey != "" {
		return worktask.Result{ObjectKey: s.ObjectKey, Bytes: s.Bytes, SHA256: s.SHA256}
	}
	return worktask.Result{Body: s.SHA256, Bytes: s.Bytes}
}

// Hash is the SHA-256 of a text in hex.
func Hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// ItemOf is the task without its texts.
func ItemOf(t worktask.Task) Item {
	return Item{
		Kind: t.Kind, Caller: t.Caller, InputSHA256: Hash(t.Input), Status: string(t.Status),
		AssignmentVersion: t.AssignmentVersion, AssignmentID: t.AssignmentID, LeaseExpiresAt: MillisOf(t.LeaseExpiresAt),
		AttemptLimit: t.Budget.AttemptLimit, CallLimit: t.Budget.CallLimit,
		AttemptsLeft: t.Budget.AttemptsLeft, CallsLeft: t.Budget.CallsLeft,
		CallsKnown: t.Budget.CallsKnown, UnknownRepeats: t.Budget.UnknownRepeats,
		MoneyLimit: t.Money.Limit, MoneyLeft: t.Money.Left, CallMoney: t.Money.Call,
		OnUnknown: string(t.OnUnknown), CallOpen: t.CallOpen, OperationID: t.OperationID, WaitsFor: t.WaitsFor,
		AcceptedAt: MillisOf(t.AcceptedAt), NextAttemptAt: MillisOf(t.NextAttemptAt), Deadline: MillisOf(t.Deadline),
		HandoffDueAt: MillisOf(t.HandoffDueAt), Released: string(t.Released), ReleasedVersion: t.ReleasedVersion,
		Result: SavedOf(t.Result), FailureReason: string(t.FailureReason), EndedBy: t.EndedBy, EndedAt: MillisOf(t.EndedAt),
		InputTokens: t.Tokens.Input, OutputTokens: t.Tokens.Output,
		GatewayRequestID: t.GatewayRequestID, ProviderRequestID: t.ProviderRequestID,
	}
}

// Task is the item in the engine's own values, with hashes in place of texts.
// Equal items give equal tasks, by ==.
func (i Item) Task(ref Ref) worktask.Task {
	return worktask.Task{
		Ref: ref.Parts(), Kind: i.Kind, Caller: i.Caller, Input: i.InputSHA256, Status: worktask.Status(i.Status),
		AssignmentVersion: i.AssignmentVersion, AssignmentID: i.AssignmentID, LeaseExpiresAt: i.LeaseExpiresAt.Time(),
		Budget: worktask.Budget{
			AttemptLimit: i.AttemptLimit, CallLimit: i.CallLimit, AttemptsLeft: i.AttemptsLeft, CallsLeft: i.CallsLeft,
			CallsKnown: i.CallsKnown, UnknownRepeats: i.UnknownRepeats,
		},
		Money:     worktask.Money{Limit: i.MoneyLimit, Left: i.MoneyLeft, Call: i.CallMoney},
		OnUnknown: worktask.UnknownPolicy(i.OnUnknown), CallOpen: i.CallOpen, OperationID: i.OperationID, WaitsFor: i.WaitsFor,
		AcceptedAt: i.AcceptedAt.Time(), NextAttemptAt: i.NextAttemptAt.Time(), Deadline: i.Deadline.Time(),
		HandoffDueAt: i.HandoffDueAt.Time(), Released: worktask.ReleaseMode(i.Released), ReleasedVersion: i.ReleasedVersion,
		Result: i.Result.result(), FailureReason: worktask.Reason(i.FailureReason), EndedBy: i.EndedBy, EndedAt: i.EndedAt.Time(),
		Tokens:           worktask.Tokens{Input: i.InputTokens, Output: i.OutputTokens},
		GatewayRequestID: i.GatewayRequestID, ProviderRequestID: i.ProviderRequestID,
	}
}

// Ended reports whether the item has an end state.
func (i Item) Ended() bool { return worktask.Status(i.Status).Ended() }

// Calls is how many calls are recorded.
func (i Item) Calls() int { return i.CallLimit - i.CallsLeft }
