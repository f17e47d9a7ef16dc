package drills

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/replyonce/replyonce/shared/conversation"
	"github.com/replyonce/replyonce/shared/drills/browser"
	"github.com/replyonce/replyonce/shared/history"
	"github.com/replyonce/replyonce/shared/providertest"
	"github.com/replyonce/replyonce/shared/worktask"
)

// pollEvery is how often a browser looks: often enough to be no part of what a
// drill measures, seldom enough for its history to be read.
func (s *Scene) pollEvery() time.Duration { return s.Timers().Lease / 15 }

// Thread is a question with its conversation: one press of Send, and whatever
// follows from it.
type Thread struct {
	subject
	ask          Ask
	person       *Person
	question     string
	conversation string
	key          string
	body         []byte

	mu   sync.Mutex
	task *browser.Task // as it was shown last
}

// script is what the provider does with the question. Gates are the thread's own.
func (t *Thread) script() providertest.Script {
	script := providertest.Script{Match: t.question, Steps: slices.Clone(t.ask.Steps), Repeat: t.ask.Repeat}
	for i := range script.Steps {
		if gate := script.Steps[i].HoldAnswer; gate != "" {
			script.Steps[i].HoldAnswer = t.gate(gate)
		}
	}
	return script
}

func (t *Thread) gate(name string) string { return name + " of " + t.question }

// release lets the provider's held answer go.
func (t *Thread) release() {
	t.scene.log.Note("lets the provider answer")
	t.scene.scripted().Release(t.gate(held))
}

// openGates lets everything go that the provider still holds.
func (t *Thread) openGates() {
	provider := t.scene.scripted()
	if provider == nil {
		return
	}
	for _, step := range t.ask.Steps {
		if step.HoldAnswer != "" {
			provider.Release(t.gate(step.HoldAnswer))
		}
	}
}

// learn keeps the task that an answer shows.
func (t *Thread) learn(a browser.Answer) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if a.OK() && a.Task != nil && (t.task == nil || t.task.ID == a.Task.ID) {
		t.task = a.Task
	}
}

// id is the task that the browser was shown first, "" before.
func (t *Thread) id() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.task == nil {
		return ""
	}
	return t.task.ID
}

// ref addresses the task.
func (t *Thread) ref() worktask.Ref { return conversation.TaskRef(workspace, t.conversation, t.id()) }

// send presses Send, or sends the same again.
func (t *Thread) send(ctx context.Context) browser.Answer {
	a := t.person.submit(ctx, t.conversation, t.key, t.body)
	t.learn(a)
	return a
}

// accepted presses Send and expects to be accepted.
func (t *Thread) accepted(ctx context.Context) error {
	return t.send(ctx).Want(http.StatusAccepted) //nolint:wrapcheck // says what it is
}

// replayed sends the same again and expects the task that is there.
func (t *Thread) replayed(ctx context.Context) error {
	a := t.send(ctx)
	if err := a.Want(http.StatusOK); err != nil {
		return err //nolint:wrapcheck // says what it is
	}
	if !a.Replayed {
		return fmt.Errorf("the second send is not marked as a repeat")
	}
	return nil
}

// finished presses Send and waits for the end.
func (t *Thread) finished(ctx context.Context) error {
	if err := t.accepted(ctx); err != nil {
		return err
	}
	return t.ended(ctx)
}

// ended polls until the task has ended.
func (t *Thread) ended(ctx context.Context) error { return t.endedTask(ctx, t.id()) }

func (t *Thread) endedTask(ctx context.Context, id string) error {
	tag := ""
	for {
		a := t.person.read(ctx, t.conversation, id, tag, t.person.ref(workspace, t.conversation, id))
		if err := a.Want(http.StatusOK, http.StatusNotModified); err != nil {
			return err //nolint:wrapcheck // says what it is
		}
		if a.Status == http.StatusOK {
			tag = a.ETag
			t.learn(a)
			if a.Task != nil && a.Task.Ended() {
				return nil
			}
		}
		if err := pass(ctx, t.scene.pollEvery()); err != nil {
			return fmt.Errorf("the browser sees no end of task %s: %w", id, err)
		}
	}
}

// stop presses Stop and expects an answer.
func (t *Thread) stop(ctx context.Context, by *Person, status int) error {
	a := by.stop(ctx, t.conversation, t.id(), t.person.ref(workspace, t.conversation, t.id()))
	if err := a.Want(status); err != nil {
		return err //nolint:wrapcheck // says what it is
	}
	if a.Task == nil {
		return fmt.Errorf("the answer to Stop shows no task")
	}
	return nil
}

// landed waits until the n-th write of a kind has landed and returns it with the
// item after it; Began.Actor is who sent it.
func (t subject) landed(ctx context.Context, n int, op Op) (Sight, error) {
	return t.scene.log.WaitNth(ctx, fmt.Sprintf("%s lands", op), n, func(s Sight) bool { return isLanded(s, op) && t.about(s) })
}

func isLanded(s Sight, op Op) bool {
	if s.Kind != history.Stored || s.Write() == nil {
		return false
	}
	name := s.Write().Transition
	return name == string(op) || (op == Claim && name == history.LookupClaim)
}

// claimed waits for the n-th claim and returns the worker.
func (t subject) claimed(ctx context.Context, n int) (worker string, err error) {
	s, err := t.landed(ctx, n, Claim)
	return s.Began.Actor, err
}

// refused waits until the store has refused one of the writes, and the sender
// knows.
func (t subject) refused(ctx context.Context, process string, ops ...Op) (Sight, error) {
	return t.scene.log.Wait(ctx, fmt.Sprintf("%v of %s is refused", ops, process), func(s Sight) bool {
		return isRefused(s) && t.about(s) && slices.Contains(ops, Op(s.Write().Transition)) && (process == "" || s.Actor == process)
	})
}

// isRefused: a condition did not hold.
func isRefused(s Sight) bool {
	return s.Kind == history.WriteDone && s.Outcome == history.RefusedBy && s.Write() != nil
}

// deleted waits until n messages of the subject have been deleted.
func (t subject) deleted(ctx context.Context, n int) error {
	_, err := t.scene.log.WaitNth(ctx, "a message is deleted", n, func(s Sight) bool { return s.Kind == history.Deleted && t.about(s) })
	return err
}

// requested waits for an event of the n-th request with the question.
func (t *Thread) requested(ctx context.Context, n int, kind providertest.EventKind) error {
	var ids []string
	_, err := t.scene.Provider().WaitFor(ctx, func(e providertest.Event) bool {
		if e.Kind == providertest.EventReceived && e.Question == t.question {
			ids = append(ids, e.RequestID)
		}
		return len(ids) >= n && e.RequestID == ids[n-1] && e.Kind == kind
	})
	if err != nil {
		return fmt.Errorf("request %d: no %s: %w", n, kind, err)
	}
	return nil
}

// requests are those with the question, as the provider's log has them.
func (t *Thread) requests() []providertest.Call {
	var calls []providertest.Call
	for _, c := range t.scene.scripted().Calls() {
		if c.Question == t.question {
			calls = append(calls, c)
		}
	}
	return calls
}
