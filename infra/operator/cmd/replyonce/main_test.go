package main

import (
	"context"
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/sqs"

	"github.com/replyonce/replyonce/infra/bench/emulated"
	"github.com/replyonce/replyonce/infra/bench/product"
	"github.com/replyonce/replyonce/infra/local/resources"
	"github.com/replyonce/replyonce/infra/operator"
	"github.com/replyonce/replyonce/infra/stack/extract"
	"github.com/replyonce/replyonce/shared/conversation"
	"github.com/replyonce/replyonce/shared/document"
	"github.com/replyonce/replyonce/shared/idempotency"
	"github.com/replyonce/replyonce/shared/identity"
	"github.com/replyonce/replyonce/shared/taskflow"
	"github.com/replyonce/replyonce/shared/worktask"
)

// replyonce runs a command as a shell would.
func replyonce(t *testing.T, args ...string) (code int, out, errOut string) {
	t.Helper()
	var stdout, stderr strings.Builder
	code = run(t.Context(), args, os.Getenv, &stdout, &stderr)
	return code, stdout.String(), stderr.String()
}

// want runs a command that must end with the code, and returns what it printed.
func want(t *testing.T, code int, args ...string) string {
	t.Helper()
	got, out, errOut := replyonce(t, args...)
	if got != code {
		t.Fatalf("replyonce %s: exit %d, want %d\n%s%s", strings.Join(args, " "), got, code, out, errOut)
	}
	return out + errOut
}

// declining is a reply kind whose every call is refused for good.
type declining struct{ taskflow.Kind }

func (d declining) Prepare(context.Context, worktask.Task) (taskflow.Work, error) { return d, nil }

func (declining) Call(context.Context, func(context.Context, string) error) worktask.Outcome {
	return worktask.Outcome{Kind: worktask.Permanent, Reason: worktask.Declined}
}

func (declining) LookUp(context.Context, string) worktask.Outcome { return worktask.Outcome{} }

// oneMachine puts the product behind an endpoint under the names of the
// one-machine stack, but for the table's where another one is wanted, with one
// failed and one open task of alice's, accepted some time ago.
func oneMachine(t *testing.T, table string, ago time.Duration) (failed, open conversation.TaskView, created resources.Created) {
	t.Helper()
	cfg := emulated.Config()
	t.Setenv("AWS_ENDPOINT_URL", aws.ToString(cfg.BaseEndpoint))
	for _, name := range []string{"AWS_REGION", "AWS_DEFAULT_REGION", "AWS_ACCESS_KEY_ID", "AWS_PROFILE", "REPLYONCE_STACK"} {
		t.Setenv(name, "")
	}
	like, err := extract.Load()
	if err != nil {
		t.Fatal(err)
	}
	like.Queue.VisibilitySeconds, like.Queue.MaxReceiveCount = 60, 5
	created, err = resources.Ensure(t.Context(), cfg, resources.Definition{
		Table: table, Queue: operator.LocalQueue, DeadLetterQueue: operator.LocalDeadLetterQueue, Bucket: operator.LocalBucket, Like: like,
	})
	if err != nil {
		t.Fatal(err)
	}
	begun := time.Now()
	now := func() time.Time { return time.Now().Add(-ago) }
	p := product.New(product.Options{
		DynamoDB: dynamodb.NewFromConfig(cfg), SQS: sqs.NewFromConfig(cfg), Table: table, QueueURL: created.QueueURL,
		OnUnknown: worktask.RetryUnknown, Now: now, Monotonic: func() time.Duration { return time.Since(begun) },
		Kind: func(k taskflow.Kind) taskflow.Kind { return declining{k} },
	})
	alice := identity.Caller{ID: "alice", Workspace: "acme"}
	d, err := p.Documents.Create(t.Context(), alice, "d", document.CreateInput{Title: "Rules", Text: "The council decides."})
	if err != nil {
		t.Fatal(err)
	}
	c, err := p.Conversations.Create(t.Context(), alice, "c", conversation.CreateInput{Document: d.ID})
	if err != nil {
		t.Fatal(err)
	}
	ask := func(key string) conversation.TaskView {
		accepted, err := p.Conversations.Submit(t.Context(), alice, idempotency.Key("m-"+key), conversation.SubmitInput{
			Conversation: c.ID, Text: "Does QUESTION-MARKER know?", Document: d.ID, Version: 1,
		})
		if err != nil {
			t.Fatal(err)
		}
		return accepted.Task
	}
	failed, open = ask("1"), ask("2")
	p.Runner.Run(t.Context(), taskflow.Delivery{
		Ref: conversation.TaskRef("acme", c.ID, failed.ID), ReceiveCount: 1, FunctionEnds: now().Add(time.Minute), Hold: func(context.Context) {},
	})
	return failed, open, created
}

// decode reads what a command printed with -json.
func decode[T any](t *testing.T, out string) T {
	t.Helper()
	var value T
	if err := json.Unmarshal([]byte(out), &value); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return value
}

// An operator's evening on the one-machine stack, with no setting but the endpoint.
func TestCommandsOnTheOneMachineStack(t *testing.T) {
	failed, open, created := oneMachine(t, operator.LocalTable, 0)
	path := conversation.TaskPath(failed.Conversation, failed.ID)

	out := want(t, exitDone, "show", "-workspace", "acme", path)
	if !strings.Contains(out, "it failed: declined") || strings.Contains(out, "MARKER") || strings.Contains(out, "alice") {
		t.Errorf("show:\n%s", out)
	}
	if out := want(t, exitDone, "show", path, "-workspace", "acme", "-text"); !strings.Contains(out, "QUESTION-MARKER") {
		t.Errorf("show -text:\n%s", out)
	}
	report := decode[operator.Report](t, want(t, exitDone, "show", "-json", "-workspace", "acme", "-caller", "alice", "-key", "m-2"))
	if report.TaskID != open.ID || report.Status != "pending" || report.Idempotency == nil || !report.Idempotency.MadeThisTask {
		t.Errorf("show -key: %+v", report)
	}

	if out := want(t, exitDone, "due"); !strings.Contains(out, "nothing is due") {
		t.Errorf("due:\n%s", out)
	}
	list := decode[operator.List](t, want(t, exitDone, "due", "-all", "-json"))
	if len(list.Tasks) != 1 || list.Tasks[0].TaskID != open.ID {
		t.Errorf("due -all: %+v", list)
	}

	made := decode[operator.Retry](t, want(t, exitDone, "retry", "-workspace", "acme", "-why", "the provider is back", "-json", path))
	if made.Decision.Of != failed.ID || !strings.HasPrefix(made.Decision.By, "arn:aws:") || !made.Published {
		t.Errorf("retry: %+v", made)
	}
	if out := want(t, exitDone, "retry", "-by", "nina", "-workspace", "acme", "-why", "me too", path); !strings.Contains(out, "retried already") || !strings.Contains(out, made.TaskID) {
		t.Errorf("retry again:\n%s", out)
	}
	if out := want(t, exitFailed, "retry", "-by", "nina", "-workspace", "acme", "-why", "why not", conversation.TaskPath(open.Conversation, open.ID)); !strings.Contains(out, "own attempts") {
		t.Errorf("retry of an open task:\n%s", out)
	}

	client := sqs.NewFromConfig(emulated.Config())
	if _, err := client.SendMessage(t.Context(), &sqs.SendMessageInput{QueueUrl: aws.String(created.DeadLetterQueueURL), MessageBody: aws.String("PERSON-MARKER")}); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"redrive"}, {"redrive", "-yes"}} {
		if out := want(t, exitAttention, args...); !strings.Contains(out, "keep") || strings.Contains(out, "MARKER") {
			t.Errorf("%v:\n%s", args, out)
		}
	}
	if out := want(t, exitUsage, "user", "-email", "nina@example.com", "-workspace", "acme"); !strings.Contains(out, "sign in there by any name") {
		t.Errorf("user:\n%s", out)
	}
}

func TestStuckTasksAreAnExitCode(t *testing.T) {
	_, open, _ := oneMachine(t, "replyonce-of-yesterday", 5*time.Minute)
	out := want(t, exitAttention, "due", "-table", "replyonce-of-yesterday")
	if !strings.Contains(out, open.ID) || !strings.Contains(out, "STUCK") || !strings.Contains(out, "1 stuck") {
		t.Errorf("due:\n%s", out)
	}
	want(t, exitDone, "due", "-table", "replyonce-of-yesterday", "-stuck-after", "1h")
	judge, err := (&settings{profile: "short", getenv: func(string) string { return "" }}).judge(0)
	if err != nil || judge.StuckAfter != 3*time.Second || judge.Margin != 500*time.Millisecond {
		t.Errorf("%+v, %v", judge, err)
	}
}

func TestWrongUsageSaysWhatToDo(t *testing.T) {
	for _, name := range []string{"AWS_ENDPOINT_URL", "REPLYONCE_STACK", "AWS_PROFILE"} {
		t.Setenv(name, "")
	}
	t.Setenv("AWS_REGION", "eu-west-1")
	const ref = "acme/01JDC000000000000000000000/01JDT000000000000000000000"
	for _, c := range []struct {
		says string
		args []string
	}{
		{"usage:", nil},
		{"no command", []string{"shwo"}},
		{"name one task", []string{"show"}},
		{"name one task", []string{"show", ref, ref}},
		{"which deployment?", []string{"show", ref}},
		{"which deployment?", []string{"show", "-table", "t", "-text", ref}},
		{"which deployment?", []string{"redrive", "-table", "t", "-queue-url", "http://q"}},
		{"a key alone", []string{"show", "-key", "k"}},
		{"-key:", []string{"show", "-key", " ", ref}},
		{"profile", []string{"show", "-profile", "long", ref}},
		{"-limit is 0", []string{"due", "-limit", "0"}},
		{"below zero", []string{"due", "-within", "-1s"}},
		{"too much", []string{"due", "now"}},
		{"-max is -1", []string{"redrive", "-max", "-1"}},
		{"say why", []string{"retry", ref}},
		{"give -email", []string{"user", "-workspace", "acme"}},
		{"which deployment?", []string{"user", "-email", "a@example.com", "-workspace", "acme"}},
		{"flag provided but not defined", []string{"due", "-nope"}},
	} {
		if out := want(t, exitUsage, c.args...); !strings.Contains(out, c.says) {
			t.Errorf("replyonce %v says\n%s", c.args, out)
		}
	}
	if out := want(t, exitDone, "help"); !strings.Contains(out, "redrive") {
		t.Errorf("help:\n%s", out)
	}
	if out := want(t, exitDone, "due", "-h"); !strings.Contains(out, "-stuck-after") {
		t.Errorf("due -h:\n%s", out)
	}
}

func TestNoRegionIsSaid(t *testing.T) {
	for _, name := range []string{"AWS_ENDPOINT_URL", "REPLYONCE_STACK", "AWS_PROFILE", "AWS_REGION", "AWS_DEFAULT_REGION"} {
		t.Setenv(name, "")
	}
	t.Setenv("AWS_CONFIG_FILE", t.TempDir()+"/none")
	if out := want(t, exitUsage, "due", "-stack", "replyonce-dev"); !strings.Contains(out, "AWS_REGION") {
		t.Errorf("%s", out)
	}
}

// Nobody listens there: the time that was given is kept, and said.
func TestTimeoutIsKept(t *testing.T) {
	t.Setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:1")
	t.Setenv("AWS_MAX_ATTEMPTS", "50")
	begun := time.Now()
	if out := want(t, exitFailed, "due", "-timeout", "300ms"); !strings.Contains(out, "longer than 300ms") {
		t.Errorf("%s", out)
	}
	if took := time.Since(begun); took > 5*time.Second {
		t.Errorf("it took %s", took)
	}
}
