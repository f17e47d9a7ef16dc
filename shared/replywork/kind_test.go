package replywork_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/replyonce/replyonce/shared/conversation"
	"github.com/replyonce/replyonce/shared/document"
	"github.com/replyonce/replyonce/shared/llmprovider"
	"github.com/replyonce/replyonce/shared/reply"
	"github.com/replyonce/replyonce/shared/replywork"
	"github.com/replyonce/replyonce/shared/storeerror"
	"github.com/replyonce/replyonce/shared/taskflow"
	"github.com/replyonce/replyonce/shared/worktask"
)

// sources is what a prompt is made of, in memory.
type sources struct {
	messages map[string]conversation.Message
	tasks    map[string]worktask.Task
	versions map[int]document.Version
	objects  map[string][]byte
	err      error
}

func (s sources) Message(_ context.Context, _, _, id string) (conversation.Message, error) {
	m, found := s.messages[id]
	if !found {
		return conversation.Message{}, errors.Join(storeerror.ErrNotFound, s.err)
	}
	return m, s.err
}

func (s sources) Messages(_ context.Context, _, _ string, ids []string) ([]conversation.Message, error) {
	var found []conversation.Message
	for _, id := range ids {
		if m, ok := s.messages[id]; ok {
			found = append(found, m)
		}
	}
	return found, s.err
}

// Earlier answers in no useful order, as a batch read does.
func (s sources) Earlier(_ context.Context, _, _ string, ids []string) ([]worktask.Task, error) {
	var found []worktask.Task
	for _, id := range slices.Sorted(slices.Values(ids)) {
		if t, ok := s.tasks[id]; ok {
			found = append(found, t)
		}
	}
	slices.Reverse(found)
	return found, s.err
}

func (s sources) Version(_ context.Context, _, _ string, number int) (document.Version, error) {
	v, found := s.versions[number]
	if !found {
		return document.Version{}, storeerror.ErrNotFound
	}
	v.Text = ""
	return v, s.err
}

func (s sources) TextOf(_ context.Context, v document.Version) (document.Version, error) {
	v.Text = s.versions[v.Number].Text
	return v, s.err
}

func (s sources) CloseVersion(_ context.Context, _, _ string, number int, reason string) error {
	v := s.versions[number]
	v.State, v.Index.Failure = document.Failed, reason
	s.versions[number] = v
	return nil
}

func (s sources) PutObject(context.Context, string, []byte) error { return nil }

func (s sources) GetObject(_ context.Context, key string) ([]byte, error) { return s.objects[key], nil }

// spy is a provider that remembers what it was asked.
type spy struct {
	requests []llmprovider.Request
	answer   llmprovider.Answer
	err      error
}

func (p *spy) Name() string                       { return "spy" }
func (p *spy) Capability() llmprovider.Capability { return llmprovider.Capability{} }
func (p *spy) Call(_ context.Context, r llmprovider.Request) (llmprovider.Answer, error) {
	p.requests = append(p.requests, r)
	return p.answer, p.err
}

func (p *spy) Lookup(context.Context, string) (llmprovider.Answer, error) { return p.answer, p.err }

func stored() sources {
	saved := func(id, message, text string) worktask.Task {
		return worktask.Task{
			Ref: conversation.TaskRef("acme", "c", id), Status: worktask.Completed,
			Input: reply.Input{Message: message, PromptVersion: 1}.Encode(), Result: worktask.Result{Body: reply.Result{Text: text}.Encode()},
		}
	}
	large := saved("t2", "m1", "")
	object := reply.Result{Text: "them"}.Encode()
	sum := sha256.Sum256([]byte(object))
	large.Result = worktask.Result{ObjectKey: "key", Bytes: int64(len(object)), SHA256: hex.EncodeToString(sum[:])}
	running := saved("t3", "m2", "")
	running.Status, running.Result = worktask.Running, worktask.Result{}
	return sources{
		messages: map[string]conversation.Message{
			"m1": {ID: "m1", Text: "who?"}, "m2": {ID: "m2", Text: "when?"},
			"m3": {ID: "m3", Text: "why? 👍🏽", Document: "d", Version: 2, History: []string{"t2", "t1", "t3", "unknown"}},
		},
		tasks:    map[string]worktask.Task{"t1": saved("t1", "m2", "then"), "t2": large, "t3": running},
		versions: map[int]document.Version{2: {Document: "d", Title: "Rules", Number: 2, Text: "Because."}},
		objects:  map[string][]byte{"key": []byte(object)},
	}
}

func task() worktask.Task {
	return worktask.Task{
		Ref: conversation.TaskRef("acme", "c", "t9"), Kind: reply.Kind, AssignmentVersion: 1,
		Input: reply.Input{Message: "m3", PromptVersion: 1, Model: "m"}.Encode(),
	}
}

// taskFor is the task for a model; empty: it names none.
func taskFor(model string) worktask.Task {
	t := task()
	t.Input = reply.Input{Message: "m3", PromptVersion: 1, Model: model}.Encode()
	return t
}

func call(t *testing.T, s sources, p *spy, task worktask.Task) worktask.Outcome {
	t.Helper()
	kind := replywork.Kind{Conversations: s, Documents: s, Objects: s, Provider: p}
	work, err := kind.Prepare(t.Context(), task)
	if err != nil {
		t.Fatal(err)
	}
	return work.Call(t.Context(), nil)
}

// TestTwoAttemptsSendTheSameBytes: the prompt is a pure function of what was
// stored at accept, whatever happened to the task in between.
func TestTwoAttemptsSendTheSameBytes(t *testing.T) {
	t.Parallel()
	p := &spy{answer: llmprovider.Answer{Text: "x"}}
	s := stored()
	call(t, s, p, task())
	second := task()
	second.AssignmentVersion, second.Budget.AttemptsLeft, second.Released = 3, 1, worktask.ReleaseUnknown
	s.messages["m4"] = conversation.Message{ID: "m4", Text: "asked in the meantime"}
	s.versions[3] = document.Version{Document: "d", Title: "Rules", Number: 3, Text: "Not any more."}
	call(t, s, p, second)
	first, again := p.requests[0].Prompt.Encode(), p.requests[1].Prompt.Encode()
	if !bytes.Equal(first, again) {
		t.Errorf("two attempts differ\n%s\n%s", first, again)
	}
	if p.requests[0].Key != "t9" || p.requests[1].Key != "t9" {
		t.Errorf("the provider key is not the task's: %q, %q", p.requests[0].Key, p.requests[1].Key)
	}
}

func TestPromptHasTheChosenHistoryInItsOrder(t *testing.T) {
	t.Parallel()
	p := &spy{answer: llmprovider.Answer{Text: "x"}}
	call(t, stored(), p, task())
	got := p.requests[0].Prompt
	want := []llmprovider.Turn{{Question: "who?", Answer: "them"}, {Question: "when?", Answer: "then"}}
	if !slices.Equal(got.History, want) {
		t.Errorf("history %+v, want %+v", got.History, want)
	}
	if got.Question != "why? 👍🏽" || got.Document.Version != 2 || got.Document.Text != "Because." || got.Document.Title != "Rules" {
		t.Errorf("prompt %+v", got)
	}
}

func TestOutcomes(t *testing.T) {
	t.Parallel()
	provider := func(k llmprovider.Kind, reason string) error { return &llmprovider.Error{Kind: k, Reason: reason} }
	cases := []struct {
		name   string
		answer llmprovider.Answer
		err    error
		want   worktask.OutcomeKind
		reason worktask.Reason
	}{
		{"answer", llmprovider.Answer{Text: "x"}, nil, worktask.Answered, ""},
		{"empty text is no response", llmprovider.Answer{}, nil, worktask.Retryable, worktask.EmptyReply},
		{"too much text", llmprovider.Answer{Text: strings.Repeat("x", replywork.MaxReplyBytes+1)}, nil, worktask.Permanent, worktask.ReplyTooLarge},
		{"too much as JSON", llmprovider.Answer{Text: strings.Repeat("\x01", 1<<20)}, nil, worktask.Permanent, worktask.ReplyTooLarge},
		{"rejected", llmprovider.Answer{}, provider(llmprovider.Rejected, ""), worktask.Rejected, ""},
		{"ambiguous", llmprovider.Answer{}, provider(llmprovider.Ambiguous, ""), worktask.Ambiguous, ""},
		{"quota", llmprovider.Answer{}, provider(llmprovider.Permanent, llmprovider.ReasonProviderQuota), worktask.Permanent, worktask.ProviderQuota},
		{"declined", llmprovider.Answer{}, provider(llmprovider.Declined, llmprovider.ReasonDeclined), worktask.Permanent, worktask.Declined},
		{"empty", llmprovider.Answer{}, provider(llmprovider.Empty, llmprovider.ReasonEmptyReply), worktask.Retryable, worktask.EmptyReply},
		{"too large", llmprovider.Answer{}, provider(llmprovider.TooLarge, llmprovider.ReasonReplyTooLarge), worktask.Permanent, worktask.ReplyTooLarge},
		{"an error of another kind may have run", llmprovider.Answer{}, errors.New("?"), worktask.Ambiguous, ""},
		{"a class from the future may have run", llmprovider.Answer{}, provider(99, ""), worktask.Ambiguous, ""},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got := call(t, stored(), &spy{answer: c.answer, err: c.err}, task())
			if got.Kind != c.want || got.Reason != c.reason {
				t.Errorf("outcome %d %q, want %d %q", got.Kind, got.Reason, c.want, c.reason)
			}
		})
	}
}

// TestReasonsOfProvidersAreReasonsOfTasks: the two lists are written in two
// packages and must not drift apart.
func TestReasonsOfProvidersAreReasonsOfTasks(t *testing.T) {
	t.Parallel()
	for _, r := range []string{
		llmprovider.ReasonProviderQuota, llmprovider.ReasonProviderRefused, llmprovider.ReasonProviderMisconfigured,
		llmprovider.ReasonInputTooLarge, llmprovider.ReasonDeclined, llmprovider.ReasonEmptyReply, llmprovider.ReasonReplyTooLarge,
	} {
		if !slices.Contains(worktask.Reasons(), worktask.Reason(r)) {
			t.Errorf("%q is no failure reason of a task", r)
		}
	}
}

func TestPrepareTellsGoneFromDown(t *testing.T) {
	t.Parallel()
	prepare := func(s sources, task worktask.Task) error {
		_, err := replywork.Kind{Conversations: s, Documents: s, Objects: s, Provider: &spy{}}.Prepare(t.Context(), task)
		return err
	}
	noDocument := stored()
	noDocument.versions = nil
	err := prepare(noDocument, task())
	if p, ok := errors.AsType[*taskflow.PermanentError](err); !ok || p.Reason != worktask.DocumentUnreadable {
		t.Errorf("missing document: %v", err)
	}
	damaged := stored()
	damaged.objects["key"] = []byte("another reply")
	err = prepare(damaged, task())
	if p, ok := errors.AsType[*taskflow.PermanentError](err); !ok || p.Reason != worktask.DocumentUnreadable {
		t.Errorf("damaged earlier reply: %v", err)
	}
	down := stored()
	down.err = storeerror.ErrUnavailable
	if err := prepare(down, task()); err == nil || errors.As(err, new(*taskflow.PermanentError)) {
		t.Errorf("a store that is down is permanent: %v", err)
	}
	garbled := task()
	garbled.Input = "{"
	if err := prepare(stored(), garbled); !errors.As(err, new(*taskflow.PermanentError)) {
		t.Errorf("garbled input: %v", err)
	}
	newer := task()
	newer.Input = reply.Input{Message: "m3", PromptVersion: reply.PromptVersion + 1}.Encode()
	if err := prepare(stored(), newer); err == nil || errors.As(err, new(*taskflow.PermanentError)) {
		t.Errorf("a prompt of a newer release must be left to a newer worker: %v", err)
	}
}

func ExampleKind() {
	p := &spy{answer: llmprovider.Answer{Text: "Because.", Provider: "spy"}}
	s := stored()
	work, err := replywork.Kind{Conversations: s, Documents: s, Objects: s, Provider: p}.Prepare(context.Background(), task())
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(work.Call(context.Background(), nil).Result.Body)
	// Output: {"text":"Because.","provider":"spy"}
}
