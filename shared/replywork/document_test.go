package replywork_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/replyonce/replyonce/shared/conversation"
	"github.com/replyonce/replyonce/shared/document"
	"github.com/replyonce/replyonce/shared/indexing"
	"github.com/replyonce/replyonce/shared/indexpipeline"
	"github.com/replyonce/replyonce/shared/indexwork"
	"github.com/replyonce/replyonce/shared/llmprovider"
	"github.com/replyonce/replyonce/shared/llmprovider/builtin"
	"github.com/replyonce/replyonce/shared/reply"
	"github.com/replyonce/replyonce/shared/replywork"
	"github.com/replyonce/replyonce/shared/retrieval"
	"github.com/replyonce/replyonce/shared/taskflow"
	"github.com/replyonce/replyonce/shared/worktask"
)

// entries is the index of one version, and counts what is read of it.
type entries struct {
	bodies map[indexing.Key][]byte
	read   int
}

func (e *entries) ReadEntries(_ context.Context, t indexing.Target, keys []indexing.Key) ([]indexing.Entry, error) {
	if t.Workspace != "acme" || t.Document != "d" || t.Number != 2 || t.Pipeline != "p" {
		return nil, fmt.Errorf("entries of %+v were asked for", t)
	}
	var found []indexing.Entry
	for _, key := range keys {
		if body, there := e.bodies[key]; there {
			e.read += len(body)
			found = append(found, indexing.Entry{Key: key, Body: body})
		}
	}
	return found, nil
}

func indexOf(t *testing.T, text string) *entries {
	t.Helper()
	built, err := indexpipeline.Pipeline{}.Run(t.Context(), indexwork.Source{Body: []byte(text)})
	if err != nil {
		t.Fatal(err)
	}
	e := &entries{bodies: map[indexing.Key][]byte{}}
	for _, entry := range built.Entries {
		e.bodies[entry.Key] = entry.Body
	}
	return e
}

// manual is a text of the size of a real manual: 400 sections of which one answers.
func manual() string {
	var text strings.Builder
	for i := range 400 {
		fmt.Fprintf(&text, "%d. Matter %d\n\nThe office keeps matter %d on shelf %d for as long as it is of use to the department that has sent it.%s\n\n",
			i+1, i*7919%1000, i, i*31%97, strings.Repeat(" Nothing else stands here.", 4))
		if i == 250 {
			text.WriteString("The treasurer signs all cheques above one hundred crowns.\n\n")
		}
	}
	return text.String()
}

// asked prepares a task about version 2, with an index, and calls the provider.
func asked(t *testing.T, p llmprovider.Provider, e *entries, question string, history ...string) (worktask.Outcome, error) {
	t.Helper()
	s := stored()
	v := s.versions[2]
	v.State, v.Index = document.Ready, document.Index{Task: "i1", Pipeline: "p"}
	s.versions[2] = v
	s.messages["m2"] = conversation.Message{ID: "m2", Text: "Who signs the cheques?"}
	s.messages["m3"] = conversation.Message{ID: "m3", Text: question, Document: "d", Version: 2, History: history}
	work, err := replywork.Kind{Conversations: s, Documents: s, Entries: e, Objects: s, Provider: p}.Prepare(t.Context(), taskUnder(reply.PromptVersion))
	if err != nil {
		return worktask.Outcome{}, err //nolint:wrapcheck // the test looks at it
	}
	return work.Call(t.Context(), nil), nil
}

// A question about a long document is asked with the passages that fit it, in the
// same bytes at every attempt, and reads little.
func TestPromptHasPassagesOfALongDocument(t *testing.T) {
	t.Parallel()
	text := manual()
	if len(text) <= document.WholeBytes {
		t.Fatalf("the manual has only %d bytes", len(text))
	}
	e, p := indexOf(t, text), &spy{answer: llmprovider.Answer{Text: "x"}}
	for range 2 {
		if _, err := asked(t, p, e, "Who signs the cheques?"); err != nil {
			t.Fatal(err)
		}
	}
	first, again := p.requests[0].Prompt, p.requests[1].Prompt
	if !bytes.Equal(first.Encode(), again.Encode()) {
		t.Error("two attempts sent different bytes")
	}
	got := first.Document.Text
	for _, want := range []string{"The treasurer signs all cheques above one hundred crowns.", "# 251. Matter", builtin.Gap} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not in the prompt:\n%s", want, got)
		}
	}
	if len(got) > 16<<10 || e.read/2 > retrieval.MaxReadBytes {
		t.Errorf("the prompt has %d bytes of the document, %d were read", len(got), e.read/2)
	}
}

// Nothing in common with the question: the beginning is shown, as it is of a short
// document.
func TestQuestionWithoutACommonWordGetsTheBeginning(t *testing.T) {
	t.Parallel()
	p := &spy{answer: llmprovider.Answer{Text: "x"}}
	if _, err := asked(t, p, indexOf(t, manual()), "zzz?"); err != nil {
		t.Fatal(err)
	}
	if got := p.requests[0].Prompt.Document.Text; !strings.HasPrefix(got, "# 1. Matter 0") {
		t.Errorf("a question without a word of the document shows its beginning, not\n%s", got)
	}
}

// "And when?" has its subject in the turn before.
func TestPassagesAreFoundByTheQuestionBefore(t *testing.T) {
	t.Parallel()
	p := &spy{answer: llmprovider.Answer{Text: "x"}}
	if _, err := asked(t, p, indexOf(t, manual()), "And when?", "t1"); err != nil {
		t.Fatal(err)
	}
	if got := p.requests[0].Prompt.Document.Text; !strings.Contains(got, "The treasurer signs all cheques") {
		t.Errorf("the prompt has\n%s", got)
	}
}

func TestShortTextOfAFileIsReadWhole(t *testing.T) {
	t.Parallel()
	p := &spy{answer: llmprovider.Answer{Text: "x"}}
	const text = "The treasurer signs.\n\nThe board meets in May."
	if _, err := asked(t, p, indexOf(t, text), "When does the board meet?"); err != nil {
		t.Fatal(err)
	}
	if got := p.requests[0].Prompt.Document.Text; got != text {
		t.Errorf("the prompt has %q", got)
	}
}

// The built-in provider quotes from the passages, under the names of their sections.
func TestBuiltinAnswersFromPassages(t *testing.T) {
	t.Parallel()
	outcome, err := asked(t, builtin.New(), indexOf(t, manual()), "Who signs the cheques?")
	if err != nil {
		t.Fatal(err)
	}
	if got := outcome.Result.Body; !strings.Contains(got, "The treasurer signs all cheques") || !strings.Contains(got, "251. Matter") || strings.Contains(got, "# ") {
		t.Errorf("answer %s", got)
	}
}

func TestVersionsThatCannotBeRead(t *testing.T) {
	t.Parallel()
	for state, permanent := range map[document.State]bool{document.Failed: true, document.Indexing: false} {
		s := stored()
		v := s.versions[2]
		v.State = state
		s.versions[2] = v
		_, err := replywork.Kind{Conversations: s, Documents: s, Objects: s, Provider: &spy{}}.Prepare(t.Context(), task())
		if _, isPermanent := errors.AsType[*taskflow.PermanentError](err); err == nil || isPermanent != permanent {
			t.Errorf("%s: %v", state, err)
		}
	}
}

func TestDamagedIndexIsUnreadable(t *testing.T) {
	t.Parallel()
	e := indexOf(t, manual())
	delete(e.bodies, indexing.Key{Stage: indexing.Search})
	_, err := asked(t, &spy{}, e, "Who signs the cheques?")
	if p, ok := errors.AsType[*taskflow.PermanentError](err); !ok || p.Reason != worktask.DocumentUnreadable {
		t.Errorf("error %v", err)
	}
}

func taskUnder(promptVersion int) worktask.Task {
	t := task()
	t.Input = reply.Input{Message: "m3", PromptVersion: promptVersion}.Encode()
	return t
}

// indexTasks knows one task, which makes version 2 ready.
type indexTasks struct{ status worktask.Status }

func (i indexTasks) Get(_ context.Context, ref worktask.Ref) (worktask.Task, error) {
	if ref != (worktask.Ref{Workspace: "acme", Scope: "D#d", ID: "i1"}) {
		return worktask.Task{}, fmt.Errorf("task %s was asked for", ref)
	}
	return worktask.Task{Ref: ref, Status: i.status, FailureReason: worktask.DeadlineOver}, nil
}

func TestQuestionsWaitUntilTheirVersionIsReady(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name      string
		waitsFor  string
		state     document.State
		task      worktask.Status
		ready     bool
		permanent bool
	}{
		{"its task is to come", "d/2", document.Indexing, worktask.Pending, false, false},
		{"its task runs", "d/2", document.Indexing, worktask.Running, false, false},
		{"it is ready", "d/2", document.Ready, worktask.Running, true, false},
		{"it has failed", "d/2", document.Failed, worktask.Running, false, true},
		{"its document was deleted", "d/2", document.Deleted, worktask.Running, false, true},
		{"its task ended, and nobody wrote it down", "d/2", document.Indexing, worktask.Failed, false, true},
		{"its task was cancelled", "d/2", document.Indexing, worktask.Cancelled, false, true},
		{"it is gone", "d/9", document.Ready, worktask.Running, false, true},
		{"it is none", "d/02", document.Ready, worktask.Running, false, true},
	} {
		s := stored()
		v := s.versions[2]
		v.Workspace, v.State, v.Index.Task = "acme", c.state, "i1"
		s.versions[2] = v
		waiting := task()
		waiting.WaitsFor = c.waitsFor
		ready, err := replywork.Kind{Documents: s, IndexTasks: indexTasks{c.task}}.Ready(t.Context(), waiting)
		_, permanent := errors.AsType[*taskflow.PermanentError](err)
		if ready != c.ready || permanent != c.permanent || (err != nil && !permanent) {
			t.Errorf("%s: ready %t, %v", c.name, ready, err)
		}
	}
}
