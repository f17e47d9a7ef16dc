package operator_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/replyonce/replyonce/infra/operator"
	"github.com/replyonce/replyonce/shared/storeerror"
	"github.com/replyonce/replyonce/shared/tracing"
	"github.com/replyonce/replyonce/shared/worktask"
)

func show(t *testing.T, s operator.Shower, r operator.Request) operator.Report {
	t.Helper()
	report, err := s.Show(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	return report
}

// everything is what a report prints, both ways.
func everything(t *testing.T, report operator.Report) string {
	t.Helper()
	var out strings.Builder
	if err := report.Print(&out); err != nil {
		t.Fatal(err)
	}
	if err := json.MarshalWrite(&out, report); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestShowHasBudgetSpendAndRecordOfACompletedTask(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	ref, key := r.ended(answered())
	report := show(t, r.shower(), operator.Request{Task: ref, Key: key})
	if report.Status != "completed" || report.Assignment.Version != 1 || report.EndedBy != report.Assignment.ID {
		t.Errorf("%+v", report)
	}
	if report.Budget.Attempts != 1 || report.Budget.AttemptsLeft != 3 || report.Budget.Calls != 1 || report.Budget.CallsLeft != 7 {
		t.Errorf("budget %+v", report.Budget)
	}
	if s := report.Spend; s.Calls != 1 || s.CallsKnown != 1 || s.CallsUnknown != 0 || s.InputTokens != 11 || s.OutputTokens != 7 || len(s.RefusedAnswers) != 0 {
		t.Errorf("spend %+v", s)
	}
	if i := report.Idempotency; i == nil || !i.Found || !i.MadeThisTask || i.Operation != "submit" || i.ReplayOver || i.Target != report.Path {
		t.Errorf("idempotency %+v", i)
	}
	if report.GatewayRequestID != "g-"+string(key) || report.ProviderRequestID != "p-1" || report.HandoffShard != nil {
		t.Errorf("ids %+v", report)
	}
	if report.TraceID != tracing.TraceID(ref.ID).String() {
		t.Errorf("trace %q", report.TraceID)
	}
	if report.Message == nil || report.Message.Bytes != len(secretQuestion) || report.Message.Document != r.document {
		t.Errorf("message %+v", report.Message)
	}
}

// Nothing that people wrote, nor who asked, is printed unless it is asked for.
func TestShowPrintsTextsOnlyWhenAsked(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	ref, key := r.ended(answered())
	silent := everything(t, show(t, r.shower(), operator.Request{Task: ref, Key: key}))
	for _, text := range []string{secretQuestion, secretReply, "MARKER", "alice"} {
		if strings.Contains(silent, text) {
			t.Errorf("%q is printed:\n%s", text, silent)
		}
	}
	open := everything(t, show(t, r.shower(), operator.Request{Task: ref, Text: true}))
	for _, text := range []string{secretQuestion, secretReply, "alice"} {
		if !strings.Contains(open, text) {
			t.Errorf("%q is not printed:\n%s", text, open)
		}
	}
}

// A worker is too late for a task that was cancelled: its answer is evidence.
func TestShowHasRefusedAnswers(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	ref, _ := r.submit()
	r.script.then(func(ctx context.Context) worktask.Outcome {
		if _, err := r.product.Conversations.Cancel(ctx, r.alice, r.conversation, ref.ID); err != nil {
			t.Error(err)
		}
		return answered()
	})
	r.deliver(ref)
	report := show(t, r.shower(), operator.Request{Task: ref})
	if report.Status != "cancelled" || report.EndedBy != "user" || report.Assignment.Version != 2 {
		t.Errorf("%+v", report)
	}
	refused := report.Spend.RefusedAnswers
	if len(refused) != 1 || refused[0].AssignmentVersion != 1 || refused[0].Bytes == 0 || refused[0].OutputTokens != 7 || refused[0].ProviderRequestID != "p-1" {
		t.Fatalf("refused answers %+v", refused)
	}
	if text := everything(t, report); !strings.Contains(text, refused[0].SHA256) {
		t.Errorf("the evidence is not printed:\n%s", text)
	}
}

// A call whose end nobody saw has a record, which tells whom to ask.
func TestShowHasAttemptsWhoseEndNobodySaw(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	ref, _ := r.submit()
	r.script.then(func(context.Context) worktask.Outcome {
		return worktask.Outcome{Kind: worktask.Ambiguous, Provider: "openai", Cause: "the connection was lost", Report: worktask.Report{ProviderRequestID: "p-7"}}
	})
	r.deliver(ref)
	report := show(t, r.shower(), operator.Request{Task: ref})
	if log := report.AttemptLog; len(log) != 1 || log[0].Outcome != "unknown" || log[0].Cause != "the connection was lost" || log[0].BegunAt.IsZero() {
		t.Fatalf("attempts %+v", log)
	}
	text := everything(t, report)
	for _, want := range []string{"unseen end", "the connection was lost", "provider openai request p-7"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not printed:\n%s", want, text)
		}
	}
}

func TestShowFindsATaskByTheKeyOfTheBrowser(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	ref, key := r.submit()
	other, _ := r.submit()
	report := show(t, r.shower(), operator.Request{Workspace: "acme", Caller: "alice", Key: key})
	if report.TaskID != ref.ID || !report.Idempotency.MadeThisTask {
		t.Errorf("found task %s by %+v, want %s", report.TaskID, report.Idempotency, ref.ID)
	}
	if report := show(t, r.shower(), operator.Request{Task: other, Key: key}); report.Idempotency.MadeThisTask || report.Idempotency.Target == report.Path {
		t.Errorf("the key of another task made this one: %+v", report.Idempotency)
	}
	if report := show(t, r.shower(), operator.Request{Task: ref, Key: "never-used"}); report.Idempotency == nil || report.Idempotency.Found {
		t.Errorf("a key that nobody used: %+v", report.Idempotency)
	}
	for name, request := range map[string]operator.Request{
		"another caller":    {Workspace: "acme", Caller: "bob", Key: key},
		"another workspace": {Workspace: "umbrella", Caller: "alice", Key: key},
	} {
		if _, err := r.shower().Show(t.Context(), request); !errors.Is(err, operator.ErrNoRecord) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestShowOfNoTask(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	ref, _ := r.submit()
	ref.Workspace = "umbrella"
	if _, err := r.shower().Show(t.Context(), operator.Request{Task: ref}); !errors.Is(err, storeerror.ErrNotFound) {
		t.Errorf("a task of another workspace: %v", err)
	}
}

// A reply in object storage that is not what was saved is reported, not hidden.
func TestShowReportsADamagedReply(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	large := answered()
	large.Result.Body += strings.Repeat(" ", 300<<10)
	ref, _ := r.ended(large)
	s := r.shower()
	s.Objects = noObjects{}
	report := show(t, s, operator.Request{Task: ref, Text: true})
	if report.Reply == nil || report.Reply.ObjectKey == "" || report.Reply.Problem == "" || report.Reply.Text != "" {
		t.Errorf("reply %+v", report.Reply)
	}
}

type noObjects struct{}

func (noObjects) PutObject(context.Context, string, []byte) error { return nil }

func (noObjects) GetObject(context.Context, string) ([]byte, error) {
	return nil, storeerror.ErrNotFound
}

// What an open task waits for, in the order of its life.
func TestAssessmentOfATask(t *testing.T) {
	t.Parallel()
	timers := worktask.DefaultTimers()
	judge := operator.Judge{Margin: timers.SkewMargin, StuckAfter: 3 * time.Minute}
	start := time.Date(2026, 11, 29, 14, 0, 0, 0, time.UTC)
	accepted := worktask.NewTask(worktask.Ref{ID: "t"}, "reply", "c", "", "", worktask.RetryUnknown, start, timers)
	claimed := worktask.Claim{AssignmentID: "a", Now: start, LeaseUntil: start.Add(timers.Lease), Margin: timers.SkewMargin}.Apply(accepted)
	later := accepted
	later.NextAttemptAt = start.Add(time.Minute)
	spent := accepted
	spent.Budget.AttemptsLeft = 0
	cases := []struct {
		name  string
		task  worktask.Task
		after time.Duration
		want  operator.State
		stuck bool
	}{
		{"accepted", accepted, time.Second, operator.Waiting, false},
		{"nobody came", accepted, 31 * time.Second, operator.Due, false},
		{"nobody came for long", accepted, 4 * time.Minute, operator.Due, true},
		{"deadline", accepted, 10 * time.Minute, operator.Over, true},
		{"claimed", claimed, time.Second, operator.Working, false},
		{"lease over, within the margin", claimed, 31 * time.Second, operator.WorkerLost, false},
		{"lease over", claimed, 33 * time.Second, operator.WorkerLost, false},
		{"retry", later, time.Second, operator.RetryLater, false},
		{"no attempts left", spent, time.Second, operator.Over, false},
		{"cancelled", worktask.Cancel{Now: start}.Apply(accepted), time.Hour, operator.Ended, false},
	}
	for _, c := range cases {
		got := judge.Assess(c.task, start.Add(c.after))
		if got.State != c.want || got.Stuck != c.stuck || got.Text == "" {
			t.Errorf("%s: %+v, want %s, stuck %t", c.name, got, c.want, c.stuck)
		}
	}
}
